"""Comments, incidents, edges, reviews; and that they go when the installation goes."""

import asyncio
import time

import sqlalchemy as sa

from app.edges.store import (
    AuditRow,
    CheckKey,
    EdgeRow,
    Executor,
    HeadEvent,
    LlmKey,
    PullKey,
    Store,
    add_audit,
    beat_and_reap,
    claim_check,
    claim_llm_call,
    drop_incident_pull,
    forget_installation,
    forget_repository,
    leave,
    load_beats,
    load_comment_row,
    load_incidents,
    load_is_older_than,
    load_last_review,
    load_pulls_with_removals,
    mark_incident_merged,
    move_head,
    set_comment,
    set_edges,
    set_incident,
    set_result,
    set_review,
    set_shown,
)
from app.edges.store.tables import INDEX, INDEX_TEXT, METADATA, PARSED

ONE, TWO = PullKey(9, 1, 1), PullKey(9, 1, 2)


def test_a_comment_that_may_exist_differs_from_one_that_was_never_meant(store: Store) -> None:
    with store.begin() as c:
        assert load_comment_row(c, ONE) == (False, None)
        set_comment(c, ONE, None)
        assert load_comment_row(c, ONE) == (True, None)
        set_comment(c, ONE, 5)
        assert load_comment_row(c, ONE) == (True, 5)


def test_an_incident_lives_while_a_pull_request_keeps_it(store: Store) -> None:
    with store.begin() as c:
        assert set_incident(c, ONE, "i", content={"model": "m"}, url="u1") == ("u1",)
        assert set_incident(c, TWO, "i", content={"model": "m"}, url="u2") == ("u2", "u1")
        assert load_incidents(c, ONE)[0].pulls == ("u1", "u2")
        drop_incident_pull(c, ONE, "i")
        assert load_incidents(c, ONE) == ()
        mark_incident_merged(c, TWO, "i")
        assert load_incidents(c, TWO)[0].content == {"model": "m"}


def test_open_pulls_with_removals_are_found_again(store: Store) -> None:
    with store.begin() as c:
        assert load_last_review(c) is None
        for key, removals in ((ONE, 1), (TWO, 0)):
            move_head(c, HeadEvent(1, key.pull, 9, "abc", "2026-01-01T00:00:01Z", "d"))
            set_review(c, key, head_sha="abc", word="block", removals=removals, duration_s=1.5)
        assert load_pulls_with_removals(c, 9) == ((1, 1),)
        assert load_pulls_with_removals(c, 8) == ()
        set_review(c, TWO, head_sha="abc", word="unassessable", removals=0, duration_s=1.5)
        assert load_pulls_with_removals(c, 9) == ((1, 1), (1, 2)), "what could not be told may be told now"
        set_review(c, TWO, head_sha="abc", word="pass", removals=0, duration_s=1.5)
        last = load_last_review(c)
        assert last is not None
        assert last["pull"] == 2
        move_head(c, HeadEvent(1, 1, 9, "abc", "2026-01-01T00:00:02Z", "d", closed=True))
        assert load_pulls_with_removals(c, 9) == ()


def fill(c: sa.Connection, installation: int, repo: int) -> None:
    key, pull = CheckKey(installation, repo, "abc", "tether"), PullKey(installation, repo, 1)
    move_head(c, HeadEvent(repo, 1, installation, "abc", "2026-01-01T00:00:01Z", "d"))
    claim_check(c, key, "a")
    set_result(c, key, 1, rank=1, output={})
    set_comment(c, pull, 4)
    set_incident(c, pull, f"i{repo}", content={}, url="u")
    set_review(c, pull, head_sha="abc", word="pass", removals=0, duration_s=1)
    line = {"line": 3}
    row = EdgeRow(f"a{repo}", "b", "source", "b", installation, "written", (line,), (), True, "", "r")  # noqa: FBT003
    set_edges(c, [row])
    c.execute(sa.insert(PARSED).values(installation_id=installation, key="k", value=b"", used_at=1.0))
    own = {"installation_id": installation, "repo_id": repo}
    c.execute(sa.insert(INDEX).values(**own, commit_sha="c", truncated=False, listing=b"", indexed_at=1.0))
    c.execute(sa.insert(INDEX_TEXT).values(**own, sha="s", content=b"", used_at=1.0))
    claim_llm_call(c, LlmKey(installation, repo, "d"), day="2026-01-01", most=9)
    add_audit(
        c, AuditRow(f"d{repo}", 7, installation, repo, "acme/warehouse", 7, "aman", "confirm", "1 edge confirmed")
    )
    set_shown(c, installation, (repo, 7), [("up", "down")])


def rows(c: sa.Connection) -> dict[str, int]:
    counts = {n: c.execute(sa.select(sa.func.count()).select_from(t)).scalar_one() for n, t in METADATA.tables.items()}
    return {name: count for name, count in counts.items() if count}


def test_a_deleted_installation_leaves_nothing(store: Store) -> None:
    with store.begin() as c:
        fill(c, 9, 1)
        fill(c, 8, 2)
        before = rows(c)
        assert set(METADATA.tables) - {"tether_executor"} == set(before), (
            "every table with data of an installation is filled"
        )
        forget_installation(c, 9)
        assert dict.fromkeys(before, 1) == rows(c)
        forget_installation(c, 8)
        assert rows(c) == {}


def test_a_removed_repository_leaves_only_what_is_the_installations(store: Store) -> None:
    with store.begin() as c:
        fill(c, 9, 1)
        forget_repository(c, 1)
        assert rows(c) == {"tether_edge": 1, "tether_parsed": 1}


def test_executors_that_stopped_beating_are_reaped(store: Store) -> None:
    def beat(name: str, host: str, pid: int, at: float, alive: frozenset[int] = frozenset()) -> frozenset[str]:
        with store.begin() as c:
            return beat_and_reap(c, Executor(name, host, pid, at), lease_s=10, is_alive=alive.__contains__)

    assert {"a"} == beat("a", "h1", 1, 100.0)
    assert {"a", "b"} == beat("b", "h2", 1, 105.0), "another host's process ids say nothing"
    assert {"b"} == beat("b", "h2", 1, 111.0), "a's lease ran out"
    assert {"b", "c"} == beat("c", "h2", 2, 112.0, frozenset({1}))
    assert {"c"} == beat("c", "h2", 2, 113.0), "b's process is gone"
    with store.begin() as c:
        assert load_beats(c) == {"c": 113.0}
        leave(c, "c")
        assert load_beats(c) == {}


def test_run_is_a_transaction(store: Store) -> None:
    def broken(c: sa.Connection) -> None:
        set_comment(c, ONE, 5)
        raise ValueError("no")

    async def both() -> tuple[bool, int | None]:
        try:
            await store.run(broken)
        except ValueError:
            return await store.run(load_comment_row, ONE)
        raise AssertionError("the exception was lost")

    assert asyncio.run(both()) == (False, None)


def test_rows_reach_back_to_the_first_review_of_the_installation(store: Store) -> None:
    with store.begin() as c:
        assert not load_is_older_than(c, 9, time.time() + 60), "no rows know nothing"
        set_review(c, ONE, head_sha="abc", word="pass", removals=0, duration_s=1.5)
        assert load_is_older_than(c, 9, time.time() + 1)
        assert not load_is_older_than(c, 9, time.time() - 60)
        assert not load_is_older_than(c, 8, time.time() + 60)
