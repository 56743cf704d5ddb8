"""The demo's pull requests: what they change, what they should come to, and what GitHub shows of them afterwards."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from app.standin.demo.setup import CHECK, FILES, Setup
from app.standin.github import CheckRun
from app.words import Permanent

REVIEW_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Expected:
    """`folder` below app/standin/data/pulls. `model` is the serving model that must be named; None: nothing may be lost."""

    folder: str
    conclusion: str
    model: str | None


PULLS = (
    Expected("1-drop-discount", "failure", "churn_propensity_v4"),
    Expected("2-rename-quantity", "failure", "dynamic_pricing_v2"),
    Expected("3-rename-tier", "failure", "ltv_uplift_v1"),
    Expected("4-promotions", "success", None),
)


@dataclass(frozen=True, slots=True)
class Shown:
    """One pull request as GitHub shows it. `rows`: (what is lost, model, owner, last trained) of the comment's
    table. `edges`: how many were written / refused."""

    number: int
    title: str
    conclusion: str
    check_title: str
    rows: tuple[tuple[str, str, str, str], ...]
    edges: str
    seconds: float


def open_pulls(setup: Setup) -> dict[int, Expected]:
    """Push a branch for each and open it; number -> what it should come to."""
    opened: dict[int, Expected] = {}
    for pull in PULLS:
        folder = FILES / "pulls" / pull.folder
        title, _, body = (folder / "pull.md").read_text().partition("\n")
        changes = {
            path.relative_to(folder).as_posix(): path.read_text()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name != "pull.md"
        }
        setup.world.push(setup.warehouse, pull.folder, changes, title)
        opened[setup.world.open_pull(setup.warehouse, pull.folder, title=title, body=body.strip())] = pull
    return opened


def await_conclusion(setup: Setup, number: int) -> Shown:
    """Wait until the head's check is completed. Raises `Permanent` with the end of Tether's log when it does not come."""
    start = time.monotonic()
    pull = setup.world.pull(setup.warehouse, number)
    while time.monotonic() - start < REVIEW_SECONDS:
        runs = setup.world.check_runs(setup.warehouse, pull.head_sha)
        is_done = runs and all(run.status == "completed" for run in runs)
        red = any(run.conclusion == "failure" for run in runs)
        if is_done and (not red or setup.world.comments(setup.warehouse, number)):  # the comment follows the check
            return _shown(setup, number, pull.title, runs)
        time.sleep(0.05)
    raise Permanent(
        f"no concluded check (and, if red, comment) on pull request {number}; the end of Tether's log:\n{tail(setup)}"
    )


def tail(setup: Setup) -> str:
    return setup.log.read_text(errors="replace")[-3000:]


def _shown(setup: Setup, number: int, title: str, runs: tuple[CheckRun, ...]) -> Shown:
    named = [run for run in runs if run.name == CHECK]
    if len(named) != 1:
        raise Permanent(f"pull request {number} has {len(named)} check runs named {CHECK!r}, not one")
    run = named[0]
    comments = setup.world.comments(setup.warehouse, number)
    if len(comments) > 1:
        raise Permanent(f"pull request {number} has {len(comments)} comments, not one")
    rows = find_rows(comments[0].body) if comments else ()
    took = (run.completed_at - run.started_at).total_seconds() if run.completed_at and run.started_at else 0.0
    return Shown(number, title, run.conclusion or "", run.title or "", rows, count_edges(run.summary or ""), took)


def count_edges(summary: str) -> str:
    """What the check's summary says of edges: written, and refused with a reason."""
    _, _, refused = summary.partition("Connections that were not written:")
    written = summary.count("\n- Edge written: ")
    return f"{written} / {refused.partition('###')[0].count(chr(10) + '- ')}"


def find_rows(body: str) -> tuple[tuple[str, str, str, str], ...]:
    """The first four cells of each row of the comment's table, code marks taken off."""
    rows = []
    for line in body.splitlines():
        cells = [cell.strip().strip("`") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 5 and cells[0] != "What is lost" and not set(cells[0]) <= {"-", ":"}:
            rows.append((cells[0], cells[1], cells[2], cells[3]))
    return tuple(rows)
