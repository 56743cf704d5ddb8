"""Pull requests from opening to merging: heads, forks, comments, required checks, the queue."""

from __future__ import annotations

from typing import Any

import pytest

from app.standin.github import GitHubError
from tests.keys import app_key
from tests.standin.github.conftest import R, Receiver, Tenant, make_jwt


def test_listing_and_reading(tenant: Tenant) -> None:
    number, sha = tenant.open_drop()
    other = tenant.world.push(tenant.repo, "other", {"x.sql": "select 1"})
    second = tenant.world.open_pull(tenant.repo, "other", title="Other", draft=True)
    tenant.world.close_pull(tenant.repo, second)

    def numbers(query: str) -> list[int]:
        return [pull["number"] for pull in tenant.http.get(f"{R}/pulls{query}").json()]

    assert [number] == numbers("")
    assert [second, number] == numbers("?state=all")
    assert [second] == numbers("?state=closed")
    assert [number] == numbers("?head=acme:drop")
    assert numbers("?base=release") == []
    assert [number] == [pull["number"] for pull in tenant.http.get(f"{R}/commits/{sha}/pulls").json()]
    first, later = tenant.http.get(f"{R}/pulls/{number}").json(), tenant.http.get(f"{R}/pulls/{number}").json()
    assert (first["mergeable"], later["mergeable"], later["mergeable_state"]) == (None, True, "clean")
    assert (sha, "acme:drop", tenant.repo.id) == (
        later["head"]["sha"],
        later["head"]["label"],
        later["head"]["repo"]["id"],
    )
    assert (later["commits"], later["changed_files"], later["additions"], later["deletions"]) == (1, 1, 1, 0)
    assert (True, other) == (
        tenant.world.pull(tenant.repo, second).draft,
        tenant.world.pull(tenant.repo, second).head_sha,
    )
    assert tenant.http.get(f"{R}/pulls/99").status_code == 404


def test_a_push_moves_the_head(tenant: Tenant, receiver: Receiver) -> None:
    number, before = tenant.open_drop()
    after = tenant.world.push(tenant.repo, "drop", {"more.sql": "select 1"})
    tenant.world.wait_for_deliveries()
    payload = receiver.payload("pull_request", "synchronize")
    assert (before, after, after) == (payload["before"], payload["after"], payload["pull_request"]["head"]["sha"])
    assert after == tenant.http.get(f"{R}/git/ref/pull/{number}/head").json()["object"]["sha"]
    assert [before, after] == [row["sha"] for row in tenant.http.get(f"{R}/pulls/{number}/commits").json()]
    forced = tenant.world.push(tenant.repo, "drop", {"again.sql": "select 1"}, parent="main")
    tenant.world.wait_for_deliveries()
    assert True is receiver.payload("push")["forced"]
    assert [row["filename"] for row in tenant.http.get(f"{R}/pulls/{number}/files").json()] == ["again.sql"]
    assert forced == tenant.world.pull(tenant.repo, number).head_sha


def test_reads_can_lag_behind_a_push(tenant: Tenant) -> None:
    number, before = tenant.open_drop()
    after = tenant.world.push(tenant.repo, "drop", {"more.sql": "select 1"})
    tenant.world.lag(tenant.repo, number, head_sha=before, reads=2)
    seen = [tenant.http.get(f"{R}/pulls/{number}").json()["head"]["sha"] for _ in range(3)]
    assert [before, before, after] == seen


def test_edits_say_what_changed(tenant: Tenant, receiver: Receiver) -> None:
    number, _ = tenant.open_drop()
    base = tenant.world.branch_head(tenant.repo, "main")
    release = tenant.world.push(tenant.repo, "release", {"r.sql": "select 1"})
    tenant.world.update_pull(tenant.repo, number, base="release")
    tenant.world.wait_for_deliveries()
    payload = receiver.payload("pull_request", "edited")
    assert {"base": {"ref": {"from": "main"}, "sha": {"from": base}}} == payload["changes"]
    assert ("release", release) == (payload["pull_request"]["base"]["ref"], payload["pull_request"]["base"]["sha"])
    tenant.world.update_pull(tenant.repo, number, title="New title", draft=True)
    tenant.world.wait_for_deliveries()
    assert receiver.payload("pull_request", "edited")["changes"] == {"title": {"from": "Drop discount_pct"}}
    assert True is receiver.payload("pull_request", "converted_to_draft")["pull_request"]["draft"]


