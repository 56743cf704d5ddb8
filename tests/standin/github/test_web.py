"""The pages: off by default, hostile text stays text, and a blocked pull request shows all there is to see."""

from __future__ import annotations

import html
import re

import httpx

from app.standin.github import GitHubWorld
from tests.standin.github.blocked import open_blocked_pull
from tests.standin.github.conftest import R, Tenant


def read(tenant: Tenant, path: str) -> httpx.Response:
    return httpx.get(f"{tenant.github.url}/acme/warehouse/{path}", trust_env=False)


def test_pages_are_off_by_default(tenant: Tenant) -> None:
    number, _ = tenant.open_drop()
    assert read(tenant, f"pull/{number}").status_code == 404


def test_links_lead_to_pages_that_show_text(tenant: Tenant) -> None:
    world: GitHubWorld = tenant.world
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
    assert 'Required status check "tether" is failing.' in html.unescape(pull.text)
    assert "&lt;script&gt;comment" in pull.text
    assert "&lt;u&gt;lost" in shown[1].text
    assert '<tr id="L1">' in shown[2].text
    assert read(tenant, f"blob/{sha}/absent.sql").status_code == 404
    assert read(tenant, "runs/1").status_code == 404


def test_a_blocked_pull_request_shows_comment_check_annotation_and_the_closed_button(tenant: Tenant) -> None:
    tenant.world.state.pages = True
    number, run = open_blocked_pull(tenant.world, tenant.repo, tenant.app)
    text = read(tenant, f"pull/{number}").text

    assert '<div class="markdown-alert markdown-alert-caution">' in text
    assert "<strong>Dropping <code>raw.orders.discount_pct</code> breaks 1 serving model.</strong>" in text
    assert "<td><code>churn_v4</code></td>" in text
    assert "tether:review" not in text
    assert "flowchart" not in text
    assert text.count('class="way"') == 4  # two arrows, drawn for wide and for narrow windows
    assert "<details><summary>Evidence</summary>" in text
    assert 'aria-label="failure"' in text
    assert "<strong>1 model</strong> would lose an input." in text
    assert re.search(r'<tr class="add">.*DROP COLUMN discount_pct;</td></tr><tr class="note">.*It would lose', text)
    assert '<button type="button" class="button" disabled>Merge pull request</button>' in text
    assert "Merging is blocked" in text
    assert "<b>churn_v4 reads raw.orders.discount_pct</b>" in read(tenant, f"runs/{run}").text


def test_the_button_is_open_when_the_check_passes(tenant: Tenant) -> None:
    tenant.world.state.pages = True
    number, _ = open_blocked_pull(tenant.world, tenant.repo, tenant.app)
    sha = tenant.world.pull(tenant.repo, number).head_sha
    body = {"name": "tether", "head_sha": sha, "conclusion": "success", "output": {"title": "Passed", "summary": "ok"}}
    assert tenant.http.post(f"{R}/check-runs", json=body).status_code == 201
    text = read(tenant, f"pull/{number}").text

    assert '<button type="button" class="button">Merge pull request</button>' in text
    assert "Merging is blocked" not in text
    assert 'aria-label="success"' in text


def test_the_button_says_what_is_missing_or_in_conflict(tenant: Tenant) -> None:
    world = tenant.world
    world.state.pages = True
    world.push(tenant.repo, "edit", {"README.md": "mine\n"})
    number = world.open_pull(tenant.repo, "edit", title="Edit")
    world.protect(tenant.repo, "main", {"tether": tenant.app})
    expected = html.unescape(read(tenant, f"pull/{number}").text)
    world.protect(tenant.repo, "main", {})
    free = read(tenant, f"pull/{number}").text
    world.push(tenant.repo, "main", {"README.md": "theirs\n"})
    conflict = read(tenant, f"pull/{number}").text

    assert 'Required status check "tether" is expected.' in expected
    assert "waiting for it to be reported" in expected
    assert 'class="button">Merge pull request' in free
    assert "This branch has conflicts that must be resolved." in conflict
    assert [page.count(" disabled>Merge") for page in (expected, free, conflict)] == [1, 0, 1]


def test_an_annotation_outside_of_the_diff_is_shown_with_its_lines(tenant: Tenant) -> None:
    tenant.world.state.pages = True
    number, sha = tenant.open_drop()
    note = {"path": "migrations/0001_orders.sql", "start_line": 1, "end_line": 1, "annotation_level": "warning"}
    output = {"title": "t", "summary": "s", "annotations": [{**note, "message": "read here"}]}
    tenant.http.post(f"{R}/check-runs", json={"name": "x", "head_sha": sha, "conclusion": "neutral", "output": output})
    text = read(tenant, f"pull/{number}").text

    outside = text[text.index("Annotations on files that were not changed") :]
    assert re.search(r"CREATE TABLE orders.*<tr class=.note.>.*read here", outside)


def test_a_suggestion_stands_under_its_line(tenant: Tenant) -> None:
    tenant.world.state.pages = True
    number, sha = tenant.open_drop()
    body = {"body": "Keep it:\n```suggestion\n-- kept <b>\n```", "commit_id": sha, "line": 1}
    body["path"] = "migrations/0002_drop.sql"
    assert tenant.http.post(f"{R}/pulls/{number}/comments", json=body).status_code == 201
    text = read(tenant, f"pull/{number}").text

    under = text[text.index('<tr class="note">') :]
    assert '<pre class="source suggestion"><span class="add">-- kept &lt;b&gt;\n</span></pre>' in under
