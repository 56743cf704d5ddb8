"""The sandbox as its owner sees it: make things, push, press buttons, cause trouble, look.

This is the Python control for the demo and the tests; no REST token reaches it. Everything is synchronous and may be
called from any thread. A caller inside the event loop that the webhooks are delivered to must wait in a thread
(`await asyncio.to_thread(world.wait_for_deliveries)`), or it waits for itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from app.standin.github.controls import RepoRef
from app.standin.github.controls_accounts import AccountControls
from app.standin.github.controls_pulls import PullControls
from app.standin.github.controls_repos import RepoControls
from app.standin.github.faults import Fault, Faults, Request, Trouble
from app.standin.github.hooks import Courier
from app.standin.github.quota import Quota
from app.standin.github.records import AppRecord, CheckRun, Comment, Delivery, Status
from app.standin.github.state import ApiLimits, Clock, State


class GitHubWorld(AccountControls, RepoControls, PullControls):
    """One GitHub, over bare repositories in `directory`. `webhook_url` is where Apps made here deliver to by default."""

    def __init__(
        self,
        directory: Path | str,
        *,
        webhook_url: str | None = None,
        limits: ApiLimits | None = None,
        delivery_workers: int = 1,
    ) -> None:
        state = State(Path(directory).resolve(), limits=limits or ApiLimits())
        super().__init__(state, Courier(state, workers=delivery_workers), webhook_url=webhook_url)
        self.faults = Faults()
        self.quota = Quota(state.limits)
        self.create_user("sandbox-dev")

    @property
    def clock(self) -> Clock:
        """The sandbox's time; `clock.skip(3600)` lets tokens expire."""
        return self.state.clock

    @property
    def limits(self) -> ApiLimits:
        return self.state.limits

    def close(self) -> None:
        """Stop delivering."""
        self.courier.close()

    # What is there, for asserts.

    def check_runs(self, repo: RepoRef, sha: str) -> tuple[CheckRun, ...]:
        """Every run on a commit, oldest first, duplicates included."""
        return tuple(reversed(self.state.runs_on(self.repo(repo), sha)))

    def comments(self, repo: RepoRef, number: int) -> tuple[Comment, ...]:
        return tuple(self.state.comments_on(self.repo(repo), number))

    def statuses(self, repo: RepoRef, sha: str) -> tuple[Status, ...]:
        return tuple(reversed(self.state.statuses_on(self.repo(repo), sha)))

    def deliveries(self, app: AppRecord | None = None, event: str | None = None) -> tuple[Delivery, ...]:
        """Every attempt so far, oldest first."""
        every = list(self.state.deliveries.values())
        return tuple(d for d in every if (app is None or d.app is app) and event in (None, d.event))

    # Deliveries.

    def wait_for_deliveries(self, timeout: float = 30.0) -> bool:
        """Block until every queued delivery was answered or failed; False when that took too long."""
        return self.courier.wait(timeout)

    def redeliver(self, delivery: Delivery) -> Delivery:
        """Press "Redeliver": the same GUID and body again."""
        return self.courier.redeliver(delivery)

    def lose_next_deliveries(self, count: int = 1) -> None:
        """GitHub never sends the next events."""
        self.courier.lose_next(count)

    def hold_deliveries(self) -> None:
        """Keep events back; `release_deliveries` sends them, in any order."""
        self.courier.hold()

    def release_deliveries(self, order: list[int] | None = None) -> None:
        self.courier.release(order)

    # Trouble, and what clients did.

    def fail_next(
        self,
        method: str,
        path_regex: str,
        trouble: Trouble,
        times: int = 1,
        headers: Mapping[str, str] | None = None,
        message: str = "Planned failure",
    ) -> None:
        """The next `times` matching requests go wrong. `method` "*" is any.

        `trouble`: a status to answer instead; "timeout" and "drop" before, "timeout_after" and "drop_after" behind the
        work: silence, or a cut connection. `path_regex` is searched for in the path without /api/v3.
        """
        self.faults.plan(Fault(method, re.compile(path_regex), trouble, times, dict(headers or {}), message))

    def clear_faults(self) -> None:
        self.faults.clear()

    def requests(self) -> tuple[Request, ...]:
        """What clients asked so far, in the order it was answered."""
        return self.faults.requests()

    def forget_requests(self) -> None:
        self.faults.forget()
