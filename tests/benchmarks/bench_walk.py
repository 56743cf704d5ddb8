"""How long a review waits for the catalog: one lost column, 3,000 features behind it, in a catalog of 20,000 datasets.

    python -m tests.benchmarks.bench_walk [--rounds N] [--lake full|wide|small] [--no-naive]

The embedded catalog answers over HTTP from a process of its own; the walk is the product's (`app.review.follow`), in another
process, so that its memory can be told. In the same run a walk that asks for one entity at a time. Exit 1 when a limit
below is missed; the times are those of the best round, because other work on the machine only ever adds.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from app.change import Removal, RemovalReport
from app.cli import GC_THRESHOLD
from app.edges.datahub import DataHubReads
from app.review.follow import follow
from app.source.parsing import TreeParser
from app.trail import Naming, SqlIndex
from app.words import Config, Evidence
from tests.benchmarks.lake import LOST, Lake, open_lake
from tests.fakes.isolation import InlineIsolation

MOST_REQUESTS = 20
MOST_SECONDS = 3.0
MOST_MEGABYTES = 400
LAKES = {
    "full": Lake(),
    "wide": Lake(fan=(10, 100, 600), lost=5),
    "small": Lake(datasets=400, tables=100, fan=(2, 4, 8)),
}


@dataclass(frozen=True, slots=True)
class Measured:
    """`listing`: requests and seconds for the names of all datasets, which a review asks for before it walks. `cpu`: seconds
    that the client itself computed, in all: what is left of the time is the server's, and that of other work on the machine.
    """

    requests: int
    seconds: float
    listing_requests: int
    listing_seconds: float
    hops: int
    entities: int
    features: int
    models: int
    complete: bool
    megabytes: float
    cpu: float


def removal() -> RemovalReport:
    relation, _, column = LOST.rpartition(".")
    where = Evidence("migrations/0002.sql", 1, f"ALTER TABLE {relation} DROP COLUMN {column};")
    return RemovalReport((Removal("column_dropped", relation, column, where),))


async def walk_batched(url: str) -> Measured:
    """As a review does: names, then hop by hop until nothing is wanted."""
    config = Config()
    reads = DataHubReads(url, None)
    counted = _Counted(reads)
    started, computed = time.perf_counter(), time.process_time()
    naming = Naming.of(await reads.fetch_urns("dataset"), config)
    listed, listing = time.perf_counter(), counted.requests
    parser = TreeParser(InlineIsolation(), config)
    followed = await follow(removal(), SqlIndex(), naming, config, schema={}, catalog=reads, parser=parser)
    seconds = time.perf_counter() - listed
    await reads.aclose()
    trails = followed.walk.trails
    return Measured(
        requests=counted.requests - listing,
        seconds=seconds,
        listing_requests=listing,
        listing_seconds=listed - started,
        hops=followed.graph.hops,
        entities=followed.walk.entities,
        features=len({trail.feature for trail in trails if trail.feature}),
        models=len({trail.model for trail in trails if trail.model}),
        complete=followed.graph.complete,
        megabytes=_peak(),
        cpu=time.process_time() - computed,
    )


class _Counted:
    """Counts what really leaves the client, whatever it says itself."""

    def __init__(self, reads: DataHubReads) -> None:
        self.requests = 0
        client, _ = reads._wire._open()  # noqa: SLF001 - the one place where a request cannot be missed
        client.event_hooks["request"].append(self._count)

    async def _count(self, request: httpx.Request) -> None:
        del request
        self.requests += 1


async def walk_one_by_one(url: str, lake: Lake) -> Measured:
    """The same entities, each asked for by itself: its aspects, then what points at it."""
    started, computed = time.perf_counter(), time.process_time()
    requests, seen = 0, set[str]()
    relation, _, column = LOST.rpartition(".")
    dataset = f"urn:li:dataset:(urn:li:dataPlatform:snowflake,{relation},PROD)"
    queue = [dataset, f"urn:li:schemaField:({dataset},{column})"]
    async with httpx.AsyncClient(base_url=url, timeout=30) as client:
        while queue:
            urn = queue.pop()
            if urn in seen:
                continue
            seen.add(urn)
            requests += 2
            queue += [other for other in await _ask_one(client, urn) if _leads_on(lake, urn, other)]
    return Measured(
        requests=requests,
        seconds=time.perf_counter() - started,
        listing_requests=0,
        listing_seconds=0,
        hops=0,
        entities=len(seen),
        features=sum(urn.startswith("urn:li:mlFeature:") for urn in seen),
        models=sum(urn.startswith("urn:li:mlModel:") for urn in seen),
        complete=True,
        megabytes=_peak(),
        cpu=time.process_time() - computed,
    )


async def _ask_one(client: httpx.AsyncClient, urn: str) -> list[str]:
    kind = urn.split(":", 3)[2]
    entity = await client.get(f"/openapi/v3/entity/{kind}/{quote(urn, safe='')}")
    properties: dict[str, Any] = {}
    if entity.status_code == 200:
        properties = (entity.json().get("mlModelProperties") or {}).get("value") or {}
    answer = await client.get(
        "/openapi/relationships/v1/", params={"urn": urn, "direction": "INCOMING", "count": 10_000}
    )
    related = [row["urn"] for row in answer.raise_for_status().json()["entities"]]
    return [*related, *properties.get("deployments", ()), *properties.get("groups", ())]


def _leads_on(lake: Lake, urn: str, other: str) -> bool:
    """A lost column leads to columns, and to the features that stand behind it; a model's siblings are left alone."""
    kinds = urn.split(":", 3)[2], other.split(":", 3)[2]
    if kinds == ("dataset", "mlFeature"):
        return int(other.rstrip(")").rpartition("c")[2]) < lake.lost
    return kinds not in (("mlModelGroup", "mlModel"), ("mlModelDeployment", "mlModel"), ("dataset", "schemaField"))


