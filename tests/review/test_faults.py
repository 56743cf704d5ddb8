"""A whole review of a pull request on the stand-in, with trouble at each of its requests in turn: once, and for good.

However it comes, there is one check run on the head and one comment; and where GitHub takes neither, a job that waits or a
dead letter, which health shows, never a check that stays in progress unseen.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx
import pytest
from starlette.types import ASGIApp

from app.edges.github import GitHubForges
from app.jobs.attempt import Outcome
from app.requests import ReviewRequest
from app.standin.github import CheckRun, GitHubWorld, serving
from app.standin.github.records import AppRecord, InstallationRecord
from app.standin.github.shapes_accounts import stamp
from tests.edges.github.conftest import PERMISSIONS
from tests.jobs.requests import review
from tests.keys import app_key
from tests.review.shop import CREATE, DROP, Shop

ATTEMPTS = 3


@dataclass
class Line:
    """The way to GitHub. `strike` decides by (number of the request, its kind): None, or what happens to it."""

    strike: Callable[[int, str], str | None] = lambda _number, _kind: None
    asked: list[str] = field(default_factory=list)
    struck: list[str] = field(default_factory=list)

    async def carry(self, inner: httpx.AsyncBaseTransport, request: httpx.Request) -> httpx.Response:
        kind = f"{request.method} {re.sub(r'(?<=[/.])([0-9]+|[0-9a-f]{40})(?=[/.]|$)', '#', request.url.path)}"
        self.asked.append(kind)
        how = self.strike(len(self.asked), kind)
        if how is None:
            return await inner.handle_async_request(request)
        self.struck.append(kind)
        if how == "502":
            return httpx.Response(502, text="<html>Bad Gateway</html>", request=request)
        if how == "lost answer":
            await (await inner.handle_async_request(request)).aread()
        raise httpx.ReadTimeout("no answer", request=request)


class Wire(httpx.AsyncBaseTransport):
    """The stand-in answers in this very process: hundreds of reviews are no place to prove sockets."""

    def __init__(self, line: Line, github: ASGIApp) -> None:
        self._line, self._inner = line, httpx.ASGITransport(github)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await self._line.carry(self._inner, request)

    async def aclose(self) -> None:
        await self._inner.aclose()


async def no_sleep(seconds: float) -> None:
    assert 0 < seconds <= 20, "longer pauses are the queue's"


@dataclass
class Place:
    """A GitHub with an installed App; each `open` is another pull request that drops a column."""

    github: ASGIApp
    world: GitHubWorld
    app: AppRecord
    installed: InstallationRecord
    opened: int = 0

    def open(self) -> ReviewRequest:
        self.opened += 1
        branch, repo = f"drop{self.opened}", self.world.repo("acme/warehouse")
        self.world.push(repo, branch, {"migrations/2.sql": DROP + f"-- {self.opened}\n"}, parent="main")
        return self.request(self.world.open_pull(repo, branch))

    def stranger(self) -> InstallationRecord:
        """The App's installation on an account that has nothing to do with ours."""
        self.world.create_org("elsewhere")
        return self.world.install(self.app, "elsewhere")

    def request(self, number: int) -> ReviewRequest:
        repo = self.world.repo("acme/warehouse")
        made = review(f"d{self.opened}-{number}", sha=self.world.pull(repo, number).head_sha, pull=number)
        return replace(
            made,
            repo_id=repo.id,
            installation_id=self.installed.id,
            updated_at=stamp(self.world.pull(repo, number).updated_at) or "",
        )

    def runs(self, request: ReviewRequest) -> tuple[CheckRun, ...]:
        return self.world.check_runs(request.repo_id, request.head_sha)

    def comments(self, request: ReviewRequest) -> list[str]:
        bot = self.app.bot
        return [c.body for c in self.world.comments(request.repo_id, request.pull) if c.user is bot]

    def review(self, path: Path, request: ReviewRequest, line: Line) -> tuple[Outcome, Shop]:
        """As the queue would: the same job again while it waits, so many times."""

        async def go() -> tuple[Outcome, Shop]:
            wire, url = Wire(line, self.github), self.world.state.api_url
            async with GitHubForges(
                self.app.id, self.app.private_key_pem, url, transport=wire, sleep=no_sleep
            ) as forges:
                shop = Shop(path, forges)
                job = shop.accept(request)
                for number in range(ATTEMPTS):
                    last = number == ATTEMPTS - 1
                    outcome = await shop.run(replace(job, attempt=number), lenient=True, last=last)
                    if outcome.state != "wait":
                        break
                shop.store.engine.dispose()
                return outcome, shop

        return asyncio.run(go())


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    world = GitHubWorld(tmp_path_factory.mktemp("github"))
    world.create_org("acme")
    world.create_repo("acme", "warehouse", {"migrations/1.sql": CREATE, "README.md": "x"})
    world.create_repo("acme", "features", {"features/customer.sql": "select discount from shop.raw.orders"})
    app = world.create_app("tether", PERMISSIONS, private_key_pem=app_key())
    yield Place(serving.create_app(world), world, app, world.install(app, "acme"))
    world.close()


