"""Who may do what: JWTs, installation tokens and their narrowing, users, nobody."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from githubkit import AppAuthStrategy, GitHub

from app.standin.github import GitHubError, GitHubWorld, ServingGitHub
from tests.keys import app_key
from tests.standin.github.conftest import R, Tenant, make_jwt


def test_app_sees_itself_and_its_installation(tenant: Tenant) -> None:
    app = tenant.app_http.get("/app").json()
    assert (tenant.app.id, "tether", 1) == (app["id"], app["slug"], app["installations_count"])
    listed = tenant.app_http.get("/app/installations").json()
    found = tenant.app_http.get(f"{R}/installation").json()
    assert [tenant.installation.id] == [row["id"] for row in listed]
    assert (tenant.installation.id, "acme", "selected") == (
        found["id"],
        found["account"]["login"],
        found["repository_selection"],
    )


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ({"exp": 3_600}, "too far in the future"),
        ({"exp": -1}, "future time at which the assertion expires"),
        ({"iat": 300}, "time that the assertion was issued"),
    ],
)
def test_jwt_times_are_checked(tenant: Tenant, claims: dict[str, int], message: str) -> None:
    """`claims` are seconds from now: a suite may run for minutes before it comes here."""
    times = {name: int(time.time()) + seconds for name, seconds in claims.items()}
    with tenant.client(make_jwt(tenant.app, **times)) as http:
        answer = http.get("/app")
    assert answer.status_code == 401
    assert message in answer.json()["message"]


def test_jwt_of_another_key_is_refused(tenant: Tenant) -> None:
    other = tenant.world.create_app("Other", {"contents": "read"}, private_key_pem=app_key(1))
    forged = make_jwt(other, iss=tenant.app.client_id)
    with tenant.client(forged) as http:
        answer = http.get("/app")
    assert (answer.status_code, answer.json()["message"]) == (401, "A JSON web token could not be decoded")


def test_jwt_of_an_unknown_app(tenant: Tenant) -> None:
    with tenant.client(make_jwt(tenant.app, iss="424242")) as http:
        answer = http.get("/app")
    assert (answer.status_code, answer.json()["message"]) == (404, "Integration not found")


def test_other_apps_installation_is_not_found(tenant: Tenant) -> None:
    other = tenant.world.create_app("Other", {"contents": "read"}, private_key_pem=app_key(1))
    with tenant.client(make_jwt(other)) as http:
        assert http.post(f"/app/installations/{tenant.installation.id}/access_tokens").status_code == 404


def test_token_expires(tenant: Tenant) -> None:
    assert tenant.http.get(R).status_code == 200
    tenant.world.clock.skip(3_601)
    answer = tenant.http.get(R)
    assert (answer.status_code, answer.json()["message"]) == (401, "Bad credentials")
    with tenant.client(tenant.token()) as fresh:
        assert fresh.get(R).status_code == 200


def test_token_is_narrowed_by_permission(tenant: Tenant) -> None:
    with tenant.client(tenant.token(permissions={"contents": "read"})) as http:
        assert http.get(f"{R}/contents/README.md").status_code == 200
        answer = http.post(f"{R}/check-runs", json={"name": "tether", "head_sha": "0" * 40})
    assert (answer.status_code, answer.json()["message"]) == (403, "Resource not accessible by integration")
    assert answer.headers["x-accepted-github-permissions"] == "checks=write"


def test_token_is_narrowed_by_repository(tenant: Tenant) -> None:
    other = tenant.world.create_repo("acme", "features", {"a.sql": "select 1"})
    tenant.world.add_repositories(tenant.installation, other)
    with tenant.client(tenant.token(repository_ids=[other.id])) as http:
        assert http.get(R).status_code == 404
        listed = http.get("/installation/repositories").json()
    assert (listed["total_count"], [row["name"] for row in listed["repositories"]]) == (1, ["features"])


@pytest.mark.parametrize(
    "body",
    [
        {"permissions": {"contents": "admin"}},
        {"permissions": {"issues": "read"}},
        {"repositories": ["elsewhere"]},
        {"repository_ids": [1]},
        {"repositories": [f"r{n}" for n in range(501)]},
    ],
)
def test_token_cannot_be_widened(tenant: Tenant, body: dict[str, Any]) -> None:
    answer = tenant.app_http.post(f"/app/installations/{tenant.installation.id}/access_tokens", json=body)
    assert answer.status_code == 422


def test_private_repository_outside_is_not_found_and_public_is_readable(tenant: Tenant) -> None:
    tenant.world.create_repo("acme", "secret", {"a": "b"})
    tenant.world.create_repo("acme", "open", {"a": "b"}, private=False)
    assert tenant.http.get("/repos/acme/secret").status_code == 404
    assert tenant.http.get("/repos/acme/nothing").status_code == 404
    assert tenant.http.get("/repos/acme/open/contents/a").status_code == 200
    refused = tenant.http.post("/repos/acme/open/check-runs", json={"name": "x", "head_sha": "0" * 40})
    assert refused.status_code == 403


def test_suspended_installation(tenant: Tenant) -> None:
    tenant.world.suspend(tenant.installation)
    assert tenant.http.get(R).status_code == 403
    answer = tenant.app_http.post(f"/app/installations/{tenant.installation.id}/access_tokens")
    assert (answer.status_code, answer.json()["message"]) == (403, "This installation has been suspended")
    tenant.world.unsuspend(tenant.installation)
    assert tenant.http.get(R).status_code == 200


def test_permissions_wait_for_their_owner(tenant: Tenant) -> None:
    tenant.world.change_permissions(tenant.app, {"contents": "read", "issues": "read"})
    assert tenant.app_http.post(
        f"/app/installations/{tenant.installation.id}/access_tokens", json={"permissions": {"issues": "read"}}
    ).status_code == 422  # fmt: skip
    tenant.world.accept_permissions(tenant.installation)
    assert tenant.token(permissions={"issues": "read"})


def test_users_and_nobody_may_not_write_checks(tenant: Tenant) -> None:
    user = tenant.world.create_user("zoe", admin=True)
    sha = tenant.world.branch_head(tenant.repo, "main")
    with tenant.client(user.token) as http:
        answer = http.post(f"{R}/check-runs", json={"name": "tether", "head_sha": sha})
        assert (answer.status_code, answer.json()["message"]) == (403, "You must authenticate via a GitHub App.")
        assert http.post(f"{R}/statuses/{sha}", json={"state": "success"}).status_code == 201
        assert http.get("/installation/repositories").status_code == 403
        assert http.get("/user").json()["login"] == "zoe"
    tenant.world.set_visibility(tenant.repo, "public")
    with tenant.client(None) as http:
        assert http.get(R).status_code == 200
        assert http.post(f"{R}/check-runs", json={"name": "tether", "head_sha": sha}).status_code == 401
        assert [http.get(path).status_code for path in ("/", "/meta", "/rate_limit", "/user")] == [200, 200, 200, 401]
    with tenant.client("ghs_nonsense") as http:
        assert http.get(R).status_code == 401


def test_app_jwt_opens_no_repository(tenant: Tenant) -> None:
    assert tenant.app_http.get(R).status_code == 401
    assert tenant.app_http.get("/installation/repositories").status_code == 401
    assert tenant.http.get("/app").status_code == 401


def test_renamed_repository_redirects_and_ids_stay(tenant: Tenant) -> None:
    tenant.world.rename_repo(tenant.repo, "store")
    answer = tenant.http.get(f"{R}/pulls?state=all")
    assert answer.status_code == 301
    assert f"{tenant.github.url}/repositories/{tenant.repo.id}/pulls" == answer.headers["location"]
    assert tenant.http.get(answer.headers["location"]).status_code == 200
    assert tenant.http.post(f"{R}/check-runs", json={}).status_code == 307
    assert tenant.http.get(f"/api/v3/repositories/{tenant.repo.id}").json()["full_name"] == "acme/store"


def test_app_with_an_event_beyond_its_permissions_is_refused(tmp_path: Path) -> None:
    world = GitHubWorld(tmp_path)
    with pytest.raises(GitHubError, match="Default events are not supported by permissions: issue_comment"):
        world.create_app("Tether", {"contents": "read"}, ["push", "issue_comment"])
    world.close()


def test_rate_limit_is_told_and_kept(tenant: Tenant) -> None:
    first = tenant.http.get(R)
    unchanged = tenant.http.get(R, headers={"If-None-Match": first.headers["etag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert first.headers["x-ratelimit-remaining"] == unchanged.headers["x-ratelimit-remaining"]
    tenant.world.limits.rate_per_hour = 1
    answer = tenant.http.get(R)
    assert (answer.status_code, answer.headers["x-ratelimit-remaining"]) == (403, "0")
    assert "rate limit exceeded" in answer.json()["message"]


async def _kit_reads(github: ServingGitHub, tenant: Tenant) -> tuple[str, int]:
    strategy = AppAuthStrategy(tenant.app.client_id, tenant.app.private_key_pem)
    kit = GitHub(strategy, base_url=github.url, auto_retry=False, http_cache=False)
    async with kit.with_auth(strategy.as_installation(tenant.installation.id)) as installed:
        repo = await installed.rest.repos.async_get("acme", "warehouse")
        sha = tenant.world.branch_head(tenant.repo, "main")
        run = await installed.rest.checks.async_create(
            "acme", "warehouse", name="tether", head_sha=sha, status="in_progress"
        )
    return repo.parsed_data.full_name, run.parsed_data.id


def test_githubkit_signs_in_and_parses(github: ServingGitHub, tenant: Tenant) -> None:
    name, run_id = asyncio.run(_kit_reads(github, tenant))
    assert name == "acme/warehouse"
    assert [run_id] == [
        run.id for run in tenant.world.check_runs(tenant.repo, tenant.world.branch_head(tenant.repo, "main"))
    ]
