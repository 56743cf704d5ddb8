"""One review from request to effects: what people see, and that it is said exactly once whatever dies on the way."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace

import pytest

from app.effects import CheckOutput
from app.jobs.attempt import Outcome
from app.jobs.work import JobRunner
from app.ports import ModelAnswer
from app.requests import Job, JobRequest
from app.verdict import Advice, Edit
from app.words import Permanent, Transient
from tests.fakes.forge import CheckRun, Comment, sha_of
from tests.jobs.requests import close, review
from tests.review.shop import DATASET, DROP, FEATURE, Killed, Shop


def run(shop: Shop, request: JobRequest) -> str:
    return asyncio.run(shop.turn(request)).state


def the_check(shop: Shop, sha: str = "head") -> CheckOutput:
    (check,) = shop.forge.check_runs(sha)
    assert check.output is not None, "left in progress"
    return check.output


def test_a_review_is_two_lines_of_the_log(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "app")
    run(shop, shop.open_pull())
    begun, concluded = [line for line in caplog.messages if line.startswith("review of 'acme/warehouse' pull 7 head ")]
    assert begun.endswith(": begun, attempt 1")
    assert ": concluded block (failure) in " in concluded
    shop.forge.check_runs("head")
    shop.forge.comments(7)


def test_a_blocked_pull_request_gets_its_check_comment_incident_and_edge(shop: Shop) -> None:
    assert run(shop, shop.open_pull()) == "done"
    output = the_check(shop)
    assert output.conclusion == "failure"
    assert [(a.path, a.line) for a in output.annotations] == [("migrations/2.sql", 1)]
    (comment,) = shop.forge.comments(7)
    assert "churn" in comment.body
    assert len(shop.writes.active) == 1
    assert list(shop.writes.edges) == [(DATASET, FEATURE)]
    (change,) = shop.judge.seen
    assert change.changed == {"migrations/2.sql"}
    assert change.subject.changed_lines == (("migrations/2.sql", 1),)
    assert [repo.full_name for repo, _ in change.others] == ["acme/features"]
    assert change.others[0][1].files == {"features/customer.sql": "select discount from shop.raw.orders"}


def test_the_check_run_exists_before_anything_is_judged(shop: Shop) -> None:
    seen: list[CheckRun] = []

    async def look() -> None:
        seen.extend(replace(check) for check in shop.forge.check_runs("head"))

    shop.judge.hold = look
    run(shop, shop.open_pull(files={"migrations/2.sql": "SELECT 1;"}))
    assert [(check.output, check.external_id) for check in seen] == [(None, "gh:open7head")]


def test_nothing_that_is_sql_changed(shop: Shop) -> None:
    request = shop.open_pull(files={"README.md": "hello again"})
    assert run(shop, request) == "done"
    assert the_check(shop).conclusion == "success"
    assert shop.forge.calls["fetch_blob"] == 0
    assert shop.forge.calls["fetch_repositories"] == 0
    assert shop.forge.comments(7) == []


def test_a_fix_resolves_the_incident_and_the_comment(shop: Shop) -> None:
    run(shop, shop.open_pull())
    shop.forge.add_commit(1, "fixed", {"migrations/1.sql": "CREATE TABLE t (id INT);"}, parent="base")
    shop.forge.push(1, 7, "fixed", second=2)
    assert run(shop, review("d2", sha="fixed", second=2)) == "done"
    assert the_check(shop, "fixed").conclusion == "success"
    assert shop.writes.active == set()
    (comment,) = shop.forge.comments(7)
    assert "resolved" in comment.body.lower() or "no longer" in comment.body.lower()
    shop.forge.check_runs("head")


def test_an_unassessable_push_resolves_nothing(shop: Shop) -> None:
    run(shop, shop.open_pull())
    shop.forge.truncated.add("later")
    shop.forge.add_commit(1, "later", {"migrations/1.sql": "CREATE TABLE t (id INT);"}, parent="base")
    shop.forge.push(1, 7, "later", second=2)
    run(shop, review("d2", sha="later", second=2))
    assert the_check(shop, "later").conclusion == "failure"
    assert len(shop.writes.active) == 1
    shop.forge.check_runs("head")
    shop.forge.comments(7)


@pytest.mark.parametrize(("merged", "active"), [(False, 0), (True, 1)])
def test_closing_settles_the_incident(shop: Shop, merged: bool, active: int) -> None:  # noqa: FBT001 - parametrized
    run(shop, shop.open_pull())
    assert run(shop, close(merged=merged)) == "done"
    assert len(shop.writes.active) == active
    assert ("Merged anyway" in shop.writes.raised[-1].description) is merged
    shop.forge.check_runs("head")
    shop.forge.comments(7)


def test_a_close_that_cannot_reach_the_catalog_is_tried_again(shop: Shop) -> None:
    run(shop, shop.open_pull())
    shop.writes.fail["resolve_incident"] = [Transient("away")]
    job = shop.accept(close())
    assert asyncio.run(shop.run(job)).state == "wait"
    assert asyncio.run(shop.run(job)).state == "done"
    assert shop.writes.active == set()
    shop.forge.check_runs("head")
    shop.forge.comments(7)


@pytest.mark.parametrize("lost", [[], [Transient("away")]])
def test_a_pull_request_of_a_renamed_repository_is_the_same_one(shop: Shop, lost: list[Exception | None]) -> None:
    """Its link is replaced in the incident, also where the catalog did not hear of it at first; and its close resolves it."""
    run(shop, request := shop.open_pull())
    shop.forge.repos[1] = replace(shop.forge.repos[1], full_name="acme/lake")
    shop.writes.fail["raise_incident"] = lost
    for delivery in ("d2", "d3"):
        run(shop, replace(request, delivery=delivery, repo_full_name="acme/lake", reason="rerequested"))
    (urls,) = shop.writes.incidents.values()
    assert urls == {"https://github.com/acme/lake/pull/7"}
    assert run(shop, close()) == "done"
    assert shop.writes.active == set()
    shop.forge.check_runs("head")
    shop.forge.comments(7)


def test_two_pull_requests_keep_one_incident_until_the_last_is_gone(shop: Shop) -> None:
    run(shop, shop.open_pull(7))
    run(shop, shop.open_pull(8, "head8"))
    assert len(shop.writes.active) == 1
    run(shop, close("c7", pull=7))
    assert len(shop.writes.active) == 1
    run(shop, close("c8", pull=8))
    assert shop.writes.active == set()
    for sha, pull in (("head", 7), ("head8", 8)):
        shop.forge.check_runs(sha)
        shop.forge.comments(pull)


def test_a_draft_is_judged_and_raises_no_incident_until_it_is_ready(shop: Shop) -> None:
    request = shop.open_pull()
    ready = shop.forge.pulls[1, 7]
    shop.forge.pulls[1, 7] = replace(ready, draft=True)
    run(shop, request)
    assert (the_check(shop).conclusion, len(shop.writes.active)) == ("failure", 0)
    shop.forge.pulls[1, 7] = ready
    run(shop, replace(request, delivery="d2", reason="ready_for_review"))
    assert len(shop.writes.active) == 1
    shop.forge.pulls[1, 7] = replace(ready, draft=True)
    run(shop, replace(request, delivery="d3", reason="rerequested"))
    assert len(shop.writes.active) == 1, "what stands is still true"
    shop.forge.comments(7)


def test_a_fork_writes_nothing_to_the_catalog(shop: Shop) -> None:
    run(shop, shop.open_pull(fork=True))
    assert the_check(shop).conclusion == "failure"
    assert "fork" in the_check(shop).summary + the_check(shop).text
    assert shop.writes.calls == Counter()
    shop.forge.comments(7)


def test_a_fork_may_raise_incidents_where_the_base_says_so(shop: Shop) -> None:
    shop.forge.add_commit(
        1, "base", {**shop.forge.commits[1, "base"], ".tether.yml": "version: 1\nforks: {incidents: true}\n"}
    )
    request = shop.open_pull(fork=True)
    shop.forge.commits[1, "head"][".tether.yml"] = shop.forge.commits[1, "base"][".tether.yml"]
    run(shop, request)
    assert len(shop.writes.active) == 1
    assert shop.writes.edges == {}
    the_check(shop)
    shop.forge.comments(7)


def test_a_pull_request_to_another_branch_is_judged_and_writes_nothing(shop: Shop) -> None:
    request = shop.open_pull()
    shop.forge.branches[1, "release"] = "base"
    shop.forge.pulls[1, 7] = replace(shop.forge.pulls[1, 7], base_ref="release")
    run(shop, request)
    assert the_check(shop).conclusion == "failure"
    assert shop.writes.calls == Counter()
    shop.forge.comments(7)


@pytest.mark.parametrize("effect", ["raise_incident", "write_edge"])
@pytest.mark.parametrize("error", [Transient("DataHub is away"), Permanent("DataHub refuses the token")])
def test_a_catalog_that_does_not_take_writes_is_said_in_the_check(shop: Shop, effect: str, error: Exception) -> None:
    shop.writes.fail[effect] = [error]
    assert run(shop, shop.open_pull()) == "done"
    output = the_check(shop)
    assert output.conclusion == "failure"
    assert str(error) in output.summary + output.text
    shop.forge.comments(7)


def test_a_missing_permission_to_comment_is_said_in_the_check(shop: Shop) -> None:
    shop.forge.fail["create_comment"] = [Permanent("the App needs the permission pull_requests: write")]
    assert run(shop, shop.open_pull()) == "done"
    (check,) = shop.forge.check_runs("head")
    assert check.output is not None
    assert check.output.conclusion == "failure"
    assert r"pull\_requests: write" in check.output.summary
    assert len(check.annotations) == 1, "GitHub appends: the second update carries none"


def test_a_catalog_that_is_away_makes_a_red_check_and_a_retry_repairs_it(shop: Shop) -> None:
    shop.judge.errors = [Transient("DataHub could not be reached")]
    job = shop.accept(shop.open_pull(files={"migrations/2.sql": "SELECT 1;"}))
    assert asyncio.run(shop.run(job)).state == "wait"
    output = the_check(shop)
    assert output.conclusion == "failure"
    assert "DataHub could not be reached" in output.summary
    assert "30 seconds" in output.title
    assert asyncio.run(shop.run(replace(job, attempt=1))).state == "done"
    (check,) = shop.forge.check_runs("head")
    assert check.history == ["failure", "success"]


@pytest.mark.parametrize("error", [Permanent("DataHub refuses the token"), ValueError("a bug: ghs_secret")])
def test_what_cannot_be_repaired_by_waiting_ends_red_with_a_hint(shop: Shop, error: Exception) -> None:
    shop.judge.errors = [error]
    assert run(shop, shop.open_pull()) == "dead"
    output = the_check(shop)
    assert output.conclusion == "failure"
    assert "Re-run" in output.summary
    assert "ghs_secret" not in output.summary
    if isinstance(error, Permanent):
        assert str(error) in output.summary
        assert output.title.startswith("Not checked: ")
    else:
        assert output.title == "Internal error (a bug in Tether): this change was not checked"


# --- newest head ---------------------------------------------------------------------------------------------------


async def run_beside(shop: Shop, old: Job, newer: JobRequest) -> str:
    """The old job's end, when the newer one comes, and is done, while the old one judges."""
    beside: list[asyncio.Task[Outcome]] = []

    async def meanwhile() -> None:
        shop.judge.hold = None
        beside.append(asyncio.create_task(shop.turn(newer)))  # a job of its own: it does not end with this one
        await asyncio.sleep(30)

    shop.judge.hold = meanwhile
    outcome = await shop.run(old)
    assert (await beside[0]).state == "done"
    return outcome.state