def test_closing_reopening_and_a_deleted_branch(tenant: Tenant, receiver: Receiver) -> None:
    number, _ = tenant.open_drop()
    tenant.world.close_pull(tenant.repo, number)
    tenant.world.reopen_pull(tenant.repo, number)
    tenant.world.delete_branch(tenant.repo, "drop")
    tenant.world.wait_for_deliveries()
    actions = [action for event, action in receiver.events() if event == "pull_request"]
    assert actions == ["opened", "closed", "reopened", "closed"]
    push = receiver.payload("push")
    assert (push["deleted"], push["after"], push["head_commit"]) == (True, "0" * 40, None)
    with pytest.raises(GitHubError, match="422"):
        tenant.world.reopen_pull(tenant.repo, number)


def test_a_pull_request_needs_something_new(tenant: Tenant) -> None:
    number, _ = tenant.open_drop()
    with pytest.raises(GitHubError) as twice:
        tenant.world.open_pull(tenant.repo, "drop")
    assert twice.value.errors[0]["message"] == "A pull request already exists for acme:drop."
    tenant.world.move_branch(tenant.repo, "same", tenant.world.branch_head(tenant.repo, "main"))
    with pytest.raises(GitHubError) as empty:
        tenant.world.open_pull(tenant.repo, "same")
    assert empty.value.errors[0]["message"] == "No commits between main and same"
    assert [number] == [pull["number"] for pull in tenant.http.get(f"{R}/pulls?state=all").json()]


def test_a_deleted_fork_leaves_a_null_head_repository(tenant: Tenant, receiver: Receiver) -> None:
    fork = tenant.world.fork(tenant.repo, tenant.world.create_user("zoe"))
    sha = tenant.world.push(fork, "drop", {"x.sql": "select 1"})
    number = tenant.world.open_pull(fork, "drop", fork_of=tenant.repo, by="zoe")
    tenant.world.wait_for_deliveries()
    opened = receiver.payload("pull_request", "opened")["pull_request"]
    assert (
        opened["head"]["repo"]["full_name"],
        opened["head"]["repo"]["fork"],
        opened["head"]["label"],
    ) == ("zoe/warehouse", True, "zoe:drop")
    tenant.world.delete_fork(fork)
    pull = tenant.http.get(f"{R}/pulls/{number}").json()
    assert (None, sha, "open") == (pull["head"]["repo"], pull["head"]["sha"], pull["state"])
    assert [row["filename"] for row in tenant.http.get(f"{R}/pulls/{number}/files").json()] == ["x.sql"]
    tenant.world.close_pull(tenant.repo, number)
    tenant.world.wait_for_deliveries()
    assert None is receiver.payload("pull_request", "closed")["pull_request"]["head"]["repo"]


def test_comments(tenant: Tenant) -> None:
    number, _ = tenant.open_drop()
    url = f"{R}/issues/{number}/comments"
    created = tenant.http.post(url, json={"body": "<!-- tether --> \U0001f600"}).json()
    assert ("tether[bot]", "Bot", tenant.app.id) == (
        created["user"]["login"],
        created["user"]["type"],
        created["performed_via_github_app"]["id"],
    )
    tenant.world.comment(tenant.repo, number, "<!-- tether --> forged")
    assert [row["user"]["login"] for row in tenant.http.get(url).json()] == ["tether[bot]", "sandbox-dev"]
    one = f"{R}/issues/comments/{created['id']}"
    assert tenant.http.patch(one, json={"body": "edited"}).json()["body"] == "edited"
    assert tenant.http.post(url, json={"body": "x" * 65_536}).status_code == 201
    for body in ({"body": "x" * 65_537}, {"body": " "}, {}, {"body": 1}):
        assert tenant.http.post(url, json=body).status_code == 422
    assert tenant.http.delete(one).status_code == 204
    assert tenant.http.patch(one, json={"body": "gone"}).status_code == 404
    assert tenant.http.post(f"{R}/issues/99/comments", json={"body": "x"}).status_code == 404
    assert len(tenant.world.comments(tenant.repo, number)) == 2


