"""Every request that we send is one that GitHub's own description knows."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from app.edges.github import GitHubForges, InstallationForge
from app.effects import Annotation, CheckOutput, Suggestion
from app.words import Permanent
from tests.conftest import WATCHED
from tests.contracts.github_description import Description, Watched, read_description
from tests.edges.github.conftest import Site

LONG = CheckOutput(
    "failure",
    "é" * 400,
    "é" * 70_000,
    "é" * 70_000,
    tuple(Annotation("db/2.sql", n + 1, "failure", "t" * 400, "é" * 70_000) for n in range(120)),
    (("Re-check", "Judge this pull request again", "recheck"),),
)


def test_every_request_fits_githubs_description(site: Site) -> None:
    async def everything(forges: GitHubForges, forge: InstallationForge) -> None:
        await forge.fetch_repositories()
        await forge.fetch_repo(site.repo.id)
        await forge.fetch_pull(site.repo, site.number)
        await forge.fetch_open_pulls(site.repo)
        await forge.fetch_branch_head(site.repo, "main")
        await forge.fetch_comparison(site.repo, "main", site.head)
        listing = await forge.fetch_tree(site.repo, site.head)
        await forge.fetch_blob(site.repo, listing.entries[0].sha)
        await forge.fetch_archive(site.repo, site.head, io.BytesIO(), most=1_000_000)
        await forge.fetch_file("acme/warehouse", "db/1.sql")
        assert await forge.fetch_check_run(site.repo, site.head, "tether") is None
        run = await forge.create_check_run(site.repo, site.head, "tether", external_id="gh:1")
        for _ in range(2):
            await forge.conclude_check_run(site.repo, run, LONG)
        for conclusion in ("neutral", "success", "cancelled"):
            await forge.conclude_check_run(site.repo, run, CheckOutput(conclusion, "t", "s"))
        assert await forge.fetch_comment(site.repo, site.number, "<!-- x -->") is None
        comment = await forge.create_comment(site.repo, site.number, "<!-- x -->" + "é" * 70_000)
        await forge.create_comment(site.repo, site.number, "<!-- x -->")
        await forge.fetch_comment(site.repo, site.number, "<!-- x -->")  # deletes the second
        await forge.update_comment(site.repo, comment, "<!-- x -->")
        for first in (1, 2):  # on several lines, and on one
            advised = Suggestion("db/2.sql", first, 2, f"<!-- s{first} -->\n```suggestion\n```", f"<!-- s{first} -->")
            with suppress(Permanent):  # lines that the diff may not show: the request is what counts here
                await forge.ensure_suggestion(site.repo, site.number, site.head, advised)
        await forges.fetch_credentials()
        await forges.fetch_installations()
        await forges.app.fetch_installation(site.installed.id)
        await forges.app.fetch_hook()
        since = datetime.now(UTC) - timedelta(days=1)
        assert await forges.fetch_failed_deliveries(since=since, attempts=5) == ()
        with pytest.raises(Permanent):
            await forges.redeliver(12)

    description = read_description()

    async def go() -> None:
        async with site.forges() as forges:
            await everything(forges, forges.installation(site.installed.id))

    asyncio.run(go())

    asked = [one for one in site.world.requests() if not one.path.startswith("/codeload/")]
    wrong = [
        problem
        for one in asked
        for problem in description.find_wrong_request(one.method, one.path, one.query, one.body)
    ]
    assert wrong == []
    assert len({(one.method, one.path) for one in asked}) > 20
    assert any(one.method == "POST" and one.path.endswith(f"/pulls/{site.number}/comments") for one in asked)
    assert {"POST", "PATCH", "DELETE", "GET"} == {one.method for one in asked}


def broken(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    body: dict[str, Any] = {"status": "completed", "conclusion": "success", "output": {"title": "t", "summary": "s"}}
    change(body)
    return body


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.update(conclusion="superb"),
        lambda body: body.update(verdict="block"),
        lambda body: body["output"].pop("summary"),
        lambda body: body["output"].update(summary="x" * 65_536),
        lambda body: body["output"].update(annotations=[{"path": "a"}]),
        lambda body: body.update(actions=[{"label": "l" * 21, "description": "d", "identifier": "i"}]),
        lambda body: body.update(actions=[{"label": "l", "description": "d", "identifier": "i", "colour": "red"}]),
    ],
)
def test_the_judge_finds_what_is_wrong(change: Callable[[dict[str, Any]], object]) -> None:

    path = "/repos/acme/warehouse/check-runs/1"
    assert read_description().find_wrong_request("PATCH", path, "", json.dumps(broken(lambda _: None)).encode()) == []
    assert read_description().find_wrong_request("PATCH", path, "", json.dumps(broken(change)).encode()) != []


@pytest.mark.parametrize(
    ("method", "path", "query"),
    [
        ("GET", "/repos/a/b/pullz", ""),
        ("GET", "/repos/a/b/pulls", "states=open"),
        ("GET", "/repos/a/b/pulls", "state=x"),
    ],
)
def test_the_judge_finds_wrong_addresses(method: str, path: str, query: str) -> None:
    assert read_description().find_wrong_request(method, path, query, b"") != []


@pytest.mark.parametrize(
    ("method", "path", "status", "body"),
    [
        ("GET", "/repos/a/b/pullz", 200, "{}"),  # an operation that GitHub has not
        ("GET", "/repos/a/b/pulls", 207, "[]"),  # an answer that it never gives
        ("GET", "/repos/a/b/pulls", 200, "{}"),
        ("GET", "/repos/a/b/pulls", 200, '[{"number": 1}]'),
        ("GET", "/repos/a/b/pulls", 404, '{"text": "an error without its message"}'),
        ("DELETE", "/repos/a/b/issues/comments/1", 204, '{"a": "body"}'),
    ],
)
def test_the_judge_finds_wrong_answers(method: str, path: str, status: int, body: str) -> None:
    media = "application/json; charset=utf-8"
    assert read_description().find_wrong_answer(method, path, status, media, body.encode()) != []


def test_the_judge_takes_every_answer_that_fits() -> None:
    find, media = read_description().find_wrong_answer, "application/json; charset=utf-8"

    assert find("GET", "/repos/a/b/pulls", 200, media, b"[]") == []
    assert find("GET", "/repos/a/b/pulls", 404, media, b'{"message": "Not Found"}') == []
    assert find("GET", "/repos/a/b/pulls", 401, media, b'{"message": "Bad credentials"}') == []  # not described, but so
    assert find("DELETE", "/repos/a/b/issues/comments/1", 204, "", b"") == []
    assert find("GET", "/nowhere", 404, media, b'{"message": "Not Found"}') == []


def test_a_word_out_of_a_choice_is_seen_behind_others_of_its_shape() -> None:
    """What was judged before is not judged again, but for the words of a choice."""
    word = {"type": "object", "properties": {"state": {"enum": ["open", "closed"]}, "title": {"type": "string"}}}
    made = Description({"paths": {"/x": {"get": {"query": {}, "answers": {"200": word}}}}, "schemas": {}})

    def wrong(**fields: object) -> list[str]:
        return made.find_wrong_answer("GET", "/x", 200, "application/json", json.dumps(fields).encode())

    assert wrong(state="open", title="t") == wrong(state="closed", title="u") == []
    assert len(wrong(state="ajar", title="t")) == 1
    assert len(wrong(state="open", title=5)) == 1


def test_the_stand_in_is_watched(site: Site) -> None:
    """Whatever test serves it: see `tests/conftest.py`."""
    before = sum(app.judged for app in WATCHED)

    site.run(lambda forge: forge.fetch_repositories())

    assert sum(app.judged for app in WATCHED) > before


def test_an_answer_that_does_not_fit_is_noted() -> None:
    async def wrong(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": b'{"number": 1}'})

    watched = Watched(wrong)

    async def go() -> None:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(watched), base_url="http://github.test") as client:
            await client.get("/repos/a/b/pulls/1")
            await client.get("/a/b/pull/1")  # a page for people

    asyncio.run(go())
    assert any("'title' is a required property" in problem for problem in watched.wrong)
    assert watched.judged == 1