def test_a_superseded_head_is_cancelled_on_its_own_sha(shop: Shop) -> None:
    old = shop.accept(shop.open_pull())
    shop.forge.add_commit(1, "newer", {"migrations/1.sql": "CREATE TABLE t (id INT);"}, parent="base")
    shop.forge.stale_pulls = [shop.forge.pulls[1, 7]]
    shop.forge.push(1, 7, "newer", second=2)
    assert asyncio.run(run_beside(shop, old, review("d2", sha="newer", second=2))) == "superseded"
    assert the_check(shop).conclusion == "cancelled"
    assert the_check(shop, "newer").conclusion == "success"
    assert shop.writes.calls == Counter()


def test_a_rerun_of_the_same_head_is_never_overwritten_by_the_old_job(shop: Shop) -> None:
    old = shop.accept(shop.open_pull())
    rerun = replace(review("d2", sha="head"), reason="rerequested")
    assert asyncio.run(run_beside(shop, old, rerun)) == "superseded"
    (check,) = shop.forge.check_runs("head")
    assert check.history == ["failure"]
    shop.forge.comments(7)


def test_an_old_event_that_comes_late_does_nothing(shop: Shop) -> None:
    shop.open_pull()
    shop.forge.add_commit(1, "newer", {"migrations/1.sql": "CREATE TABLE t (id INT);"}, parent="base")
    shop.forge.push(1, 7, "newer", second=5)
    run(shop, review("d2", sha="newer", second=5))
    assert run(shop, review("d1", sha="head", second=1)) == "superseded"
    assert shop.forge.check_runs("head") == []
    the_check(shop, "newer")