def test_comments_need_pull_requests_not_issues(tenant: Tenant) -> None:
    number, _ = tenant.open_drop()
    tenant.world.change_permissions(tenant.app, {"issues": "write", "pull_requests": "read"})
    tenant.world.accept_permissions(tenant.installation)
    with tenant.client(tenant.token()) as http:
        assert http.get(f"{R}/issues/{number}/comments").status_code == 200
        assert http.post(f"{R}/issues/{number}/comments", json={"body": "x"}).status_code == 403


def conclude(tenant: Tenant, sha: str, conclusion: str | None) -> None:
    body = {"name": "tether", "head_sha": sha, **({"conclusion": conclusion} if conclusion else {})}
    assert tenant.http.post(f"{R}/check-runs", json=body).status_code == 201


def merge(tenant: Tenant, number: int, **body: Any) -> tuple[int, str]:
    answer = tenant.http.put(f"{R}/pulls/{number}/merge", json=body)
    return answer.status_code, answer.json()["message"]


@pytest.mark.parametrize("conclusion", ["failure", "cancelled", "timed_out", "action_required"])
def test_a_required_check_that_failed_refuses_the_merge(tenant: Tenant, conclusion: str) -> None:
    number, sha = tenant.open_drop()
    tenant.world.protect(tenant.repo, "main", {"tether": tenant.app})
    conclude(tenant, sha, conclusion)
    assert merge(tenant, number) == (405, 'Required status check "tether" is failing.')
    with pytest.raises(GitHubError, match="405"):
        tenant.world.merge(tenant.repo, number)
    tenant.http.get(f"{R}/pulls/{number}")
    assert tenant.http.get(f"{R}/pulls/{number}").json()["mergeable_state"] == "blocked"


@pytest.mark.parametrize("conclusion", ["success", "neutral", "skipped"])
def test_a_required_check_that_passed_lets_it_through(tenant: Tenant, receiver: Receiver, conclusion: str) -> None:
    number, sha = tenant.open_drop()
    tenant.world.protect(tenant.repo, "main", {"tether": tenant.app})
    assert merge(tenant, number) == (405, 'Required status check "tether" is expected.')
    conclude(tenant, sha, None)
    assert merge(tenant, number) == (405, 'Required status check "tether" is in progress.')
    conclude(tenant, sha, conclusion)
    assert merge(tenant, number, sha=sha) == (200, "Pull Request successfully merged")
    tenant.world.wait_for_deliveries()
    closed = receiver.payload("pull_request", "closed")["pull_request"]
    assert (closed["merged"], closed["state"], closed["merged_by"]["login"]) == (True, "closed", "tether[bot]")
    assert closed["merge_commit_sha"] == tenant.world.branch_head(tenant.repo, "main")
    assert merge(tenant, number) == (405, "Pull Request is not mergeable")


def test_only_the_pinned_app_satisfies_a_required_check(tenant: Tenant) -> None:
    number, sha = tenant.open_drop()
    zoe = tenant.world.create_user("zoe")
    with tenant.client(zoe.token) as http:
        http.post(f"{R}/statuses/{sha}", json={"state": "success", "context": "tether"})
    tenant.world.protect(tenant.repo, "main", {"tether": tenant.app})
    assert merge(tenant, number) == (405, 'Required status check "tether" is expected.')
    other = tenant.world.create_app("Other", {"checks": "write"}, private_key_pem=app_key(1))
    with tenant.client(make_jwt(other)) as signed:
        installed = tenant.world.install(other, "acme")
        token = signed.post(f"/app/installations/{installed.id}/access_tokens").json()["token"]
    with tenant.client(token) as http:
        body = {"name": "tether", "head_sha": sha, "conclusion": "success"}
        assert http.post(f"{R}/check-runs", json=body).status_code == 201
    assert merge(tenant, number) == (405, 'Required status check "tether" is expected.')
    tenant.world.protect(tenant.repo, "main", ["tether"])
    assert merge(tenant, number)[0] == 200


def test_an_older_heads_success_does_not_count(tenant: Tenant) -> None:
    number, old = tenant.open_drop()
    tenant.world.protect(tenant.repo, "main", {"tether": tenant.app})
    conclude(tenant, old, "success")
    new = tenant.world.push(tenant.repo, "drop", {"more.sql": "select 1"})
    assert (merge(tenant, number, sha=old)[0], merge(tenant, number, sha=new)[0]) == (409, 405)


