"""Planned trouble: error answers, silence, cut connections before and after the work; the request log."""

from __future__ import annotations

import httpx
import pytest

from tests.standin.github.conftest import R, Tenant


def runs(tenant: Tenant) -> int:
    return len(tenant.world.check_runs(tenant.repo, tenant.world.branch_head(tenant.repo, "main")))


def post_run(tenant: Tenant, **more: float) -> httpx.Response:
    body = {"name": "tether", "head_sha": tenant.world.branch_head(tenant.repo, "main")}
    return tenant.http.post(f"{R}/check-runs", json=body, timeout=more.get("timeout", 10))


def test_an_error_answer_so_many_times(tenant: Tenant) -> None:
    tenant.world.fail_next("POST", r"/check-runs$", 502, times=2)
    tenant.world.fail_next("*", r"/check-runs$", 429, headers={"Retry-After": "7"}, message="secondary rate limit")
    answers = [post_run(tenant) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [502, 502, 429, 201]
    assert (answers[2].headers["retry-after"], answers[2].json()["message"]) == ("7", "secondary rate limit")
    assert runs(tenant) == 1


def test_other_requests_are_left_alone(tenant: Tenant) -> None:
    tenant.world.fail_next("POST", r"/check-runs$", 500)
    assert tenant.http.get(R).status_code == 200
    tenant.world.clear_faults()
    assert post_run(tenant).status_code == 201


@pytest.mark.parametrize(("trouble", "done"), [("drop", 0), ("drop_after", 1)])
def test_a_cut_connection(tenant: Tenant, trouble: str, done: int) -> None:
    tenant.world.fail_next("POST", r"/check-runs$", trouble)  # type: ignore[arg-type]  # parametrized
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        post_run(tenant)
    assert done == runs(tenant)
    assert post_run(tenant).status_code == 201


@pytest.mark.parametrize(("trouble", "done"), [("timeout", 0), ("timeout_after", 1)])
def test_silence(tenant: Tenant, trouble: str, done: int) -> None:
    tenant.world.fail_next("POST", r"/check-runs$", trouble)  # type: ignore[arg-type]  # parametrized
    with pytest.raises(httpx.ReadTimeout):
        post_run(tenant, timeout=0.3)
    assert done == runs(tenant)
    assert post_run(tenant).status_code == 201


def test_the_log_names_every_request_and_no_secret(tenant: Tenant) -> None:
    tenant.world.forget_requests()
    tenant.http.get(f"/api/v3{R}/pulls?state=all")
    tenant.http.get("/nowhere")
    tenant.app_http.get("/app")
    tenant.http.post(f"{R}/check-runs", json={"name": "tether"})
    log = tenant.world.requests()
    assert [
        ("GET", f"{R}/pulls", "state=all", 200, "token"),
        ("GET", "/nowhere", "", 404, "token"),
        ("GET", "/app", "", 200, "app"),
        ("POST", f"{R}/check-runs", "", 422, "token"),
    ] == [(row.method, row.path, row.query, row.status, row.caller) for row in log]
    assert log[3].body == b'{"name":"tether"}'
    assert "ghs_" not in repr(log)


@pytest.mark.parametrize(("content", "status"), [(b"{", 400), (b"[]", 400), (b"", 422)])
def test_a_body_that_is_no_object(tenant: Tenant, content: bytes, status: int) -> None:
    assert status == tenant.http.post(f"{R}/check-runs", content=content).status_code


def test_a_request_without_user_agent_is_refused(tenant: Tenant) -> None:
    assert tenant.http.get(R, headers={"User-Agent": ""}).status_code == 403


def test_a_fault_meets_a_repository_under_its_id_too(tenant: Tenant) -> None:
    tenant.world.fail_next("GET", r"^/repos/acme/warehouse$", 503)
    url = f"/repositories/{tenant.repo.id}"
    assert [tenant.http.get(url).status_code for _ in range(2)] == [503, 200]
    assert tenant.world.requests()[-1].path == url