def test_an_api_that_lags_behind_the_event_is_asked_again(shop: Shop) -> None:
    request = shop.open_pull()
    shop.forge.stale_pulls = [replace(shop.forge.pulls[1, 7], head_sha="base", updated_at="2025-12-31T23:59:59Z")]
    assert run(shop, request) == "done"
    assert shop.slept == [2.0]
    assert shop.queued == []
    assert the_check(shop).conclusion == "failure"
    shop.forge.comments(7)


def test_an_event_that_was_lost_is_made_up_for(shop: Shop) -> None:
    """Only the first push's event arrives; the API knows the second: that one gets its review, the first is cancelled."""
    request = shop.open_pull()
    shop.forge.add_commit(1, "newer", {"migrations/1.sql": "CREATE TABLE t (id INT);"}, parent="base")
    shop.forge.push(1, 7, "newer", second=2)
    assert run(shop, request) == "superseded"
    (queued,) = shop.queued
    assert the_check(shop).conclusion == "cancelled"
    assert run(shop, queued) == "done"
    assert the_check(shop, "newer").conclusion == "success"


def test_a_pull_request_that_was_closed_unheard_of_is_cancelled(shop: Shop) -> None:
    request = shop.open_pull()
    shop.forge.pulls[1, 7] = replace(shop.forge.pulls[1, 7], state="closed", updated_at="2026-01-01T00:00:03Z")
    assert run(shop, request) == "superseded"
    assert the_check(shop).conclusion == "cancelled"


