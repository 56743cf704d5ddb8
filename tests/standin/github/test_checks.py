"""Check runs as an App writes them, and everything GitHub refuses; commit statuses."""

from __future__ import annotations

from typing import Any

import pytest

from app.standin.github import GitHubError
from tests.keys import app_key
from tests.standin.github.conftest import R, Receiver, Tenant, make_jwt


def annotation(**more: Any) -> dict[str, Any]:
    return {"path": "a.sql", "start_line": 1, "end_line": 1, "annotation_level": "failure", "message": "lost", **more}


def output(**more: Any) -> dict[str, Any]:
    return {"title": "Blocked", "summary": "One model loses an input.", **more}


def create(tenant: Tenant, sha: str, **more: Any) -> int:
    answer = tenant.http.post(f"{R}/check-runs", json={"name": "tether", "head_sha": sha, **more})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


def test_a_run_from_queued_to_concluded(tenant: Tenant) -> None:
    number, sha = tenant.open_drop()
    run_id = create(tenant, sha, external_id="job-1", details_url="https://tether.example/r/1")
    url = f"{R}/check-runs/{run_id}"
    assert _state(tenant, run_id) == ("queued", None)
    assert tenant.http.patch(url, json={"status": "in_progress"}).json()["status"] == "in_progress"
    body = {"conclusion": "failure", "output": output(annotations=[annotation()] * 50)}
    first = tenant.http.patch(url, json=body).json()
    assert (first["status"], first["conclusion"], first["output"]["annotations_count"]) == ("completed", "failure", 50)
    assert first["completed_at"] is not None
    more = tenant.http.patch(url, json={"output": output(annotations=[annotation(start_line=7, end_line=7)])}).json()
    assert (more["output"]["annotations_count"], more["conclusion"]) == (51, "failure")
    pages = [tenant.http.get(f"{url}/annotations?per_page=50&page={page}").json() for page in (1, 2)]
    assert [len(page) for page in pages] == [50, 1]
    assert pages[1][0]["start_line"] == 7
    assert ("job-1", [number]) == (more["external_id"], [pull["number"] for pull in more["pull_requests"]])
    again = tenant.http.patch(url, json={"status": "in_progress"}).json()
    assert (again["status"], again["conclusion"], again["completed_at"]) == ("in_progress", None, None)


def _state(tenant: Tenant, run_id: int) -> tuple[str, str | None]:
    run = tenant.world.check_run(run_id)
    return run.status, run.conclusion


REFUSED: list[dict[str, Any]] = [
    {"output": output(annotations=[annotation()] * 51)},
    {"output": output(summary="x" * 65_536)},
    {"output": output(summary="\u00e9" * 32_768)},  # 65,536 bytes in 32,768 characters
    {"output": output(text="x" * 65_536)},
    {"output": output(title="x" * 256)},
    {"output": {"summary": "no title"}},
    {"output": {"title": "no summary"}},
    {"output": output(annotations=[annotation(annotation_level="error")])},
    {"output": output(annotations=[annotation(end_line=2, start_column=1)])},
    {"output": output(annotations=[annotation(start_line=2)])},
    {"output": output(annotations=[annotation(start_line=None)])},
    {"output": output(annotations=[annotation(title="x" * 256)])},
    {"output": output(annotations=[annotation(message="x" * 65_537)])},
    {"output": output(annotations=[{"path": "a.sql"}])},
    {"actions": [{"label": "a", "description": "b", "identifier": "c"}] * 4},
    {"actions": [{"label": "x" * 21, "description": "b", "identifier": "c"}]},
    {"actions": [{"label": "a", "description": "x" * 41, "identifier": "c"}]},
    {"actions": [{"label": "a", "description": "b", "identifier": "x" * 21}]},
    {"actions": [{"label": "a"}]},
    {"status": "completed"},
    {"status": "waiting"},
    {"status": "done"},
    {"conclusion": "stale"},
    {"conclusion": "passed"},
    {"details_url": "ftp://tether.example"},
    {"started_at": "yesterday"},
    {"external_id": None},
    {"unknown_key": 1},
    {"head_sha": "0" * 40},
    {"head_sha": "main"},
    {"name": 7},
]


