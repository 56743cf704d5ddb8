"""`tether bench --suite`: every scenario of a folder judged, its graph repaired from its own base, judged again."""

from __future__ import annotations

import asyncio
import itertools
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import click

from app.catalog import ServingCatalog
from app.commands.opening import open_pool
from app.commands.served import open_clients
from app.edges.git import read_contents
from app.effects import Judged, Suite, count, plan_edge_writes
from app.lineage.plan import Branch, fetch_repair_plan
from app.offline.bench import Say, judge_scenario
from app.offline.judge import judge_trees
from app.offline.local import LocalSide
from app.offline.scenario import Files, Scenario, list_scenarios, load_scenario, locate_suite
from app.ports import CatalogReads, Isolation
from app.review.config import parse_config
from app.source.selection import choose_read
from app.words import CONFIG_PATH, Repo

#: scenarios at a time: each has a catalog of its own, and waits for it most of the time
AT_ONCE = 8


def find_suite(name: str) -> Path:
    """The folder of scenarios. Raises `click.UsageError` where there is none."""
    found = locate_suite(name)
    if found is None:
        raise click.UsageError(
            f"--suite {name}: no scenarios (NAME.md) in {name}; name a folder that holds some,"
            " or write --suite scenarios for Tether's own"
        )
    return found


async def run_suite(root: Path, *, say: Say) -> Suite:
    """All scenarios in `root`, a few at a time. Raises `Permanent` for a scenario that cannot be read."""
    start = time.monotonic()
    scenarios = await asyncio.to_thread(_load_all, root)
    gate, done = asyncio.Semaphore(AT_ONCE), itertools.count(1)
    async with open_pool() as pool:

        async def run(scenario: Scenario) -> tuple[Judged, Judged, int]:
            async with gate:
                before, after, written = await _run(scenario, pool)
            sentence = f"{before.verdict}, with {count(written, 'edge')} more {after.verdict}"
            say(f"[{next(done)}/{len(scenarios)}] {scenario.name}: {sentence}")
            return before, after, written

        found = await asyncio.gather(*map(run, scenarios))
    cold, warm = tuple(one[0] for one in found), tuple(one[1] for one in found)
    return Suite(str(root), cold, warm, sum(one[2] for one in found), time.monotonic() - start)


def _load_all(root: Path) -> list[Scenario]:
    return [load_scenario(root, name) for name in list_scenarios(root)]


async def _run(scenario: Scenario, pool: Isolation) -> tuple[Judged, Judged, int]:
    place = tempfile.TemporaryDirectory(prefix="tether-bench-")
    catalog = ServingCatalog(path=Path(place.name, "catalog.db"))
    await asyncio.to_thread(_load, catalog, scenario)
    try:
        async with open_clients(catalog) as (reads, writer):
            before = await _judge(scenario, reads, pool)
            plan = await fetch_repair_plan([_branch(scenario)], catalog=reads, isolation=pool)
            edges = plan_edge_writes(plan.missing, f"bench-{scenario.name}")
            performed = await writer.write(edges)
            written = sum(one.outcome == "written" for one in performed)
            return before, (await _judge(scenario, reads, pool)) if written else before, written
    finally:
        await asyncio.to_thread(catalog.__exit__, None, None, None)
        place.cleanup()


def _load(catalog: ServingCatalog, scenario: Scenario) -> None:
    catalog.__enter__()
    catalog.store.load(scenario.proposals, scenario.name)


async def _judge(scenario: Scenario, reads: CatalogReads, pool: Isolation) -> Judged:
    base, head, tip = map(read_side, (scenario.base, scenario.head, scenario.tip))
    assessment = await judge_trees(base, head, tip=tip, catalog=reads, isolation=pool)
    return judge_scenario(scenario, assessment.facts)


def _branch(scenario: Scenario) -> Branch:
    """What the repair reads: the base branch as it is before the change."""
    tree = replace(read_side(scenario.tip).tree, repo=f"scenarios/{scenario.name}", commit=scenario.name)
    return Branch(Repo(0, tree.repo), tree, parse_config(tree.files.get(CONFIG_PATH)))


def read_side(files: Files) -> LocalSide:
    """A scenario's files as a directory of them would be read."""
    links = [path for path, content in files.items() if content.kind == "symlink"]
    contents = {path: content.data for path, content in files.items()}
    found = read_contents(contents, choose_read(contents), links=links)
    return LocalSide(found.tree, found.digests)