def test_two_pull_requests_with_one_head_show_the_worse_verdict(shop: Shop) -> None:
    run(shop, shop.open_pull(7))
    request = shop.open_pull(8)
    shop.judge.errors = []
    shop.forge.commits[1, "other"] = {**shop.forge.commits[1, "head"]}
    shop.forge.branches[1, "side"] = "other"
    shop.forge.parents[1, "head"] = "other"
    shop.forge.pulls[1, 8] = replace(shop.forge.pulls[1, 8], base_ref="side")
    assert run(shop, request) == "done"
    (check,) = shop.forge.check_runs("head")
    assert check.output is not None
    assert check.output.conclusion == "failure"
    shop.forge.comments(7)


# --- failures and crashes ------------------------------------------------------------------------------------------

FORGE_CALLS = (
    *("fetch_check_run", "create_check_run", "create_check_run_answer", "fetch_pull", "fetch_branch_head"),
    *("fetch_comparison", "fetch_tree", "fetch_blob", "fetch_repositories", "conclude_check_run"),
    *("conclude_check_run_answer", "fetch_comment", "create_comment", "create_comment_answer"),
)
CATALOG_CALLS = ("raise_incident", "raise_incident_answer", "write_edge", "write_edge_answer")


def assert_said_once(shop: Shop) -> None:
    (check,) = shop.forge.check_runs("head")
    assert check.output is not None
    assert check.output.conclusion == "failure"
    assert check.output.title.startswith("Blocked")
    (comment,) = shop.forge.comments(7)
    assert isinstance(comment, Comment)
    assert len(shop.writes.incidents) == 1
    assert len(shop.writes.edges) == 1