@pytest.fixture(scope="module")
def calls(place: Place, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The kinds of request that an undisturbed review makes, in order."""
    line, request = Line(), place.open()
    outcome, _ = place.review(tmp_path_factory.mktemp("clean"), request, line)
    assert outcome.state == "done"
    assert_said(place, request)
    return line.asked


def assert_said(place: Place, request: ReviewRequest) -> None:
    (run,) = place.runs(request)
    assert (run.status, run.conclusion) == ("completed", "failure")
    assert (run.title or "").startswith("Blocked")
    assert len(run.annotations) == 1
    assert len(place.comments(request)) == 1


@pytest.mark.parametrize("trouble", ["502", "lost answer"])
def test_trouble_at_each_request_once_changes_nothing(
    place: Place, calls: list[str], tmp_path: Path, trouble: str
) -> None:
    for number in range(1, len(calls) + 1):
        line, request = Line(strike=lambda n, _, at=number: trouble if n == at else None), place.open()  # type: ignore[misc]  # bound now
        (tmp_path / str(number)).mkdir()
        outcome, shop = place.review(tmp_path / str(number), request, line)

        assert (outcome.state, line.struck) == ("done", [calls[number - 1]])
        assert len(shop.judge.seen) == 1, f"{line.struck}: the adapter asks again, so that nothing is judged twice"
        assert_said(place, request)


@pytest.mark.parametrize("trouble", ["no answer", "lost answer"])
def test_trouble_at_each_request_for_good_is_seen(place: Place, calls: list[str], tmp_path: Path, trouble: str) -> None:
    kinds = [kind for kind in dict.fromkeys(calls) if trouble == "no answer" or not kind.startswith("GET")]
    for number, kind in enumerate(kinds):
        line, request = Line(strike=lambda _, k, bad=kind: trouble if k == bad else None), place.open()  # type: ignore[misc]  # bound now
        (tmp_path / str(number)).mkdir()
        outcome, shop = place.review(tmp_path / str(number), request, line)

        runs, comments = place.runs(request), place.comments(request)
        assert outcome.state == "wait" or (trouble == "lost answer" and outcome.state == "done"), kind
        assert len(runs) <= 1, kind
        assert len(comments) <= 1, kind
        concluded = [run.conclusion for run in runs if run.status == "completed"]
        assert concluded == ["failure"] or shop.unsaid, f"{kind}: neither a verdict nor a job that waits to give one"


def test_a_comment_that_github_never_takes_leaves_the_verdict_and_says_so(place: Place, tmp_path: Path) -> None:
    line = Line(strike=lambda _, kind: "502" if re.search(r"POST .*/comments$", kind) else None)
    request = place.open()
    place.review(tmp_path, request, line)

    (run,) = place.runs(request)
    assert (run.title or "").startswith("Blocked: churn")
    assert "Not everything that follows from this verdict could be done" in (run.summary or "")
    assert place.comments(request) == []


def test_a_token_that_expires_at_any_request_is_replaced(place: Place, calls: list[str], tmp_path: Path) -> None:
    for number in range(2, len(calls) + 1):
        request = place.open()

        def expire(n: int, _: str, at: int = number) -> None:
            if n == at:
                place.world.revoke_tokens()

        (tmp_path / str(number)).mkdir()
        outcome, _ = place.review(tmp_path / str(number), request, Line(strike=expire))
        assert outcome.state == "done"
        assert_said(place, request)


def test_a_repository_renamed_or_hidden_at_any_request_is_still_the_same(
    place: Place, calls: list[str], tmp_path: Path
) -> None:
    for number in range(2, len(calls) + 1):
        request = place.open()

        def move(n: int, _: str, at: int = number, repo: int = request.repo_id) -> None:
            if n == at:
                place.world.rename_repo(repo, f"warehouse-{at}")
                place.world.set_visibility(repo, "private" if at % 2 else "public")

        (tmp_path / str(number)).mkdir()
        outcome, _ = place.review(tmp_path / str(number), request, Line(strike=move))
        place.world.rename_repo(request.repo_id, "warehouse")
        place.world.set_visibility(request.repo_id, "private")
        assert outcome.state == "done", calls[number - 1]
        assert_said(place, request)


def without(place: Place, *names: str) -> None:
    kept = {name: level for name, level in PERMISSIONS.items() if name not in names}
    place.world.change_permissions(place.app, kept)
    place.world.accept_permissions(place.installed)


@pytest.fixture
def permitted(place: Place) -> Iterator[Place]:
    yield place
    without(place)


def test_without_the_right_to_comment_the_check_says_so(permitted: Place, tmp_path: Path) -> None:
    permitted.world.change_permissions(permitted.app, {**PERMISSIONS, "pull_requests": "read"})
    permitted.world.accept_permissions(permitted.installed)
    request = permitted.open()
    outcome, _ = permitted.review(tmp_path, request, Line())

    (run,) = permitted.runs(request)
    assert outcome.state == "done"
    assert (run.conclusion, (run.title or "")[:7]) == ("failure", "Blocked")
    assert "Tether could not write its comment" in (run.summary or "")
    assert r"pull\_requests" in (run.summary or "")


@pytest.mark.parametrize("name", ["contents", "pull_requests"])
def test_without_the_right_to_read_the_check_is_red_and_names_it(permitted: Place, tmp_path: Path, name: str) -> None:
    without(permitted, name)
    request = permitted.open()
    outcome, _ = permitted.review(tmp_path, request, Line())

    (run,) = permitted.runs(request)
    assert outcome.state == "dead"
    assert (run.status, run.conclusion) == ("completed", "failure")
    assert name in (run.summary or "").replace(" ", "_")


@pytest.mark.parametrize("gone", ["checks", "suspended", "uninstalled", "elsewhere"])
def test_where_github_takes_no_check_the_job_is_a_dead_letter_that_says_why(
    permitted: Place, tmp_path: Path, gone: str
) -> None:
    request = permitted.open()
    if gone == "checks":
        without(permitted, "checks")
    elif gone == "suspended":
        permitted.world.suspend(permitted.installed)
    else:
        stranger = 999 if gone == "uninstalled" else permitted.stranger().id
        request = replace(request, installation_id=stranger)
    outcome, shop = permitted.review(tmp_path, request, Line())
    if gone == "suspended":
        permitted.world.unsuspend(permitted.installed)

    assert outcome.state == "dead"
    assert outcome.why.startswith("GitHub: ")
    assert shop.unsaid
    assert permitted.runs(request) == ()
    assert permitted.comments(request) == []


def test_a_fork_that_is_gone_is_judged_through_the_base_repository(place: Place, tmp_path: Path) -> None:
    world, repo = place.world, place.world.repo("acme/warehouse")
    fork = world.fork(repo, world.create_user("mallory"))
    world.push(fork, "theirs", {"migrations/2.sql": DROP + "-- fork\n"}, parent="main")
    number = world.open_pull(fork, "theirs", fork_of=repo)
    made = place.request(number)
    world.delete_fork(fork)
    outcome, shop = place.review(tmp_path, made, Line())

    assert outcome.state == "done"
    assert_said(place, made)
    assert shop.writes.edges == {}, "a fork writes nothing to the catalog"