def test_what_a_run_may_not_hold(tenant: Tenant) -> None:
    sha = tenant.world.branch_head(tenant.repo, "main")
    for body in REFUSED:
        answer = tenant.http.post(f"{R}/check-runs", json={"name": "tether", "head_sha": sha, **body})
        assert (answer.status_code, answer.json()["status"]) == (422, "422"), body
    assert tenant.world.check_runs(tenant.repo, sha) == ()


def test_a_refused_update_changes_nothing(tenant: Tenant) -> None:
    run_id = create(tenant, tenant.world.branch_head(tenant.repo, "main"), status="in_progress")
    body = {"conclusion": "success", "output": output(text="x" * 65_536)}
    answer = tenant.http.patch(f"{R}/check-runs/{run_id}", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["message"] == "text exceeds a maximum bytesize of 65535"
    assert _state(tenant, run_id) == ("in_progress", None)


def test_exactly_the_limits_are_accepted(tenant: Tenant) -> None:
    text = "\u00e9" * 32_767 + "x"
    action = {"label": "x" * 20, "description": "x" * 40, "identifier": "x" * 20}
    body = output(title="x" * 255, summary=text, text=text, annotations=[annotation()] * 50)
    sha = tenant.world.branch_head(tenant.repo, "main")
    run_id = create(tenant, sha, conclusion="success", output=body, actions=[action] * 3)
    assert (text, 50, 3) == (
        tenant.world.check_run(run_id).summary,
        len(tenant.world.check_run(run_id).annotations),
        len(tenant.world.check_run(run_id).actions),
    )


def test_only_the_owner_updates_a_run(tenant: Tenant) -> None:
    run_id = create(tenant, tenant.world.branch_head(tenant.repo, "main"))
    other = tenant.world.create_app("Other", {"checks": "write"}, private_key_pem=app_key(1))
    installed = tenant.world.install(other, "acme")
    with tenant.client(make_jwt(other)) as signed:
        token = signed.post(f"/app/installations/{installed.id}/access_tokens").json()["token"]
    with tenant.client(token) as http:
        answer = http.patch(f"{R}/check-runs/{run_id}", json={"conclusion": "success"})
    assert (answer.status_code, "Invalid app_id" in answer.json()["message"]) == (403, True)
    assert _state(tenant, run_id) == ("queued", None)


def test_runs_of_a_commit_can_be_found(tenant: Tenant) -> None:
    _, sha = tenant.open_drop()
    old, new, lint = create(tenant, sha), create(tenant, sha), create(tenant, sha, name="lint")
    url = f"{R}/commits/{sha}/check-runs"

    def ids(query: str) -> list[int]:
        answer = tenant.http.get(url + query).json()
        assert answer["total_count"] == len(answer["check_runs"])
        return [run["id"] for run in answer["check_runs"]]

    assert [new] == ids(f"?check_name=tether&app_id={tenant.app.id}&filter=latest")
    assert [lint, new] == ids("")
    assert [lint, new, old] == ids("?filter=all")
    assert ids("?app_id=1") == []
    assert ids("?status=completed") == []
    assert len(tenant.world.check_runs(tenant.repo, sha)) == 3


def test_rerun_resets_the_suite_and_tells_only_the_owner(tenant: Tenant, receiver: Receiver) -> None:
    number, sha = tenant.open_drop()
    run_id = create(tenant, sha, conclusion="failure", output=output())
    suite = tenant.world.check_run(run_id).suite
    tenant.world.create_app("Nosy", {"checks": "write"}, webhook_url=receiver.url)
    tenant.world.install(tenant.world.state.apps[tenant.app.id + 1], "acme")
    tenant.world.wait_for_deliveries()
    receiver.got.clear()
    tenant.world.rerequest(run_id)
    tenant.world.wait_for_deliveries()
    assert receiver.events() == [("check_run", "rerequested")]
    payload = receiver.payload("check_run")
    assert (run_id, tenant.app.id, tenant.installation.id) == (
        payload["check_run"]["id"],
        payload["check_run"]["app"]["id"],
        payload["installation"]["id"],
    )
    assert [number] == [pull["number"] for pull in payload["check_run"]["pull_requests"]]
    assert _state(tenant, run_id) == ("completed", "failure")
    assert tenant.http.get(f"{R}/check-suites/{suite.id}").json()["status"] == "queued"
    create(tenant, sha, conclusion="success")
    assert tenant.http.get(f"{R}/check-suites/{suite.id}").json()["conclusion"] == "success"
    assert tenant.http.post(f"{R}/check-runs/{create(tenant, sha)}/rerequest").status_code == 422


def test_buttons(tenant: Tenant, receiver: Receiver) -> None:
    action = {"label": "Acknowledge", "description": "I know", "identifier": "ack"}
    _, sha = tenant.open_drop()
    run_id = create(tenant, sha, status="in_progress", actions=[action])
    with pytest.raises(GitHubError, match="no button"):
        tenant.world.press(run_id, "ack")
    tenant.http.patch(f"{R}/check-runs/{run_id}", json={"conclusion": "action_required", "actions": [action]})
    with pytest.raises(GitHubError, match="no button"):
        tenant.world.press(run_id, "other")
    tenant.world.press(run_id, "ack")
    tenant.world.wait_for_deliveries()
    payload = receiver.payload("check_run", "requested_action")
    assert (payload["requested_action"], payload["sender"]["login"]) == ({"identifier": "ack"}, "sandbox-dev")


def test_a_forks_run_names_no_pull_request_and_no_branch(tenant: Tenant, receiver: Receiver) -> None:
    fork = tenant.world.fork(tenant.repo, tenant.world.create_user("zoe"))
    sha = tenant.world.push(fork, "drop", {"x.sql": "select 1"})
    tenant.world.open_pull(fork, "drop", fork_of=tenant.repo)
    create(tenant, sha)
    tenant.world.wait_for_deliveries()
    run = receiver.payload("check_run", "created")["check_run"]
    assert ([], None, sha) == (run["pull_requests"], run["check_suite"]["head_branch"], run["head_sha"])


def test_suites_conclude_as_their_worst_run(tenant: Tenant) -> None:
    _, sha = tenant.open_drop()
    create(tenant, sha, name="a", conclusion="success")
    create(tenant, sha, name="b", conclusion="action_required")
    suites = tenant.http.get(f"{R}/commits/{sha}/check-suites?app_id={tenant.app.id}").json()
    assert (
        suites["total_count"],
        suites["check_suites"][0]["status"],
        suites["check_suites"][0]["conclusion"],
    ) == (1, "completed", "action_required")


def test_statuses(tenant: Tenant) -> None:
    _, sha = tenant.open_drop()
    url = f"{R}/statuses/{sha}"
    assert tenant.http.get(f"{R}/commits/{sha}/status").json()["state"] == "pending"
    for state, context in (("pending", "tether"), ("success", "tether"), ("error", "ci")):
        body = {"state": state, "context": context, "description": "x" * 140}
        assert tenant.http.post(url, json=body).status_code == 201
    combined = tenant.http.get(f"{R}/commits/drop/status").json()
    assert (combined["state"], combined["total_count"]) == ("failure", 2)
    assert {row["context"]: row["state"] for row in combined["statuses"]} == {"tether": "success", "ci": "error"}
    assert len(tenant.http.get(f"{R}/commits/{sha}/statuses").json()) == 3
    for body in ({"state": "success", "description": "x" * 141}, {"state": "neutral"}, {}):
        assert tenant.http.post(url, json=body).status_code == 422
    assert tenant.http.post(f"{R}/statuses/{'0' * 40}", json={"state": "success"}).status_code == 422