@pytest.mark.parametrize("name", [*FORGE_CALLS, *CATALOG_CALLS])
def test_a_process_that_dies_at_any_call_says_everything_once(shop: Shop, name: str) -> None:
    fake = shop.writes if name in CATALOG_CALLS else shop.forge
    fake.fail[name] = [Killed()]  # type: ignore[list-item]  # a death is no Exception
    assert run(shop, shop.open_pull()) == "done"
    assert fake.calls[name] >= 1
    assert fake.fail[name] == [], "the process did die there"
    assert_said_once(shop)


@pytest.mark.parametrize("name", FORGE_CALLS)
def test_github_failing_once_at_any_call_ends_in_one_concluded_check(shop: Shop, name: str) -> None:
    shop.forge.fail[name] = [Transient("GitHub answered 502")]
    job = shop.accept(shop.open_pull())
    outcome = asyncio.run(shop.run(job))
    if outcome.state == "wait":
        asyncio.run(shop.run(replace(job, attempt=1)))
    assert_said_once(shop)


@pytest.mark.parametrize("name", ["fetch_pull", "fetch_comparison", "fetch_tree", "fetch_blob"])
def test_github_refusing_for_good_is_a_red_check(shop: Shop, name: str) -> None:
    shop.forge.fail[name] = [Permanent("the App needs the permission contents: read")]
    assert run(shop, shop.open_pull()) == "dead"
    output = the_check(shop)
    assert output.conclusion == "failure"
    assert "contents: read" in output.summary


def test_a_repository_that_cannot_be_read_makes_it_unassessable(shop: Shop) -> None:
    request = shop.open_pull(files={"migrations/2.sql": "SELECT 1;"})
    run_tree = shop.forge.commits.pop((2, "base"))
    shop.forge.fail["fetch_tree"] = [None, None, Permanent("this repository is blocked")]
    assert run(shop, request) == "done"
    assert the_check(shop).conclusion == "failure"
    assert run_tree
    shop.forge.comments(7)


# --- what is in the trees ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\x00\x01", "binary"),
        (b"\xff\xfe", "UTF-8"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "LFS"),
        (b"x" * 1_000_001, "larger"),
    ],
)
def test_a_changed_file_without_text_is_unread_with_its_reason(shop: Shop, content: bytes, why: str) -> None:
    run(shop, shop.open_pull(files={"migrations/2.sql": content}))
    (change,) = shop.judge.seen
    assert why in change.head.unread["migrations/2.sql"]
    assert "migrations/2.sql" in change.changed
    the_check(shop)
    shop.forge.comments(7)


def test_what_a_cut_listing_leaves_out_is_not_taken_for_deleted(shop: Shop) -> None:
    shop.forge.truncated.add("head")
    request = shop.open_pull(files={"README.md": "x"})
    del shop.forge.commits[1, "head"]["migrations/1.sql"]
    run(shop, request)
    (change,) = shop.judge.seen
    assert change.changed == set()
    assert "migrations/1.sql" in change.head.files
    assert [unknown.what for unknown in change.extra] == ["the repository's list of files is incomplete"]
    assert the_check(shop).conclusion == "failure"
    assert shop.writes.calls == Counter()
    shop.forge.comments(7)


