"""Webhooks: signed, subscribed, logged, delivered again, late, lost and out of order."""

from __future__ import annotations

import hashlib
import hmac
import json

from app.standin.github.hooks import sign
from tests.standin.github.conftest import R, Receiver, Tenant


def test_signature_of_the_published_vector() -> None:
    expected = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert expected == sign("It's a Secret to Everybody", b"Hello, World!")


def test_a_delivery_is_signed_and_says_who_it_is_for(tenant: Tenant, receiver: Receiver) -> None:
    number, sha = tenant.open_drop()
    tenant.world.wait_for_deliveries()
    headers, body = next(row for row in receiver.got if row[0]["x-github-event"] == "pull_request")
    digest = hmac.new(tenant.app.webhook_secret.encode(), body, hashlib.sha256).hexdigest()
    assert f"sha256={digest}" == headers["x-hub-signature-256"]
    assert ("application/json", str(tenant.app.hook_id), "integration", str(tenant.app.id)) == (
        headers["content-type"],
        headers["x-github-hook-id"],
        headers["x-github-hook-installation-target-type"],
        headers["x-github-hook-installation-target-id"],
    )
    assert headers["user-agent"].startswith("GitHub-Hookshot/")
    payload = json.loads(body)
    assert (tenant.installation.id, tenant.repo.id, "private", "main") == (
        payload["installation"]["id"],
        payload["repository"]["id"],
        payload["repository"]["visibility"],
        payload["repository"]["default_branch"],
    )
    pull = payload["pull_request"]
    assert (number, "open", False, False, sha) == (
        pull["number"],
        pull["state"],
        pull["draft"],
        pull["merged"],
        pull["head"]["sha"],
    )
    assert ("main", tenant.world.branch_head(tenant.repo, "main")) == (pull["base"]["ref"], pull["base"]["sha"])


def test_what_an_app_hears_of(tenant: Tenant, receiver: Receiver) -> None:
    number, sha = tenant.open_drop()
    tenant.world.comment(tenant.repo, number, "not subscribed to issue_comment")
    tenant.http.post(f"{R}/check-runs", json={"name": "tether", "head_sha": sha, "conclusion": "success"})
    tenant.world.wait_for_deliveries()
    assert receiver.events() == [
        ("ping", None),
        ("installation", "created"),
        ("push", None),
        ("check_suite", "requested"),
        ("pull_request", "opened"),
        ("check_run", "created"),
        ("check_run", "completed"),
        ("check_suite", "completed"),
    ]


def test_installation_events(tenant: Tenant, receiver: Receiver) -> None:
    other = tenant.world.create_repo("acme", "features", {"a.sql": "select 1"})
    tenant.world.wait_for_deliveries()
    receiver.got.clear()
    tenant.world.add_repositories(tenant.installation, other)
    tenant.world.remove_repositories(tenant.installation, tenant.repo)
    tenant.open_drop()
    tenant.world.suspend(tenant.installation)
    tenant.world.push(other, "x", {"b.sql": "select 1"})
    tenant.world.unsuspend(tenant.installation)
    tenant.world.uninstall(tenant.installation)
    tenant.world.wait_for_deliveries()
    assert receiver.events() == [
        ("installation_repositories", "added"),
        ("installation_repositories", "removed"),
        ("installation", "suspend"),
        ("installation", "unsuspend"),
        ("installation", "deleted"),
    ]
    removed = receiver.payload("installation_repositories", "removed")
    assert [row["full_name"] for row in removed["repositories_removed"]] == ["acme/warehouse"]
    assert [row["name"] for row in receiver.payload("installation")["repositories"]] == ["features"]


def test_a_failed_delivery_is_logged_and_delivered_again_with_its_guid(tenant: Tenant, receiver: Receiver) -> None:
    tenant.world.wait_for_deliveries()
    receiver.status = 503
    tenant.open_drop()
    tenant.world.wait_for_deliveries()
    receiver.status = 202
    failed = tenant.app_http.get("/app/hook/deliveries?status=failure").json()
    assert {"push", "check_suite", "pull_request"} == {row["event"] for row in failed}
    opened = next(row for row in failed if row["event"] == "pull_request")
    assert (503, "opened", tenant.installation.id, tenant.repo.id, False) == (
        opened["status_code"],
        opened["action"],
        opened["installation_id"],
        opened["repository_id"],
        opened["redelivery"],
    )
    detail = tenant.app_http.get(f"/app/hook/deliveries/{opened['id']}").json()
    assert (detail["request"]["payload"]["action"], detail["response"]["payload"]) == ("opened", "thanks")
    assert tenant.app_http.post(f"/app/hook/deliveries/{opened['id']}/attempts").status_code == 202
    tenant.world.wait_for_deliveries()
    (first, _), (again, _) = [row for row in receiver.got if row[0]["x-github-event"] == "pull_request"]
    assert first["x-github-delivery"] == again["x-github-delivery"]
    newest = tenant.app_http.get("/app/hook/deliveries?per_page=1").json()[0]
    assert (True, 202, opened["guid"]) == (newest["redelivery"], newest["status_code"], newest["guid"])
    assert tenant.app_http.get("/app/hook/deliveries/1").status_code == 404
    assert tenant.http.get("/app/hook/deliveries").status_code == 401