def test_a_check_and_a_status_of_one_name_are_both_required(tenant: Tenant) -> None:
    number, sha = tenant.open_drop()
    tenant.world.protect(tenant.repo, "main", ["tether"])
    conclude(tenant, sha, "success")
    tenant.http.post(f"{R}/statuses/{sha}", json={"state": "failure", "context": "tether"})
    assert merge(tenant, number)[0] == 405
    tenant.http.post(f"{R}/statuses/{sha}", json={"state": "success", "context": "tether"})
    assert merge(tenant, number)[0] == 200


def test_protection_over_the_api(tenant: Tenant) -> None:
    url = f"{R}/branches/main/protection"
    _, sha = tenant.open_drop()
    assert tenant.http.get(url).json()["message"] == "Branch not protected"
    conclude(tenant, sha, "success")
    rows = [{"context": "tether", "app_id": tenant.app.id}, {"context": "any", "app_id": -1}, {"context": "tether"}]
    body = {"required_status_checks": {"strict": True, "contexts": [], "checks": rows}, "enforce_admins": True}
    assert tenant.http.put(url, json=body).status_code == 422
    body |= {"required_pull_request_reviews": None, "restrictions": None}
    checks = tenant.http.put(url, json=body).json()["required_status_checks"]
    assert (checks["strict"], checks["contexts"]) == (True, ["tether", "any", "tether"])
    assert [tenant.app.id, None, tenant.app.id] == [row["app_id"] for row in checks["checks"]]
    branch = tenant.http.get(f"{R}/branches/main").json()
    assert (
        branch["protected"],
        branch["protection"]["required_status_checks"]["enforcement_level"],
    ) == (True, "everyone")
    assert tenant.http.delete(url).status_code == 204
    assert tenant.http.get(f"{R}/branches/nowhere/protection").status_code == 404
    with tenant.client(tenant.token(permissions={"contents": "write"})) as http:
        assert http.put(url, json=body).status_code == 403


def test_strict_protection_wants_the_latest_base(tenant: Tenant) -> None:
    number, sha = tenant.open_drop()
    tenant.world.protect(tenant.repo, "main", {"tether": tenant.app}, strict=True)
    conclude(tenant, sha, "success")
    tenant.world.push(tenant.repo, "main", {"later.sql": "select 1"})
    assert (merge(tenant, number)[0], "out of date" in merge(tenant, number)[1]) == (405, True)


@pytest.mark.parametrize(("method", "parents", "commits"), [("merge", 2, 3), ("squash", 1, 1), ("rebase", 1, 2)])
def test_ways_to_merge(tenant: Tenant, method: str, parents: int, commits: int) -> None:
    text = "".join(f"line {n}\n" for n in range(9))
    tenant.world.push(tenant.repo, "main", {"both.sql": text})
    tenant.world.push(tenant.repo, "drop", {"both.sql": text.replace("line 0", "first")})
    tenant.world.push(tenant.repo, "drop", {"new.sql": "select 1;\n"})
    number = tenant.world.open_pull(tenant.repo, "drop")
    start = tenant.world.push(tenant.repo, "main", {"both.sql": text.replace("line 8", "last")})
    assert merge(tenant, number, merge_method=method)[0] == 200
    head = tenant.http.get(f"{R}/commits/main").json()
    compared = tenant.http.get(f"{R}/compare/{start}...main").json()
    assert (parents, commits) == (len(head["parents"]), compared["ahead_by"])
    merged = tenant.world.state.git(tenant.repo).run("show", "main:both.sql").decode()
    assert text.replace("line 0", "first").replace("line 8", "last") == merged


def test_conflicts_drafts_and_nonsense_are_not_mergeable(tenant: Tenant) -> None:
    tenant.world.push(tenant.repo, "drop", {"README.md": "theirs\n"})
    number = tenant.world.open_pull(tenant.repo, "drop")
    assert merge(tenant, number, merge_method="octopus")[0] == 422
    tenant.world.update_pull(tenant.repo, number, draft=True)
    assert merge(tenant, number) == (405, "Pull Request is still a draft")
    tenant.world.update_pull(tenant.repo, number, draft=False)
    tenant.world.push(tenant.repo, "main", {"README.md": "ours\n"})
    assert merge(tenant, number) == (405, "Pull Request is not mergeable")
    tenant.http.get(f"{R}/pulls/{number}")
    pull = tenant.http.get(f"{R}/pulls/{number}").json()
    assert (pull["mergeable"], pull["mergeable_state"]) == (False, "dirty")