def test_files_that_a_change_pushes_beyond_the_limit_are_not_taken_for_deleted(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.source.repo_files.trees.MAX_FILES", 3)
    run(shop, shop.open_pull(files={f"a/{n}.sql": "SELECT 1;" for n in range(3)}))
    (change,) = shop.judge.seen
    assert change.changed == {"a/0.sql", "a/1.sql", "a/2.sql"}
    assert change.head.files.keys() >= change.changed
    for tree in (change.base, change.head, change.tip):
        assert "beyond the first 3 files" in tree.unread["migrations/1.sql"]
    the_check(shop)
    shop.forge.comments(7)


def test_a_repository_that_is_made_public_meanwhile_is_judged_as_public(shop: Shop) -> None:
    request = shop.open_pull()
    begun = shop.forge.pulls[1, 7].base_repo
    assert begun is not None
    assert begun.visibility == "private"
    shop.forge.repos[1] = replace(begun, visibility="public")
    run(shop, request)
    assert shop.judge.seen[0].repo.visibility == "public"
    the_check(shop)
    shop.forge.comments(7)


def test_a_moved_submodule_is_unassessable(shop: Shop) -> None:
    shop.forge.modes["vendor/models"] = "160000"
    run(shop, shop.open_pull(files={"vendor/models": "2" * 40}))
    (change,) = shop.judge.seen
    assert [unknown.path for unknown in change.extra] == ["vendor/models"]
    assert the_check(shop).conclusion == "failure"
    shop.forge.comments(7)


@pytest.mark.parametrize(("path", "decides"), [("README.md", False), ("stg.sql", True)])
def test_a_moved_submodule_of_the_installation_is_looked_into(shop: Shop, path: str, decides: bool) -> None:  # noqa: FBT001
    shop.forge.add_repo(5, "acme/shared", {path: "x"}, commit=sha_of(b"2" * 40))
    shop.forge.modes["vendor/models"] = "160000"
    modules = '[submodule "m"]\n\tpath = vendor/models\n\turl = ../shared.git\n'
    run(shop, shop.open_pull(files={"vendor/models": "2" * 40, ".gitmodules": modules}))
    (change,) = shop.judge.seen
    assert [unknown.path for unknown in change.extra] == ["vendor/models"] * decides
    the_check(shop)
    shop.forge.comments(7)


def test_readers_are_taken_from_the_tip_and_removals_from_the_merge_base(shop: Shop) -> None:
    request = shop.open_pull()
    shop.forge.add_commit(
        1, "tip", {**shop.forge.commits[1, "base"], "reader.sql": "select discount from t"}, parent="base"
    )
    shop.forge.branches[1, "main"] = "tip"
    run(shop, request)
    (change,) = shop.judge.seen
    assert "reader.sql" in change.tip.files
    assert "reader.sql" not in change.base.files
    assert change.changed == {"migrations/2.sql"}, "what others merged meanwhile is not this change"
    assert (change.base.commit, change.head.commit, change.tip.commit) == ("base", "head", "tip")
    the_check(shop)
    shop.forge.comments(7)


# --- .tether.yml ---------------------------------------------------------------------------------------------------


def with_config(shop: Shop, base: str | None, head: str | None, *, drop: bool = True) -> str:
    request = shop.open_pull(files={"migrations/2.sql": DROP} if drop else {})
    for commit, text in (("base", base), ("head", head)):
        if text is not None:
            shop.forge.commits[1, commit][".tether.yml"] = text.encode()
    return run(shop, request)


def test_the_configuration_comes_from_the_base(shop: Shop) -> None:
    with_config(shop, "version: 1\ndialect: snowflake\n", "version: 1\ndialect: postgres\n")
    assert shop.judge.seen[0].config.dialect == "snowflake"
    the_check(shop)
    shop.forge.comments(7)


def test_a_broken_configuration_at_the_base_is_red_and_names_the_line(shop: Shop) -> None:
    with_config(shop, "version: 1\nnonsense: 3\n", "version: 1\nnonsense: 3\n")
    assert shop.judge.seen == []
    output = the_check(shop)
    assert output.conclusion == "failure"
    assert "line 2" in output.summary + output.text
    shop.forge.comments(7)


def test_a_change_that_only_repairs_the_configuration_may_be_merged(shop: Shop) -> None:
    with_config(shop, "version: 1\nnonsense: 3\n", "version: 1\n", drop=False)
    assert the_check(shop).conclusion == "neutral"
    shop.forge.comments(7)


def test_a_change_that_breaks_the_configuration_is_told_so(shop: Shop) -> None:
    with_config(shop, "version: 1\n", "version: 1\nnonsense: 3\n", drop=False)
    output = the_check(shop)
    assert output.conclusion == "neutral"
    assert "nonsense" in output.title + output.summary
    shop.forge.comments(7)


@pytest.mark.parametrize(
    ("level", "conclusion", "title"),
    [("off", "success", "Passed"), ("warn", "neutral", "Warning: "), ("block", "failure", "Blocked: ")],
)
def test_the_policy_of_the_base_says_how_loud_a_broken_configuration_is(
    shop: Shop, level: str, conclusion: str, title: str
) -> None:
    request = shop.open_pull(files={"README.md": "x"})
    policy = f"version: 1\npolicy: {{rules: {{config_is_invalid: {level}}}}}\n"
    shop.forge.commits[1, "base"][".tether.yml"] = policy.encode()
    shop.forge.commits[1, "head"][".tether.yml"] = b"version: 1\nnonsense: 1\n"
    run(shop, request)
    output = the_check(shop)
    assert (output.conclusion, output.title[: len(title)]) == (conclusion, title)
    assert ("nonsense" in output.summary) == (level != "off")
    shop.forge.comments(7)


def test_code_that_may_hold_sql_is_read_too(shop: Shop) -> None:
    shop.forge.commits[2, "base"]["features/train.py"] = b"query = 'select discount from shop.raw.orders'"
    run(shop, shop.open_pull())
    assert "features/train.py" in shop.judge.seen[0].others[0][1].files
    the_check(shop)
    shop.forge.comments(7)


# --- mode: observe, and the organisation's defaults -----------------------------------------------------------------

OBSERVE = "version: 1\nmode: observe\n"


def observing(shop: Shop) -> None:
    """The organisation observes; the repository has no file of its own."""
    shop.forge.add_repo(3, "acme/.github", {".tether.yml": OBSERVE})


def test_observing_says_what_would_have_happened_and_does_nothing(shop: Shop) -> None:
    observing(shop)
    assert run(shop, shop.open_pull()) == "done"
    output = the_check(shop)
    assert output.conclusion == "neutral"
    assert output.title == "Observing only; this would fail: Blocked: churn would lose discount"
    assert "nothing blocks, raises an incident or writes to the catalog" in output.summary
    assert [annotation.level for annotation in output.annotations] == ["warning"]
    assert shop.writes.raised == []
    assert shop.writes.edges == {}
    (comment,) = shop.forge.comments(7)
    assert "churn" in comment.body


def test_an_incident_from_before_the_observing_is_left_as_it_is(shop: Shop) -> None:
    run(shop, shop.open_pull())
    observing(shop)
    shop.forge.add_commit(1, "fixed", {"migrations/1.sql": "CREATE TABLE t (id INT);"}, parent="base")
    shop.forge.push(1, 7, "fixed", second=2)
    assert run(shop, review("d2", sha="fixed", second=2)) == "done"
    assert the_check(shop, "fixed").title.startswith("Observing only; this would pass")
    assert len(shop.writes.active) == 1
    shop.forge.check_runs("head")
    shop.forge.comments(7)


def test_a_review_that_fails_blocks_nothing_where_the_mode_is_to_observe(shop: Shop) -> None:
    observing(shop)
    shop.judge.errors = [Permanent("the catalog refuses")]
    job = shop.accept(shop.open_pull())
    assert asyncio.run(shop.run(job)).state == "dead"
    asyncio.run(shop.work.conclude_failed(job, "the catalog refuses", None))
    output = the_check(shop)
    assert output.conclusion == "neutral"
    assert "the catalog refuses" in output.summary


def test_without_the_configuration_a_failure_is_enforced(shop: Shop) -> None:
    observing(shop)
    job = shop.accept(shop.open_pull())
    asyncio.run(shop.work.begin(job))
    shop.forge.fail["fetch_file"] = [Transient("away")]
    asyncio.run(shop.work.conclude_failed(job, "the catalog refuses", None))
    assert the_check(shop).conclusion == "failure"


def test_the_check_names_the_organisation_s_file(shop: Shop) -> None:
    shop.forge.add_repo(3, "acme/.github", {".tether.yml": "version: 1\ncatalog: {platform: snowflake}\n"})
    run(shop, shop.open_pull())
    (change,) = shop.judge.seen
    assert change.config.catalog.platform == "snowflake"
    assert change.settings == "acme/.github .tether.yml"
    the_check(shop)
    shop.forge.comments(7)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"version: 1\nnonsense: 1\n", "acme/.github .tether.yml line 2: unknown key `nonsense`"),
        (b"version: 1\n# \xff\n", "acme/.github .tether.yml: it is not UTF-8 (line 2)"),
        (b"#" * 5_000_000, "acme/.github .tether.yml: it is larger than 1 MB"),
    ],
)
def test_defaults_that_cannot_be_used_are_red_and_quoted(shop: Shop, content: bytes, said: str) -> None:
    shop.forge.add_repo(3, "acme/.github", {".tether.yml": content})
    run(shop, shop.open_pull())
    output = the_check(shop)
    assert output.conclusion == "failure"
    assert said.replace("`", "").replace("#", "") in output.summary.replace("\\", "").replace("`", "")
    assert shop.judge.seen == []
    shop.forge.comments(7)


