"""A scenario judged: once as it is, once as an older server tells of its catalog, once with its own edges in the catalog.

Everything that tests ask of one scenario is asked of one judgement, so that no tree is parsed twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from unittest import mock

import httpx

from app.catalog import CatalogStore, Proposal, create_app, routing
from app.edges.datahub import DataHubReads
from app.effects import ReviewFacts, plan_aspects, plan_edge_writes
from app.lineage.plan import Branch, RepairPlan, fetch_repair_plan
from app.offline.local import local_change
from app.offline.scenario import Scenario
from app.review.assess import ChangeInputs, assess
from app.review.config import parse_config
from app.source.remembered import RunParseCache
from app.words import CONFIG_PATH, Repo, Tree
from tests.fakes.isolation import InlineIsolation
from tests.fakes.serving import Answer, Faulty
from tests.suite import sides

R = TypeVar("R")
Fault = Callable[[str, str, int], Answer | None]


@dataclass(frozen=True)
class Judgement:
    """`branch` is what the repair read, `plan` what it found; `warm` is the verdict once those edges stand in the catalog."""

    cold: ReviewFacts
    branch: Tree
    plan: RepairPlan
    warm: ReviewFacts


class Judge:
    """One scenario with its catalog. A context manager."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._store = CatalogStore()
        self._store.load(scenario.proposals, scenario.name)
        self._parsed = RunParseCache()
        base, head, tip = sides(scenario)
        self._tip = tip.tree
        self._change: ChangeInputs = local_change(base, head, tip, config_text=None)

    def __enter__(self) -> Judge:
        self._here = mock.patch.object(routing, "run_in_threadpool", answer_here)
        self._here.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._here.stop()
        self._store.close()

    async def assess(self, fault: Fault | None = None) -> ReviewFacts:
        """Through the embedded catalog, which `fault` may make to fail, and the real client."""
        reads = self._open(fault)
        try:
            isolation = InlineIsolation()
            found = await assess(self._change, catalog=reads, isolation=isolation, cache=self._parsed)
            return found.facts
        finally:
            await reads.aclose()

    async def repair(self, cold: ReviewFacts) -> Judgement:
        """Finds what a repair of the tip would write, writes it, and judges again."""
        now = Tree(self._tip.files, "c0ffee", "acme/sql", self._tip.unread)
        branch = Branch(Repo(1, "acme/sql"), now, parse_config(now.files.get(CONFIG_PATH)))
        reads = self._open(None)
        try:
            plan = await fetch_repair_plan([branch], catalog=reads, isolation=InlineIsolation(), cache=self._parsed)
        finally:
            await reads.aclose()
        return Judgement(cold, now, plan, await self.assess() if self._write(plan) else cold)

    def _open(self, fault: Fault | None) -> DataHubReads:
        app = create_app(self._store)
        return DataHubReads(
            "http://catalog.embedded", None, transport=httpx.ASGITransport(app if fault is None else Faulty(app, fault))
        )

    def _write(self, plan: RepairPlan) -> int:
        """What the writer plans, put into the catalog without its network; how many aspects."""
        held: dict[str, dict[str, Any]] = {}
        proposals = []
        for write in plan_edge_writes(plan.missing, "run"):
            entity = write.edge.entity
            current = held.setdefault(entity, {**plan.graph.aspects.get(entity, {})})
            for name, value in plan_aspects(write, current, at=1).items():
                current[name] = value
                proposals.append(Proposal(entity, name, value=value))
        return len(self._store.write(proposals))


async def answer_here(function: Callable[..., R], *arguments: object) -> R:
    """The catalog's work done at once: one client asks it, and a thread for each of its small answers costs more than they do."""
    return function(*arguments)


async def judge(scenario: Scenario) -> Judgement:
    """Cold, repaired and warm."""
    with Judge(scenario) as one:
        return await one.repair(await one.assess())
