"""Re-run, push, installation: mostly reviews that are asked for again."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import sqlalchemy as sa

from app.edges.store import StoredParses, load_audit, load_edges_of, load_indexed, set_edges
from app.edges.store.tables import METADATA
from app.jobs.attempt import Outcome
from app.requests import (
    InstallationRequest,
    JobRequest,
    MergeGroupRequest,
    PushRequest,
    RerequestRequest,
    ReviewRequest,
)
from app.words import Permanent, Transient
from tests.jobs.requests import close
from tests.review.shop import Shop


def run(shop: Shop, request: JobRequest) -> Outcome:
    return asyncio.run(shop.turn(request))


def rerequest(*, pulls: tuple[int, ...] = (), action: str = "") -> RerequestRequest:
    return RerequestRequest("r1", 9, 1, "acme/warehouse", "head", action=action, pulls=pulls)


def asked_for(shop: Shop) -> list[tuple[int, str, str]]:
    return [(r.pull, r.head_sha, r.reason) for r in shop.queued if isinstance(r, ReviewRequest)]


def test_a_rerun_reviews_the_named_pull_requests(shop: Shop) -> None:
    shop.open_pull(7)
    shop.open_pull(8, "head8")
    assert run(shop, rerequest(pulls=(7,))).state == "done"
    assert asked_for(shop) == [(7, "head", "rerequested")]
    assert shop.queued[0].delivery == "r1:1:7", "the same again for the same delivery"


def test_a_rerun_of_a_fork_finds_its_pull_request_by_the_head(shop: Shop) -> None:
    shop.open_pull(7, fork=True)
    shop.open_pull(8, "head8")
    run(shop, rerequest(action="recheck"))
    assert asked_for(shop) == [(7, "head", "rerequested")]
    assert len(shop.queued) == 1


def test_a_rerun_tells_github_again_although_nothing_changed(shop: Shop) -> None:
    request = shop.open_pull(files={"README.md": "x"})
    run(shop, request)
    run(shop, replace(request, delivery="d2"))
    (check,) = shop.forge.check_runs("head")
    assert check.history == ["success"], "GitHub has been told exactly that"
    run(shop, replace(request, delivery="d3", reason="rerequested"))
    assert check.history == ["success", "success"]


def test_a_closed_pull_request_is_not_reviewed_again(shop: Shop) -> None:
    shop.open_pull(7)
    shop.forge.pulls[1, 7] = replace(shop.forge.pulls[1, 7], state="closed")
    run(shop, rerequest(pulls=(7,)))
    assert shop.queued == []


def test_an_unknown_button_is_a_dead_letter(shop: Shop) -> None:
    assert run(shop, rerequest(action="self_destruct")).state == "dead"


def states(shop: Shop) -> list[str]:
    with shop.store.begin() as connection:
        return [row.state for row in load_edges_of(connection)]


def test_the_buttons_show_where_edges_stand_because_of_the_pull_request(shop: Shop) -> None:
    run(shop, shop.open_pull(7))
    (check,) = shop.forge.check_runs("head")
    assert check.output is not None
    assert [action[2] for action in check.output.actions] == ["recheck", "confirm_edges", "reject_edges"]
    shop.forge.comments(7)


def test_confirmed_edges_are_remembered_as_such(shop: Shop) -> None:
    run(shop, shop.open_pull(7))
    assert run(shop, replace(rerequest(pulls=(7,), action="confirm_edges"), sender="aman")).state == "done"
    assert states(shop) == ["confirmed"]
    assert [write.known for write in shop.writes.edges.values()] == ["confirmed"]
    assert asked_for(shop) == [(7, "head", "rerequested")]
    shop.forge.check_runs("head")
    shop.forge.comments(7)


def test_rejected_edges_go_and_no_review_writes_them_again(shop: Shop) -> None:
    run(shop, request := shop.open_pull(7))
    assert run(shop, rerequest(pulls=(7,), action="reject_edges")).state == "done"
    assert states(shop) == ["rejected"]
    assert shop.writes.edges == {}
    run(shop, replace(request, delivery="d2", reason="rerequested"))
    assert shop.writes.edges == {}
    assert states(shop) == ["rejected"]
    (check,) = shop.forge.check_runs("head")
    assert check.output is not None
    assert [action[2] for action in check.output.actions] == ["recheck"]
    shop.forge.comments(7)


def said(shop: Shop) -> str:
    (check,) = shop.forge.check_runs("head")
    assert check.output is not None
    return check.output.summary


def test_buttons_act_on_what_the_check_shows_whoever_wrote_it_first(shop: Shop) -> None:
    """A back-fill wrote the edge, an ingestion dropped it, the review wrote it again."""
    run(shop, request := shop.open_pull(7))
    with shop.store.begin() as connection:
        set_edges(connection, [replace(row, pull=None) for row in load_edges_of(connection)])
    assert run(shop, replace(rerequest(pulls=(7,), action="reject_edges"), sender="aman")).state == "done"
    assert states(shop) == ["rejected"]
    run(shop, replace(request, delivery="d2", reason="rerequested"))
    assert "aman pressed Reject edges on " in said(shop)
    assert ": 1 edge rejected, and never proposed again" in said(shop)
    shop.forge.comments(7)


def test_a_press_that_changes_nothing_is_answered(shop: Shop) -> None:
    request = shop.open_pull(files={"README.md": "x"})
    run(shop, request)
    run(shop, replace(rerequest(pulls=(request.pull,), action="confirm_edges"), sender="aman"))
    with shop.store.begin() as connection:
        (row,) = load_audit(connection, pull=(1, request.pull))
    assert (row.who, row.what, row.repo) == ("aman", "confirm", "acme/warehouse")
    assert row.outcome == "this check tells of no edge of Tether's, so nothing changed"
    shop.forge.check_runs("head")


def test_a_button_that_the_catalog_did_not_hear_is_pressed_again(shop: Shop) -> None:
    run(shop, shop.open_pull(7))
    shop.writes.fail["retract_edges"] = [Transient("the catalog is away"), None]
    assert run(shop, rerequest(pulls=(7,), action="reject_edges")).state == "wait"
    assert states(shop) == ["rejected"], "remembered at once, whatever the catalog does"
    assert run(shop, rerequest(pulls=(7,), action="reject_edges")).state == "done"
    assert shop.writes.edges == {}
    shop.forge.check_runs("head")
    shop.forge.comments(7)


def push() -> PushRequest:
    return PushRequest("p1", 9, 2, "acme/features", "b" * 40)


def test_a_push_elsewhere_judges_pull_requests_with_removals_again(shop: Shop) -> None:
    run(shop, shop.open_pull(7))
    run(shop, shop.open_pull(8, "head8", {"README.md": "x"}))
    with shop.store.begin() as connection:
        connection.execute(sa.text("UPDATE tether_review SET removals = 1 WHERE pull = 7"))
    run(shop, push())
    assert asked_for(shop) == [(7, "head", "push")]
    shop.queued.clear()
    run(shop, close(pull=7))
    run(shop, push())
    assert asked_for(shop) == []
    assert [request.kind for request in shop.queued] == ["repair"]
    for sha in ("head", "head8"):
        shop.forge.check_runs(sha)
    shop.forge.comments(7)


def test_a_push_without_sql_judges_nothing_again(shop: Shop) -> None:
    run(shop, shop.open_pull(7))
    with shop.store.begin() as connection:
        connection.execute(sa.text("UPDATE tether_review SET removals = 1"))
    sql = {"features/customer.sql": "select discount from shop.raw.orders"}
    for commit, files, again in (
        ("c2", {**sql, "README.md": "x"}, 0),
        ("c3", {"features/customer.sql": "select 1"}, 1),
    ):
        before = shop.forge.branches[2, "main"]
        shop.forge.add_commit(2, commit, files)
        shop.forge.branches[2, "main"] = commit
        shop.queued.clear()
        run(shop, replace(push(), delivery=commit, before=before))
        assert len(asked_for(shop)) == again, commit
    shop.forge.check_runs("head")
    shop.forge.comments(7)


def test_a_repository_that_left_keeps_no_other_pull_request_from_being_judged_again(shop: Shop) -> None:
    run(shop, shop.open_pull(7))
    run(shop, shop.open_pull(8, "head8"))
    with shop.store.begin() as connection:
        connection.execute(sa.text("UPDATE tether_review SET removals = 1"))
    shop.forge.fail["fetch_pull"] = [Permanent("it is gone")]
    assert run(shop, push()).state == "done"
    assert asked_for(shop) == [(8, "head8", "push")]
    for number, sha in ((7, "head"), (8, "head8")):
        shop.forge.check_runs(sha)
        shop.forge.comments(number)


def installation(**fields: object) -> InstallationRequest:
    return InstallationRequest("i1", 9, **{"change": "repositories", **fields})  # type: ignore[arg-type]  # test data


def rows(shop: Shop) -> int:
    with shop.store.begin() as c:
        return sum(c.execute(sa.select(sa.func.count()).select_from(t)).scalar_one() for t in METADATA.tables.values())


def test_a_deleted_installation_is_forgotten(shop: Shop) -> None:
    run(shop, shop.open_pull(7))
    assert rows(shop) > 5
    run(shop, installation(change="suspended"))
    assert rows(shop) > 5
    run(shop, installation(change="deleted"))
    assert rows(shop) == 0
    assert shop.forgotten == [9]
    shop.forge.check_runs("head")
    shop.forge.comments(7)


def test_a_removed_repository_is_forgotten(shop: Shop) -> None:
    run(shop, shop.open_pull(7))
    assert asyncio.run(StoredParses(shop.store, 9).fetch_parsed(["parsed"])) == {"parsed": b"before"}
    run(shop, installation(removed=((1, "acme/warehouse"),)))
    assert rows(shop) == 3, "the ledger's edge is the installation's; the other repository's index stays"
    shop.forge.check_runs("head")
    shop.forge.comments(7)


def indexed(shop: Shop) -> dict[int, str]:
    with shop.store.begin() as connection:
        return dict(load_indexed(connection, 9))


def test_installing_indexes_and_leaving_forgets(shop: Shop) -> None:
    assert run(shop, installation(change="created")).state == "done"
    assert indexed(shop) == {1: "base", 2: "base"}
    del shop.forge.repos[2]
    shop.forge.add_repo(3, "acme/more", {"a.sql": "select 1"}, commit="first")
    run(shop, installation(added=((3, "acme/more"),)))
    assert indexed(shop) == {1: "base", 3: "first"}, "what the installation no longer lists goes as well"
    run(shop, installation(change="deleted"))
    assert indexed(shop) == {}


def test_a_repository_that_cannot_be_read_keeps_no_other_from_the_index(shop: Shop) -> None:
    shop.forge.fail["fetch_tree"] = [Permanent("this repository is blocked")]
    assert run(shop, installation(change="created")).state == "done"
    assert indexed(shop) == {2: "base"}


def test_a_push_brings_the_index_up_to_date(shop: Shop) -> None:
    run(shop, installation(change="created"))
    shop.forge.add_commit(2, "pushed", {"features/customer.sql": "select 1"})
    shop.forge.branches[2, "main"] = "pushed"
    shop.forge.calls.clear()
    run(shop, push())
    assert indexed(shop) == {1: "base", 2: "pushed"}
    assert shop.forge.calls["fetch_blob"] == 1


def test_a_review_reads_other_repositories_from_the_index(shop: Shop) -> None:
    run(shop, installation(change="created"))
    shop.forge.calls.clear()
    run(shop, shop.open_pull())
    assert shop.judge.seen[0].others[0][1].files == {"features/customer.sql": "select discount from shop.raw.orders"}
    assert shop.forge.calls["fetch_tree"] == 1, "the head's"
    assert shop.forge.calls["fetch_blob"] == 1, "what the change adds"
    assert shop.forge.calls["fetch_branch_head"] == 1, "whether the index is old"
    shop.forge.check_runs("head")
    shop.forge.comments(7)


def group(*, destroyed: bool = False) -> MergeGroupRequest:
    return MergeGroupRequest("g1", 9, 1, "acme/warehouse", "head", "base", "main", destroyed)


def test_a_merge_group_is_judged_and_writes_nothing(shop: Shop) -> None:
    shop.open_pull(7)
    assert run(shop, group()).state == "done"
    (check,) = shop.forge.check_runs("head")
    assert check.output is not None
    assert check.output.conclusion == "failure"
    assert shop.forge.comments(7) == []
    assert not shop.writes.calls


def test_a_merge_group_of_a_repository_that_cannot_be_read_is_red(shop: Shop) -> None:
    shop.open_pull(7)
    shop.forge.fail["fetch_repo"] = [Permanent("the installation does not include it")]
    assert run(shop, group()).state == "dead"
    (check,) = shop.forge.check_runs("head")
    assert check.output is not None
    assert check.output.conclusion == "failure"


def test_a_rerun_of_a_merge_group_judges_it_again(shop: Shop) -> None:
    shop.open_pull(7)
    run(shop, group())
    again = replace(rerequest(), head_branch=f"gh-readonly-queue/release/1/pr-7-{'b' * 40}")
    assert run(shop, again).state == "done"
    (asked,) = shop.queued
    assert isinstance(asked, MergeGroupRequest)
    assert (asked.head_sha, asked.base_ref, asked.base_sha) == ("head", "release/1", "b" * 40)
    run(shop, replace(asked, base_sha="base"))
    (check,) = shop.forge.check_runs("head")
    assert check.history == ["failure", "failure"], "GitHub waits to be told again"


def test_a_merge_group_that_is_gone_needs_nothing(shop: Shop) -> None:
    assert run(shop, group(destroyed=True)).state == "done"