# --- the language model ---------------------------------------------------------------------------------------------


class Mute:
    """A model that finds nothing; it counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    async def propose(self, system: str, prompt: str, schema: object) -> ModelAnswer:
        self.asked += 1
        return ModelAnswer(why="the model refused to answer")


@pytest.mark.parametrize(("fork", "asked"), [(False, 1), (True, 0)])
def test_a_model_is_asked_about_a_block_and_never_about_a_fork(shop: Shop, fork: bool, asked: int) -> None:  # noqa: FBT001 - parametrized
    model = Mute()
    context = replace(shop.context, ports=replace(shop.context.ports, advisor=model))
    shop.context, shop.work = context, JobRunner(context)
    run(shop, shop.open_pull(fork=fork))
    output = the_check(shop)
    assert (output.conclusion, model.asked) == ("failure", asked)
    assert ("Not softened: the model refused to answer" in output.summary) is not fork
    shop.forge.comments(7)


# --- suggestions ----------------------------------------------------------------------------------------------------

LATER = Advice("later", "Leave this out for now.", (Edit("migrations/2.sql", 1, 1, ""),), (DROP.strip(),))


def test_advice_on_changed_lines_is_a_suggestion_and_stays_one(shop: Shop) -> None:
    shop.judge.advice = LATER
    run(shop, shop.open_pull())
    run(shop, replace(review("d2", sha="head", second=2), reason="rerequested"))
    ((sha, suggestion),) = shop.forge.suggestions(7)
    assert (sha, suggestion.path, suggestion.first, suggestion.last) == ("head", "migrations/2.sql", 1, 1)
    assert suggestion.body.endswith("```suggestion\n```")
    assert "### A safe way" in the_check(shop).summary
    shop.forge.comments(7)


def test_a_suggestion_that_github_does_not_take_costs_nothing(shop: Shop) -> None:
    shop.judge.advice = LATER
    shop.forge.fail["ensure_suggestion"] = [Permanent("the line is not part of the diff")]
    assert run(shop, shop.open_pull()) == "done"
    assert the_check(shop).conclusion == "failure"
    shop.forge.comments(7)
