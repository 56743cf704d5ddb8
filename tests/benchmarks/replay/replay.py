"""Judge what was merged, commit by commit, through the stable door, and keep what Tether said as a line of JSON each."""

from __future__ import annotations

import asyncio
import json
import os
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from app.commands.opening import open_catalog, open_pool
from app.commands.trees import read_commit
from app.effects import report_json, report_text
from app.offline.judge import judge_trees
from app.offline.local import LocalSide
from app.ports import CatalogReads, Isolation
from app.review.config import parse_config
from app.source.remembered import RunParseCache
from app.words import Config
from tests.benchmarks.replay.git_objects import MergedCommit, fetch_merged
from tests.benchmarks.replay.proposals import Proposal
from tests.benchmarks.replay.repositories import Repository
from tests.benchmarks.replay.synthesis import Synthesis, count_proposals, open_synthesis

MOST_SECONDS = 600.0  # for one commit
MOST_TEXT = 12_000
MOST_REMOVALS = 80
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """`epoch`: a new catalog after so many commits. `budget`: seconds, after which no further commit is begun."""

    most: int = 60
    share: float = 0.33
    epoch: int = 1
    budget: float = 600.0
    paths: tuple[str, ...] = ("*.sql",)
    dates: Mapping[str, str] = field(default_factory=dict)


async def replay_repository(
    repository: Repository, clone: Path, plan: Plan, out: Path, say: Callable[[str], None]
) -> int:
    """How many commits were judged now. Those that `out` holds already are not judged again."""
    done = {record["sha"] for record in load_records(out)}
    commits = fetch_merged(clone, plan.most, paths=plan.paths, dates=plan.dates)
    due = [commit for commit in commits if commit.sha not in done]
    end, count = time.monotonic() + plan.budget, 0
    with open_synthesis(clone, repository, plan.share) as synthesis, out.open("a") as file:
        async with open_pool() as pool:
            judge = _Judge(repository, clone, pool)
            for start in range(0, len(due), plan.epoch):
                if time.monotonic() > end:
                    say(f"{repository.name}: the budget is used up after {count} of {len(due)} commits")
                    break
                part = due[start : start + plan.epoch]
                for record in await _judge_part(part, synthesis, judge, say):
                    file.write(json.dumps(record) + "\n")
                    file.flush()
                    count += 1
    return count


async def _judge_part(
    commits: list[MergedCommit], synthesis: Synthesis, judge: _Judge, say: Callable[[str], None]
) -> list[Record]:
    """These commits against the catalog of the first one's parent."""
    proposals: list[Proposal] = synthesis.make_catalog(commits[0].parent)
    say(f"{judge.repository.name}: catalog at {commits[0].parent[:9]}: {count_proposals(proposals)}")
    found = []
    async with open_catalog(proposals) as reads:
        for commit in commits:
            found.append(await judge.judge(commit, reads))
            last = found[-1]
            say(f"  {commit.sha[:9]} {commit.day} {last['verdict']:13} {last['seconds']} s | {last['title'][:110]}")
    return found


class _Judge:
    """One repository's commits; what is the same in two of them is read and parsed once."""

    def __init__(self, repository: Repository, clone: Path, pool: Isolation) -> None:
        self.repository = repository
        self._config: Config = parse_config(repository.config)
        self._pool = pool
        self._cache = RunParseCache()

        @lru_cache(maxsize=4)
        def read(revision: str) -> LocalSide:
            return read_commit(clone, revision, self._config)

        self._read = read

    async def judge(self, commit: MergedCommit, reads: CatalogReads) -> Record:
        """What Tether said; a failure of Tether is a verdict "crash" with its trace."""
        cpu, start = measure_cpu(), time.perf_counter()
        record: Record = {"repository": self.repository.name, **asdict(commit)}
        try:
            record |= await asyncio.wait_for(self._say(commit, reads), MOST_SECONDS)
        except Exception as error:  # noqa: BLE001 - the next commit is judged all the same, and the table counts it
            record |= {"verdict": "crash", "title": repr(error)[:400], "trace": traceback.format_exc()[-3000:]}
        seconds = {"seconds": round(time.perf_counter() - start, 2), "cpu_seconds": round(measure_cpu() - cpu, 2)}
        return {**record, **seconds}

    async def _say(self, commit: MergedCommit, reads: CatalogReads) -> Record:
        base, head = self._read(commit.parent), self._read(commit.sha)
        assessment = await judge_trees(
            base, head, config=self._config, catalog=reads, isolation=self._pool, cache=self._cache
        )
        facts = assessment.facts
        report = report_json(facts)
        return {
            "verdict": facts.verdict.judged,
            "title": facts.verdict.title,
            "removal_count": len(facts.removals),
            "removals": report["removals"][:MOST_REMOVALS],
            **{key: report[key] for key in ("findings", "unknowns", "completeness")},
            "text": report_text(facts)[:MOST_TEXT],
        }


def load_records(file: Path) -> list[Record]:
    """What was judged before; nothing where there is no such file."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.is_file() else []


def measure_cpu() -> float:
    """CPU seconds of this process and all that it started: the clock of a busy machine says little. 0 where there is no /proc."""
    ticks = os.sysconf("SC_CLK_TCK")
    parents: dict[int, int] = {}
    used: dict[int, float] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(") ")[2].split()
        except OSError:  # it ended meanwhile
            continue
        number = int(path.parent.name)
        parents[number], used[number] = int(fields[1]), sum(map(int, fields[11:15])) / ticks
    own = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in own} - own:
        own |= more
    return sum(used.get(number, 0.0) for number in own)