def _peak() -> float:
    """Megabytes. getrusage would not do: on Linux its peak is inherited from the process that started this one."""
    status = Path("/proc/self/status")
    if status.is_file():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


# --- processes -----------------------------------------------------------------------------------------------------


@contextmanager
def served(path: Path) -> Iterator[str]:
    """The embedded catalog over this file, in a process of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "app.cli", "catalog", "serve", "--file", str(path), "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait(url, process)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError("the catalog ended before it answered")
        try:
            httpx.get(f"{url}/health", timeout=5).raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("the catalog did not start")


def measure(url: str, way: str, lake: str) -> Measured:
    """One walk in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.bench_walk", "--client", way, "--url", url, "--lake", lake]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Measured(**json.loads(done.stdout))


def find_misses(lake: Lake, found: Measured) -> list[str]:
    """What the walk should have kept and did not."""
    misses = []
    if (found.features, found.complete) != (lake.lost_features, True):
        misses.append(f"{found.features} features instead of {lake.lost_features}, complete: {found.complete}")
    if found.requests + found.listing_requests > MOST_REQUESTS:
        misses.append(f"more than {MOST_REQUESTS} requests")
    if found.seconds + found.listing_seconds > MOST_SECONDS:
        misses.append(f"more than {MOST_SECONDS} s")
    if found.megabytes > MOST_MEGABYTES:
        misses.append(f"more than {MOST_MEGABYTES} MB")
    return misses


def _show(name: str, found: Measured) -> None:
    print(
        f"{name:12} {found.requests:6} requests {found.seconds:7.2f} s"
        f" (+ {found.listing_requests} and {found.listing_seconds:.2f} s for the names of all datasets)"
        f" | {found.hops} fetches, {found.entities} entities, {found.features} features, {found.models} models"
        f" | {found.megabytes:.0f} MB, {found.cpu:.2f} s of CPU | complete: {found.complete}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--lake", choices=sorted(LAKES), default="full")
    parser.add_argument("--no-naive", action="store_true", help="Leave out the walk of one request per entity.")
    parser.add_argument("--client", choices=["batched", "naive"], help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.client:
        gc.set_threshold(GC_THRESHOLD, 20, 20)  # as the product's own processes do
        walk = walk_batched(given.url) if given.client == "batched" else walk_one_by_one(given.url, LAKES[given.lake])
        print(json.dumps(asdict(asyncio.run(walk))))
        return 0
    return run(given.lake, rounds=given.rounds, naive=not given.no_naive)


def run(name: str, *, rounds: int, naive: bool) -> int:
    """Prints what it measured; 1 when a limit was missed."""
    lake = LAKES[name]
    print(
        f"{lake.datasets} datasets, {lake.datasets * lake.columns} columns, {lake.features} features, {lake.tables} models;"
        f" {lake.lost_features} features over 6 hops"
    )
    with served(open_lake(lake)) as url:
        rounds_found = [measure(url, "batched", name) for _ in range(rounds)]
        best = min(rounds_found, key=lambda one: one.seconds + one.listing_seconds)
        _show("batched", best)
        if naive:
            single = measure(url, "naive", name)
            _show("one by one", single)
            print(
                f"ratio: {single.requests / (best.requests + best.listing_requests):.0f} times the requests,"
                f" {single.seconds / (best.seconds + best.listing_seconds):.0f} times as long"
            )
    misses = find_misses(lake, best)
    print("all limits kept" if not misses else f"missed: {'; '.join(misses)}")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
