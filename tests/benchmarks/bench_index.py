"""How long it takes to index a repository of thousands of models: cold, with one file changed, and unchanged.

    .venv/bin/python -m tests.benchmarks.bench_index [--models 4000] [--style plain|dbt|both]

The same code as in a review: child processes, the cache in a SQLite store, then the index of readers. Targets for 4,000
models on 2 cores: cold below 15 s, unchanged below 0.5 s, all processes together below 600 MB. CPU seconds are printed
beside the clock's, which count little on a machine that is busy with something else.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.change import find_schema
from app.edges.isolation import ChildPool
from app.edges.store import Store, StoredParses, make_engine, upgrade
from app.source.indexing import build_index
from app.source.parsing import ParsedTree, TreeParser
from app.words import Config, Repo, Schema, Tree
from tests.benchmarks.models import make_dbt_repository, make_plain_repository

MAKE = {"plain": make_plain_repository, "dbt": make_dbt_repository}
ENGINE_MODULES = ("app.change", "app.render", "app.reads")


@dataclass(frozen=True, slots=True)
class Cost:
    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:7.2f} s   {self.cpu:7.2f} CPU s"


class Meter:
    """Wall and CPU time of this process and all below it."""

    def __init__(self) -> None:
        self.wall, self.cpu = time.perf_counter(), _cpu_seconds()

    def read(self) -> Cost:
        return Cost(time.perf_counter() - self.wall, _cpu_seconds() - self.cpu)


async def measure(style: str, count: int, store: Store) -> None:
    files = MAKE[style](count)
    size = sum(map(len, files.values())) / 1024
    print(f"{style}: {count} models, {size / 1024:.1f} MB, {size / count:.2f} KB each")
    pool = ChildPool(preload=ENGINE_MODULES)
    cache = StoredParses(store, installation_id=1)
    try:
        tree = Tree(files)
        schema = await _index("cold", pool, cache, tree, {})
        await _index("with known columns", pool, cache, tree, schema)
        await _index("unchanged", pool, cache, Tree(dict(files)), schema)
        path, text = next(reversed([item for item in files.items() if item[0].endswith(".sql")]))
        changed = Tree(files | {path: text.replace("'low'", "'least'")})
        await _index("one file changed", pool, cache, changed, schema, lasting=False)
        print(f"  memory of all processes     {_peak_megabytes():7.0f} MB")
    finally:
        await pool.close()


async def _index(
    name: str, pool: ChildPool, cache: StoredParses, tree: Tree, schema: Schema, *, lasting: bool = True
) -> Schema:
    """A review of its own. The schema that the files themselves tell."""
    gc.collect()
    meter = Meter()
    parsed = await TreeParser(pool, Config(dialect="snowflake"), None, cache).parse(tree, schema, lasting=lasting)
    index = build_index(Repo(1, "shop/models"), parsed)
    cost = meter.read()
    print(f"  {name:20} {cost}   {len(index.readers)} readers, {_unread(parsed)} unread")
    return find_schema(parsed.files, {})


def _unread(parsed: ParsedTree) -> int:
    return sum(bool(file.unknowns) for file in parsed.files)


# --- /proc ---------------------------------------------------------------------------------------------------------


def _family() -> Iterator[Path]:
    """This process and all below it, as folders of /proc."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents.setdefault(int(_stat(folder)[1]), []).append(int(folder.name))
        except OSError:
            continue  # it has just ended
    waiting = [os.getpid()]
    while waiting:
        pid = waiting.pop()
        waiting += parents.get(pid, [])
        yield Path("/proc", str(pid))


def _stat(folder: Path) -> list[str]:
    """The fields behind the name: state, parent, ..."""
    return (folder / "stat").read_text().rpartition(") ")[2].split()


def _cpu_seconds() -> float:
    ticks = os.sysconf("SC_CLK_TCK")
    return sum(sum(map(int, _stat(folder)[11:13])) for folder in _family()) / ticks


def _peak_megabytes() -> float:
    """Their largest sizes, summed as if they had been reached at the same time; shared pages count once for each."""
    found = 0
    for folder in _family():
        lines = dict(line.partition(":")[::2] for line in (folder / "status").read_text().splitlines())
        found += int(lines["VmHWM"].split()[0])
    return found / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=4000)
    parser.add_argument("--style", choices=["plain", "dbt", "both"], default="both")
    options = parser.parse_args()
    for style in MAKE if options.style == "both" else [options.style]:
        with tempfile.TemporaryDirectory(prefix="tether-bench-") as folder:
            engine = make_engine(f"sqlite:///{folder}/store.db")
            upgrade(engine)
            asyncio.run(measure(style, options.models, Store(engine)))
            engine.dispose()


if __name__ == "__main__":
    main()
