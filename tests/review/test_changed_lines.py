"""Which lines may carry an annotation."""

from hypothesis import given
from hypothesis import strategies as st

from app.review.changed_lines import find_changed_lines

LINES = st.lists(st.sampled_from("abcd"), max_size=12).map("\n".join)


def test_added_changed_and_deleted() -> None:
    assert find_changed_lines("a\nb\nc", "a\nX\nc") == (2,)
    assert find_changed_lines("a\nc", "a\nb\nc") == (2,)
    assert find_changed_lines("a\nb\nc", "a\nc") == (1,), "the nearest line that survived"
    assert find_changed_lines("a\nb", "b") == (1,)


def test_files_that_came_or_went() -> None:
    assert find_changed_lines(None, "a\nb") == (1, 2)
    assert find_changed_lines("a\nb", None) == ()
    assert find_changed_lines("a", "") == ()


def test_a_huge_rewrite_is_told_quickly() -> None:
    old = "\n".join(f"a{n % 7}" for n in range(30_000))
    new = "\n".join(f"b{n % 7}" for n in range(30_000))
    assert len(find_changed_lines(old, new)) == 30_000


@given(LINES, LINES)
def test_lines_exist_and_a_change_has_one(old: str, new: str) -> None:
    found = find_changed_lines(old, new)
    assert all(1 <= line <= len(new.splitlines()) for line in found)
    if old.splitlines() != new.splitlines() and new:
        assert found
    if old == new:
        assert found == ()
