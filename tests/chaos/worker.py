"""A process that runs the real queue and the real review around fakes that keep their state in a file, so that it can be killed.

A file `deliver` in its folder is a delivery for whichever process sees it first. At the call `block_at` it writes `reached` there
and stands still; "" never blocks. The judgement takes `hold` seconds. A lease that is not renewed ends after `lease`.
"""

from __future__ import annotations

import asyncio
import pickle
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from app.edges.store import Store, make_engine
from app.jobs.queue import Queue, QueueOptions
from app.jobs.work import JobRunner
from app.lineage.writer import LineageWriter
from app.ports import Ports
from app.review.context import ReviewContext
from tests.fakes.catalog import FakeCatalogWrites
from tests.fakes.forge import CheckRun, Comment, FakeForge
from tests.jobs.requests import review
from tests.review.shop import CREATE, DROP, Nothing, StandIn

OPTIONS = QueueOptions(backoff=(0.2, 0.2), poll=0.1, beat=0.3)


class Outside:
    """GitHub and the catalog: what is in the file is what happened, whoever dies."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "outside.pickle"

    def save(self, forge: FakeForge, writes: FakeCatalogWrites) -> None:
        state = (forge.all_check_runs, forge.all_comments, writes.incidents, writes.edges)
        new = self._file.with_suffix(f".{time.monotonic_ns()}")
        new.write_bytes(pickle.dumps(state))
        new.rename(self._file)

    def load(self) -> tuple[list[CheckRun], list[Comment], dict[str, set[str]], dict[Any, Any]]:
        if not self._file.exists():
            return [], [], {}, {}
        state: tuple[list[CheckRun], list[Comment], dict[str, set[str]], dict[Any, Any]] = pickle.loads(  # noqa: S301
            self._file.read_bytes()  # written by this test, a moment ago
        )
        return state


def build_world(forge: FakeForge) -> None:
    base = {"migrations/1.sql": CREATE}
    forge.add_repo(1, "acme/warehouse", base)
    forge.add_repo(2, "acme/features", {"customer.sql": "select discount from shop.raw.orders"})
    forge.add_commit(1, "head", {**base, "migrations/2.sql": DROP}, parent="base")
    forge.add_pull(1, 7, "head")


def build_queue(folder: Path, host: str, block_at: str, hold: float, lease: float) -> Queue:
    forge, writes, outside = FakeForge(), FakeCatalogWrites(), Outside(folder)
    build_world(forge)

    def refresh(name: str) -> None:
        """Before each call: look at what is there. After an effect (`_answer`): it is there, whatever comes next."""
        if name.endswith("_answer"):
            outside.save(forge, writes)
        else:
            forge.all_check_runs, forge.all_comments, writes.incidents, writes.edges = outside.load()
        if name == block_at:
            (folder / "reached").touch()
            time.sleep(3600)

    forge.on_call = writes.on_call = refresh

    async def judge_slowly() -> None:
        (folder / "judging").touch()
        await asyncio.sleep(hold)

    store = Store(make_engine(f"sqlite:///{folder}/chaos.db"))
    nothing: Any = Nothing()
    judge = StandIn(hold=judge_slowly)

    async def refuse(_: object) -> NoReturn:
        raise AssertionError("nothing else is asked for here")

    ports = Ports(forge, nothing, writes, nothing)
    lineage = LineageWriter.opener(store, writes)
    context = ReviewContext(ports, store, judge, refuse, refuse, refuse, lineage, settle=0)
    return Queue(f"sqlite:///{folder}/chaos.db", store, JobRunner(context), replace(OPTIONS, host=host, lease=lease))


def work(where: str, host: str, block_at: str, hold: float, lease: float) -> NoReturn:
    folder = Path(where)
    queue = build_queue(folder, host, block_at, hold, lease)
    queue.start()
    (folder / f"up-{host}").touch()
    while True:
        if (folder / "deliver").exists():
            (folder / "deliver").unlink()
            queue.accept(review(sha="head"))
        time.sleep(0.02)
