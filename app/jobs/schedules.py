"""What runs by the clock, in UTC: the nightly purge, the hourly sweep, the repair every six hours. The queue's scheduler runs it.

Processes that share a database share the schedule too: each turn is one job, whose id is made of its time. Minutes are not
those at which everybody else wakes up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from app.edges.store import Store, load_ledger_installations
from app.jobs.retention import FinishedJobs, purge
from app.requests import JobRequest, RepairRequest, SweepRequest

NIGHTLY: Final = "15 3 * * *"
HOURLY: Final = "17 * * * *"
EVERY_SIX_HOURS: Final = "40 */6 * * *"


class AcceptsJobs(FinishedJobs, Protocol):
    """The queue, for what a schedule asks of it. Both methods block."""

    def accept(self, request: JobRequest) -> object: ...


@dataclass(frozen=True, slots=True)
class Schedule:
    """`run` is called with the time of the turn, in a thread. `name` stands in stored rows."""

    name: str
    cron: str
    run: Callable[[datetime], object]


@dataclass(frozen=True, slots=True)
class Times:
    """Cron expressions; "": not at all."""

    purge: str = NIGHTLY
    sweep: str = ""
    repair: str = ""


def plan_schedules(times: Times, store: Store, queue: AcceptsJobs) -> tuple[Schedule, ...]:
    """Those that have a time."""
    made = (
        Schedule("purge", times.purge, lambda at: purge(store, queue, at)),
        Schedule("sweep", times.sweep, lambda at: queue.accept(SweepRequest(f"sweep:{at.isoformat()}"))),
        Schedule("repair", times.repair, lambda at: _ask_for_repairs(store, queue, at)),
    )
    return tuple(schedule for schedule in made if schedule.cron)


def _ask_for_repairs(store: Store, queue: AcceptsJobs, at: datetime) -> None:
    """One of every installation whose edges are kept."""
    with store.begin() as connection:
        installations = load_ledger_installations(connection)
    for installation_id in installations:
        if installation_id:  # 0 is the command line's
            queue.accept(RepairRequest(f"repair:{installation_id}:{at.isoformat()}", installation_id, "schedule"))
