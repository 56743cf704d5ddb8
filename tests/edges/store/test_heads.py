"""The newest head wins by the pull's own time, in whatever order events arrive."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.edges.store import HeadEvent, Store, load_head, load_is_head_elsewhere, load_is_newest, move_head
from tests.databases import make_store


def event(second: int, sha: str = "", *, pull: int = 7, closed: bool = False) -> HeadEvent:
    return HeadEvent(1, pull, 99, sha or f"sha{second}", f"2026-01-01T00:00:{second:02d}Z", f"d{second}", closed)


def test_a_later_event_supersedes(store: Store) -> None:
    with store.begin() as c:
        first = move_head(c, event(1))
        second = move_head(c, event(2))
        assert not load_is_newest(c, 1, 7, first)
        assert load_is_newest(c, 1, 7, second)


def test_a_late_old_event_changes_nothing(store: Store) -> None:
    with store.begin() as c:
        newest = move_head(c, event(5))
        late = move_head(c, event(3))
        assert late == 0
        assert not load_is_newest(c, 1, 7, late)
        assert load_is_newest(c, 1, 7, newest)
        head = load_head(c, 1, 7)
    assert head is not None
    assert head.head_sha == "sha5"


def test_pulls_do_not_disturb_each_other(store: Store) -> None:
    with store.begin() as c:
        one = move_head(c, event(1, pull=1))
        move_head(c, event(2, pull=2))
        assert load_is_newest(c, 1, 1, one)


def test_nothing_is_newest_before_the_first_event(store: Store) -> None:
    with store.begin() as c:
        assert not load_is_newest(c, 1, 7, 0)
        assert load_head(c, 1, 7) is None


def test_closing_supersedes_and_is_remembered(store: Store) -> None:
    with store.begin() as c:
        review = move_head(c, event(1))
        move_head(c, event(2, "sha1", closed=True))
        assert not load_is_newest(c, 1, 7, review)
        head = load_head(c, 1, 7)
    assert head is not None
    assert head.closed


def test_another_open_pull_request_may_have_the_same_head(store: Store) -> None:
    with store.begin() as c:
        move_head(c, event(1, "same", pull=1))
        assert not load_is_head_elsewhere(c, 1, 1, "same")
        move_head(c, event(1, "same", pull=2))
        assert load_is_head_elsewhere(c, 1, 1, "same")
        move_head(c, event(2, "same", pull=2, closed=True))
        assert not load_is_head_elsewhere(c, 1, 1, "same")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return make_store(tmp_path_factory.mktemp("heads") / "t.db")


class TestAnyOrder:
    @given(seconds=st.permutations(range(8)), pull=st.uuids())
    def test_ends_at_the_newest_head(self, shared: Store, seconds: list[int], pull: UUID) -> None:
        with shared.begin() as c:
            numbers = {second: move_head(c, event(second, pull=pull.int >> 66)) for second in seconds}
            assert [s for s, number in numbers.items() if load_is_newest(c, 1, pull.int >> 66, number)] == [7]