def test_the_log_is_paged_by_cursor(tenant: Tenant) -> None:
    tenant.open_drop()
    tenant.world.wait_for_deliveries()
    every = [row["id"] for row in tenant.app_http.get("/app/hook/deliveries").json()]
    seen, url = [], "/app/hook/deliveries?per_page=2"
    while url:
        answer = tenant.app_http.get(url)
        seen += [row["id"] for row in answer.json()]
        url = answer.links["next"]["url"] if "next" in answer.links else ""
    assert every == seen
    assert sorted(every, reverse=True) == every


def test_an_answer_that_takes_too_long_is_a_failure_and_is_not_retried(tenant: Tenant, receiver: Receiver) -> None:
    tenant.world.wait_for_deliveries()
    tenant.world.limits.delivery_timeout = 0.1
    receiver.delay = 0.4
    delivery = tenant.world.redeliver(tenant.world.deliveries(event="ping")[0])
    tenant.world.wait_for_deliveries()
    assert (delivery.status, delivery.ok) == ("timed out", False)
    assert len(tenant.world.deliveries(event="ping")) == 2
    receiver.delay = 0.0


def test_nobody_listening_is_a_failure(tenant: Tenant) -> None:
    tenant.world.wait_for_deliveries()
    config = tenant.app_http.patch("/app/hook/config", json={"url": "http://127.0.0.1:9/hook"}).json()
    assert (config["url"], config["secret"]) == ("http://127.0.0.1:9/hook", "********")
    tenant.open_drop()
    tenant.world.wait_for_deliveries()
    assert {"failed to connect to host"} == {row.status for row in tenant.world.deliveries(event="pull_request")}


def test_events_can_be_lost_held_and_reordered(tenant: Tenant, receiver: Receiver) -> None:
    tenant.world.wait_for_deliveries()
    receiver.got.clear()
    before = len(tenant.world.deliveries())
    tenant.world.lose_next_deliveries(3)
    tenant.open_drop()
    tenant.world.wait_for_deliveries()
    assert ([], before) == (receiver.events(), len(tenant.world.deliveries()))
    tenant.world.hold_deliveries()
    for n in range(2):
        tenant.world.push(tenant.repo, "drop", {f"f{n}.sql": "select 1"})
    assert [row.event for row in tenant.world.courier.held()] == ["push", "pull_request", "check_suite"] * 2
    tenant.world.release_deliveries([4, 1])
    tenant.world.wait_for_deliveries()
    heads = [json.loads(body)["after"] for _, body in receiver.got]
    assert [tenant.world.branch_head(tenant.repo, "drop"), heads[1]] == heads
    assert heads[0] != heads[1]


def test_a_payload_above_the_cap_is_never_sent(tenant: Tenant, receiver: Receiver) -> None:
    tenant.world.wait_for_deliveries()
    receiver.got.clear()
    tenant.world.limits.delivery_bytes = 1_000
    tenant.open_drop()
    tenant.world.wait_for_deliveries()
    assert receiver.events() == []


def test_a_push_names_its_commits_and_files(tenant: Tenant, receiver: Receiver) -> None:
    tenant.world.push(tenant.repo, "drop", {"a.sql": "select 1"}, "Add a")
    tenant.world.wait_for_deliveries()
    created = receiver.payload("push")
    assert (created["created"], [row["message"] for row in created["commits"]]) == (True, ["Add a"])
    after = tenant.world.push(tenant.repo, "drop", {"a.sql": "select 2", "README.md": None, "b.sql": ""}, "Change")
    tenant.world.wait_for_deliveries()
    push = receiver.payload("push")
    assert (push["ref"], push["after"], push["forced"], len(push["commits"])) == ("refs/heads/drop", after, False, 1)
    head = push["head_commit"]
    assert (head["added"], head["removed"], head["modified"]) == (["b.sql"], ["README.md"], ["a.sql"])
    assert push["commits"][0]["id"] == head["id"] == after
