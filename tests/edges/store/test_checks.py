"""One check run per head: taking turns, and the worst of several pull requests."""

import time

import pytest

from app.edges.store import (
    CheckKey,
    HeadEvent,
    Store,
    checks,
    claim_check,
    load_check,
    move_head,
    release_check,
    set_check_run_id,
    set_concluded,
    set_result,
)

KEY = CheckKey(installation_id=9, repo_id=1, head_sha="abc", name="tether")


def test_one_claim_at_a_time(store: Store) -> None:
    with store.begin() as c:
        assert claim_check(c, KEY, "a") is not None
        assert claim_check(c, KEY, "b") is None
        assert claim_check(c, KEY, "a") is not None, "a resumed job gets its own claim back"
        release_check(c, KEY, "b")
        assert claim_check(c, KEY, "b") is None, "only the owner lets go"
        release_check(c, KEY, "a")
        assert claim_check(c, KEY, "b") is not None


def test_a_claim_of_a_dead_job_runs_out(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with store.begin() as c:
        claim_check(c, KEY, "a")
        later = time.time() + checks.CLAIM_S + 1
        monkeypatch.setattr(time, "time", lambda: later)
        assert claim_check(c, KEY, "b") is not None


def test_the_row_remembers_what_github_was_told(store: Store) -> None:
    with store.begin() as c:
        assert load_check(c, KEY) is None
        claim_check(c, KEY, "a")
        set_check_run_id(c, KEY, 42)
        set_concluded(c, KEY, conclusion="failure", digest="d", annotated=frozenset({"x"}))
        row = load_check(c, KEY)
    assert row == checks.CheckRow(42, concluded=True, conclusion="failure", digest="d", annotated=frozenset({"x"}))


def head(pull: int, sha: str = "abc", *, closed: bool = False, second: int = 1) -> HeadEvent:
    return HeadEvent(1, pull, 9, sha, f"2026-01-01T00:00:{second:02d}Z", f"d{pull}", closed)


def test_two_pulls_with_one_head_show_the_worst(store: Store) -> None:
    with store.begin() as c:
        move_head(c, head(1))
        move_head(c, head(2))
        assert set_result(c, KEY, 1, rank=3, output={"t": "bad"}) == {"t": "bad"}
        assert set_result(c, KEY, 2, rank=0, output={"t": "good"}) == {"t": "bad"}
        assert set_result(c, KEY, 1, rank=0, output={"t": "good"}) == {"t": "good"}, "its own, once repaired"


@pytest.mark.parametrize("gone", [head(1, closed=True, second=2), head(1, "other", second=2)])
def test_a_pull_that_closed_or_moved_on_no_longer_counts(store: Store, gone: HeadEvent) -> None:
    with store.begin() as c:
        move_head(c, head(1))
        move_head(c, head(2))
        set_result(c, KEY, 1, rank=3, output={"t": "bad"})
        move_head(c, gone)
        assert set_result(c, KEY, 2, rank=0, output={"t": "good"}) == {"t": "good"}
