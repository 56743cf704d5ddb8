"""Check runs and comments through real HTTP: made once, annotated once, whatever fails on the way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import httpx
import pytest

from app.edges.github import InstallationForge
from app.effects import Annotation, CheckOutput, Suggestion
from app.ports import RETRIES
from app.standin.github import CheckRun
from app.words import Permanent, Transient
from tests.edges.github.conftest import PERMISSIONS, Site

MARKER = "<!-- tether:review -->"
BODY = f"{MARKER}\n\nblocked"


def marks(count: int) -> tuple[Annotation, ...]:
    return tuple(Annotation("db/2.sql", line + 1, "failure", f"title {line}", "it is read") for line in range(count))


def output(count: int = 0, **more: object) -> CheckOutput:
    made = {
        "conclusion": "failure",
        "title": "Blocked: b",
        "summary": "why",
        "text": "",
        "annotations": marks(count),
    }
    return CheckOutput(**{**made, **more})  # type: ignore[arg-type]


def runs(site: Site) -> tuple[CheckRun, ...]:
    return site.world.check_runs(site.repo.id, site.head)


def test_a_run_is_found_by_name_head_and_own_app(site: Site) -> None:
    async def work(forge: InstallationForge) -> tuple[int | None, ...]:
        before = await forge.fetch_check_run(site.repo, site.head, "tether")
        made = await forge.create_check_run(site.repo, site.head, "tether", external_id="job-1")
        found = await forge.fetch_check_run(site.repo, site.head, "tether")
        other = await forge.fetch_check_run(site.repo, site.head, "lint")
        return before, made, found, other

    before, made, found, other = site.run(work)

    assert (before, other) == (None, None)
    assert made == found
    [run] = runs(site)
    assert (run.status, run.external_id, run.name) == ("in_progress", "job-1", "tether")


@pytest.mark.parametrize("count", [0, 1, 50, 51, 120, 250])
def test_annotations_are_appended_and_the_last_request_concludes(site: Site, count: int) -> None:
    async def work(forge: InstallationForge) -> None:
        run = await forge.create_check_run(site.repo, site.head, "tether", external_id="x")
        await forge.conclude_check_run(site.repo, run, output(count, actions=(("Re-check", "Judge again", "recheck"),)))

    site.run(work)

    [run] = runs(site)
    assert (run.status, run.conclusion, run.title, run.summary) == ("completed", "failure", "Blocked: b", "why")
    assert len(run.annotations) == min(count, 200)
    assert [action["identifier"] for action in run.actions] == ["recheck"]


def test_concluding_twice_repeats_nothing(site: Site) -> None:
    async def work(forge: InstallationForge) -> None:
        run = await forge.create_check_run(site.repo, site.head, "tether", external_id="x")
        for _ in range(3):
            await forge.conclude_check_run(site.repo, run, output(60))

    site.run(work)

    assert len(runs(site)[0].annotations) == 60


def test_an_interrupted_conclusion_goes_on_where_it_stopped(site: Site) -> None:
    async def work(forge: InstallationForge) -> None:
        run = await forge.create_check_run(site.repo, site.head, "tether", external_id="x")
        await forge.fetch_repositories()
        site.world.fail_next("PATCH", "/check-runs/", "drop_after", times=RETRIES["github writes"].tries)
        with pytest.raises(Transient):
            await forge.conclude_check_run(site.repo, run, output(120))
        assert runs(site)[0].status == "in_progress"
        await forge.conclude_check_run(site.repo, run, output(120))

    site.run(work)

    [run] = runs(site)
    assert len({annotation["start_line"] for annotation in run.annotations}) == len(run.annotations) == 120
    assert run.status == "completed"


def test_a_second_judgement_of_one_run_adds_what_is_new(site: Site) -> None:
    async def work(forge: InstallationForge) -> None:
        run = await forge.create_check_run(site.repo, site.head, "tether", external_id="x")
        await forge.conclude_check_run(site.repo, run, output(1))
        fresh = Annotation("db/2.sql", 1, "warning", "another", "it changes")
        await forge.conclude_check_run(site.repo, run, output(conclusion="neutral", annotations=(fresh,)))

    site.run(work)

    [run] = runs(site)
    assert run.conclusion == "neutral"
    assert [annotation["title"] for annotation in run.annotations] == ["title 0", "another"]


def test_texts_that_are_too_long_are_cut_rather_than_refused(site: Site) -> None:
    long = "é" * 70_000

    async def work(forge: InstallationForge) -> None:
        run = await forge.create_check_run(site.repo, site.head, "tether", external_id="x")
        one = Annotation("db/2.sql", 1, "failure", "t" * 400, long)
        await forge.conclude_check_run(
            site.repo, run, output(title="t" * 400, summary=long, text=long, annotations=(one,))
        )
        await forge.create_comment(site.repo, site.number, MARKER + long)

    site.run(work)

    [run] = runs(site)
    assert run.status == "completed"
    assert str(run.summary).endswith("… cut")


def test_what_githubs_schema_refuses_is_permanent(site: Site) -> None:
    four = tuple((f"a{n}", "d", f"i{n}") for n in range(4))

    async def work(forge: InstallationForge) -> None:
        run = await forge.create_check_run(site.repo, site.head, "tether", external_id="x")
        await forge.conclude_check_run(site.repo, run, output(actions=four))

    with pytest.raises(Permanent, match="schema"):
        site.run(work)


def test_a_missing_permission_is_named(site: Site) -> None:
    reduced = {name: level for name, level in PERMISSIONS.items() if name not in ("checks", "pull_requests")}
    site.world.change_permissions(site.app, {**reduced, "checks": "read", "pull_requests": "read"})
    site.world.accept_permissions(site.installed)

    with pytest.raises(Permanent, match=r"lacks checks"):
        site.run(lambda forge: forge.create_check_run(site.repo, site.head, "tether", external_id="x"))
    with pytest.raises(Permanent, match=r"lacks .*pull_requests"):
        site.run(lambda forge: forge.create_comment(site.repo, site.number, BODY))


async def publish(forge: InstallationForge, site: Site) -> None:
    """What a job does, each step looking before it acts."""
    run = await forge.fetch_check_run(site.repo, site.head, "tether")
    if run is None:
        run = await forge.create_check_run(site.repo, site.head, "tether", external_id="x")
    pull = await forge.fetch_pull(site.repo, site.number)
    await forge.fetch_comparison(site.repo, pull.base_sha, pull.head_sha)
    await forge.conclude_check_run(site.repo, run, output(60))
    if await forge.fetch_comment(site.repo, site.number, MARKER) is None:
        await forge.create_comment(site.repo, site.number, BODY)


def _calls(site: Site) -> Sequence[tuple[str, str]]:
    site.run(lambda forge: publish(forge, site))
    return list(dict.fromkeys((request.method, request.path) for request in site.world.requests()))


def _fresh(site: Site, name: str) -> Site:
    """Another pull request of the same repository, on which nothing was done yet."""
    head = site.world.push(site.repo.id, name, {"db/2.sql": f"-- {name}\n"})
    number = site.world.open_pull(site.repo.id, name)
    return Site(site.url, site.world, site.app, site.installed, site.repo, number, head, site.base)


def _pattern(path: str) -> str:
    """The same endpoint for any commit, check run or pull request."""
    parts = re.sub(r"(compare/).*", r"\1", path).split("/")
    return "/".join("[^/]+" if re.fullmatch(r"\d+|[0-9a-f]{40}", part) else re.escape(part) for part in parts)


@pytest.mark.parametrize("trouble", [502, "drop_after"])
def test_each_call_may_fail_once(site: Site, trouble: int | str) -> None:
    calls = _calls(site)
    assert len(calls) > 8

    for turn, (method, path) in enumerate(calls):
        fresh = _fresh(site, f"once-{turn}")
        site.world.fail_next(method, _pattern(path), trouble)  # type: ignore[arg-type]  # the troubles of the sandbox

        fresh.run(partial(publish, site=fresh))  # the call is made again at once, after a look at what is there

        [run] = runs(fresh)
        assert (run.status, len(run.annotations)) == ("completed", 60)
        assert len(site.world.comments(site.repo.id, fresh.number)) == 1
        fresh.run(partial(publish, site=fresh))
        [run] = runs(fresh)
        assert (run.status, len(run.annotations)) == ("completed", 60)
        assert len(site.world.comments(site.repo.id, fresh.number)) == 1


def test_a_call_that_always_fails_stays_transient(site: Site) -> None:
    for turn, (method, path) in enumerate(_calls(site)):
        fresh = _fresh(site, f"always-{turn}")
        site.world.fail_next(method, _pattern(path), 503, times=1_000)

        for _ in range(2):
            with pytest.raises(Transient):
                fresh.run(partial(publish, site=fresh))
        site.world.clear_faults()

        assert len(runs(fresh)) <= 1
        assert len(site.world.comments(site.repo.id, fresh.number)) == 0


def test_silence_is_transient(site: Site) -> None:
    site.world.fail_next("GET", "/pulls/", "timeout", times=RETRIES["github reads"].tries)

    with pytest.raises(Transient, match="in time"):
        site.run(lambda forge: forge.fetch_pull(site.repo, site.number), site.forges(timeout=0.3))


@pytest.mark.parametrize(
    ("status", "content", "expected"),
    [(200, b"<html>proxy</html>", Transient), (200, b"[]", Permanent), (200, b'{"id": 1}', Permanent)],
)
def test_an_answer_that_is_not_githubs_is_said_to_be_none(
    site: Site, status: int, content: bytes, expected: type[Exception]
) -> None:
    async def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("access_tokens"):
            return httpx.Response(201, json={"token": "ghs_x", "expires_at": "2999-01-01T00:00:00Z"})
        return httpx.Response(status, content=content)

    with pytest.raises(expected):
        site.run(
            lambda forge: forge.fetch_pull(site.repo, site.number), site.forges(transport=httpx.MockTransport(answer))
        )


def suggestion(first: int, last: int, path: str = "db/2.sql") -> Suggestion:
    marker = "<!-- tether:suggestion:1 -->"
    return Suggestion(path, first, last, f"{marker}\nKeep it.\n\n```suggestion\nSELECT 2;\n```", marker)


def test_a_suggestion_stands_on_its_line_once(site: Site) -> None:
    async def work(forge: InstallationForge) -> None:
        for _ in range(2):
            await forge.ensure_suggestion(site.repo, site.number, site.head, suggestion(1, 1))

    site.run(work)
    posted = [request for request in site.world.requests() if request.method == "POST" and "/pulls/" in request.path]
    assert len(posted) == 1


async def suggest(site: Site, one: Suggestion, forge: InstallationForge) -> None:
    await forge.ensure_suggestion(site.repo, site.number, site.head, one)


def test_a_suggestion_on_a_line_outside_of_the_diff_is_refused(site: Site) -> None:
    for wrong in (suggestion(900, 900), suggestion(1, 1, "db/1.sql"), suggestion(1, 900)):
        with pytest.raises(Permanent, match="part of the diff"):
            site.run(partial(suggest, site, wrong))