def test_a_head_that_was_pushed_to_the_base_is_merged(tenant: Tenant) -> None:
    number, sha = tenant.open_drop()
    tenant.world.move_branch(tenant.repo, "main", sha)
    pull = tenant.http.get(f"{R}/pulls/{number}").json()
    assert (pull["state"], pull["merged"], pull["changed_files"]) == ("closed", True, 1)


def test_the_merge_queue_names_its_group(tenant: Tenant, receiver: Receiver) -> None:
    first, _ = tenant.open_drop()
    tenant.world.push(tenant.repo, "other", {"x.sql": "select 1"})
    second = tenant.world.open_pull(tenant.repo, "other")
    base = tenant.world.branch_head(tenant.repo, "main")
    head = tenant.world.queue_merge(tenant.repo, first, second)
    tenant.world.wait_for_deliveries()
    group = receiver.payload("merge_group", "checks_requested")["merge_group"]
    assert (head, base, "refs/heads/main") == (group["head_sha"], group["base_sha"], group["base_ref"])
    assert f"refs/heads/gh-readonly-queue/main/pr-{second}-{base}" == group["head_ref"]
    files = {row["filename"] for row in tenant.http.get(f"{R}/compare/{base}...{head}").json()["files"]}
    assert {"migrations/0002_drop.sql", "x.sql"} == files
    conclude(tenant, head, "success")
    tenant.world.leave_queue(tenant.repo, head, reason="invalidated")
    tenant.world.wait_for_deliveries()
    assert receiver.payload("merge_group", "destroyed")["reason"] == "invalidated"


def test_an_archived_repository_is_read_only(tenant: Tenant) -> None:
    number, _ = tenant.open_drop()
    tenant.world.archive(tenant.repo)
    assert tenant.http.post(f"{R}/issues/{number}/comments", json={"body": "x"}).status_code == 403
    assert True is tenant.http.get(R).json()["archived"]


def test_admins_bypass_protection_that_spares_them(tenant: Tenant) -> None:
    number, _ = tenant.open_drop()
    root = tenant.world.create_user("root", admin=True)
    rules = {"required_status_checks": {"strict": False, "contexts": ["tether"]}, "restrictions": None}
    spared = {**rules, "enforce_admins": None, "required_pull_request_reviews": None}
    assert tenant.http.put(f"{R}/branches/main/protection", json={**spared, "enforce_admins": True}).status_code == 200
    with tenant.client(root.token) as http:
        assert http.put(f"{R}/pulls/{number}/merge", json={}).status_code == 405
        assert tenant.http.put(f"{R}/branches/main/protection", json=spared).status_code == 200
        assert merge(tenant, number)[0] == 405
        assert http.put(f"{R}/pulls/{number}/merge", json={}).status_code == 200


def test_opening_and_editing_over_the_api(tenant: Tenant, receiver: Receiver) -> None:
    zoe = tenant.world.create_user("zoe")
    fork = tenant.world.fork(tenant.repo, zoe)
    sha = tenant.world.push(fork, "drop", {"x.sql": "select 1"}, by=zoe)
    with tenant.client(zoe.token) as http:
        opened = http.post(f"{R}/pulls", json={"title": "Mine", "head": "zoe:drop", "base": "main"})
        assert (opened.status_code, opened.json()["head"]["sha"], opened.json()["user"]["login"]) == (201, sha, "zoe")
        url = f"{R}/pulls/{opened.json()['number']}"
        assert http.patch(url, json={"title": "Yours", "state": "closed"}).json()["state"] == "closed"
        assert http.patch(url, json={"state": "open"}).json()["title"] == "Yours"
        refused = [{"title": "x", "head": "nobody:drop", "base": "main"}, {"title": "x", "head": "drop"}, {"title": 1}]
        assert [http.post(f"{R}/pulls", json=body).status_code for body in refused] == [422, 422, 422]
    tenant.world.wait_for_deliveries()
    actions = [action for event, action in receiver.events() if event == "pull_request"]
    assert actions == ["opened", "edited", "closed", "reopened"]
