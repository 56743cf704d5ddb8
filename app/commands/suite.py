"""`tether bench --suite`, carried out: every scenario of a folder judged, its graph repaired from its own base, judged again."""

from __future__ import annotations

import asyncio
import itertools
import json
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import click

from app.catalog import ServingCatalog
from app.commands.benching import EdgeWriter, open_catalog, open_pool
from app.edges.git import list_directory, read_directory
from app.effects import Judged, Suite, count, plan_edge_writes
from app.lineage.plan import Branch, fetch_repair_plan
from app.offline.bench import Say, judge_scenario
from app.offline.local import LocalSide, local_change
from app.ports import CatalogReads, Isolation
from app.review.assess import assess
from app.review.config import parse_config
from app.source.selection import choose_read
from app.words import CONFIG_PATH, Repo

#: scenarios at a time: each has a catalog of its own, and waits for it most of the time
AT_ONCE = 8
OWN = Path(__file__).parents[2] / "tests" / "scenarios"


def find_suite(name: str) -> Path:
    """The folder of scenarios. Raises `click.UsageError` where there is none."""
    places = [Path(name), *([Path("tests", "scenarios"), OWN] if name == "scenarios" else [])]
    found = next((place for place in places if any(place.glob("*/expected/verdict.json"))), None)
    if found is None:
        looked = " or ".join(str(place) for place in places)
        raise click.UsageError(
            f"--suite {name}: no scenarios (NAME/expected/verdict.json) in {looked};"
            " Tether's own come with a clone of its repository"
        )
    return found


async def run_suite(root: Path, *, say: Say) -> Suite:
    """All scenarios below `root`, a few at a time. Raises `Permanent` for a scenario that cannot be read."""
    start = time.monotonic()
    folders = await asyncio.to_thread(_list, root)
    gate, done = asyncio.Semaphore(AT_ONCE), itertools.count(1)
    async with open_pool() as pool:

        async def run(folder: Path) -> tuple[Judged, Judged, int]:
            async with gate:
                before, after, written = await _run(folder, pool)
            said = f"{before.verdict}, with {count(written, 'edge')} more {after.verdict}"
            say(f"[{next(done)}/{len(folders)}] {folder.name}: {said}")
            return before, after, written

        found = await asyncio.gather(*map(run, folders))
    cold, warm = tuple(one[0] for one in found), tuple(one[1] for one in found)
    return Suite(str(root), cold, warm, sum(one[2] for one in found), time.monotonic() - start)


def _list(root: Path) -> list[Path]:
    return sorted(path.parent.parent for path in root.glob("*/expected/verdict.json"))


async def _run(folder: Path, pool: Isolation) -> tuple[Judged, Judged, int]:
    place = tempfile.TemporaryDirectory(prefix="tether-bench-")
    catalog = ServingCatalog(path=Path(place.name, "catalog.db"))
    await asyncio.to_thread(_load, catalog, folder / "catalog" / "catalog.json")
    try:
        async with open_catalog(catalog) as (reads, writes):
            before = await _judge(folder, reads, pool)
            plan = await fetch_repair_plan([_branch(folder)], catalog=reads, isolation=pool)
            edges = plan_edge_writes(plan.missing, f"bench-{folder.name}")
            performed = await EdgeWriter(writes).write(edges)
            written = sum(one.outcome == "written" for one in performed)
            return before, (await _judge(folder, reads, pool)) if written else before, written
    finally:
        await asyncio.to_thread(catalog.__exit__, None, None, None)
        place.cleanup()


def _load(catalog: ServingCatalog, file: Path) -> None:
    catalog.__enter__()
    if file.is_file():
        catalog.store.load_file(file)


async def _judge(folder: Path, reads: CatalogReads, pool: Isolation) -> Judged:
    base, head = _side(folder / "base"), _side(folder / "head")
    tip = _side(folder / "base_tip") if (folder / "base_tip").is_dir() else base
    facts = (await assess(local_change(base, head, tip, config_text=None), catalog=reads, isolation=pool)).facts
    return judge_scenario(folder.name, json.loads((folder / "expected" / "verdict.json").read_text()), facts)


def _branch(folder: Path) -> Branch:
    """What the repair reads: the base branch as it is before the change."""
    side = _side(folder / "base_tip" if (folder / "base_tip").is_dir() else folder / "base")
    tree = replace(side.tree, repo=f"scenarios/{folder.name}", commit=folder.name)
    return Branch(Repo(0, tree.repo), tree, parse_config(tree.files.get(CONFIG_PATH)))


def _side(folder: Path) -> LocalSide:
    found = read_directory(folder, choose_read(list_directory(folder)))
    return LocalSide(found.tree, found.digests)
