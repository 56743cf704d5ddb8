"""The plain pages: off by default, and nothing in them is anything but text."""

from __future__ import annotations

import httpx

from app.standin.github import World
from tests.standin.github.conftest import R, Tenant


def read(tenant: Tenant, path: str) -> httpx.Response:
    return httpx.get(f"{tenant.github.url}/acme/warehouse/{path}", trust_env=False)


def test_pages_are_off_by_default(tenant: Tenant) -> None:
    number, _ = tenant.open_drop()
    assert read(tenant, f"pull/{number}").status_code == 404


def test_links_lead_to_pages_that_show_text(tenant: Tenant) -> None:
    world: World = tenant.world
    world.state.pages = True
    sha = world.push(tenant.repo, "drop", {"<b>.sql": "select '<script>';\n"})
    number = world.open_pull(tenant.repo, "drop", title="<script>alert(1)</script>", body="<img>")
    world.comment(tenant.repo, number, "<script>comment</script>")
    world.protect(tenant.repo, "main", {"tether": tenant.app})
    note = {"path": "<i>", "start_line": 3, "end_line": 3, "annotation_level": "failure", "message": "<u>lost</u>"}
    output = {"title": "<b>Blocked</b>", "summary": "<em>s</em>", "annotations": [note]}
    body = {"name": "tether", "head_sha": sha, "conclusion": "failure", "output": output}
    run = tenant.http.post(f"{R}/check-runs", json=body).json()
    pull = httpx.get(tenant.http.get(f"{R}/pulls/{number}").json()["html_url"], trust_env=False)
    shown = [pull, httpx.get(run["html_url"], trust_env=False), read(tenant, f"blob/{sha}/%3Cb%3E.sql")]
    assert [page.status_code for page in shown] == [200, 200, 200]
    assert "default-src 'none'" in pull.headers["content-security-policy"]
    for page in shown:
        assert [tag for tag in ("<script", "<img", "<em>", "<u>", "<i>") if tag in page.text] == []
    assert "Required check <b>tether</b> is failing." in pull.text
    assert "&lt;script&gt;comment" in pull.text
    assert "&lt;u&gt;lost" in shown[1].text
    assert '<span id="L1">' in shown[2].text
    assert read(tenant, f"blob/{sha}/absent.sql").status_code == 404
    assert read(tenant, "runs/1").status_code == 404
