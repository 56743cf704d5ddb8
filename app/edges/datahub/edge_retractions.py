"""Edges of Tether's taken back: read, plan, write-if-unchanged, and round again until nothing of them is left.

The plan is pure (`app.effects.plan_retraction`) and touches only what carries Tether's own proof, so that a retraction that runs
twice, or after somebody else's, finds nothing to do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from app.edges.datahub.edge_writes import ROUNDS, name_edge
from app.edges.datahub.threads import Threads
from app.edges.datahub.urns import find_entity_type
from app.edges.datahub.versioned import Held, Unreached, VersionConflict, VersionedAspects, WriteRefused
from app.effects import CatalogOutcome, Performed, TakenBack, find_edge_aspect, is_ours, plan_retraction
from app.repair import ProvenEdge

_MARKS: Final = ("globalTags", "institutionalMemory")


class EdgeRetractor:
    """Takes the edges of one entity back at a time; the caller sees to it that an entity has one writer in this process."""

    def __init__(self, aspects: VersionedAspects, threads: Threads, *, now: Callable[[], int]) -> None:
        self._aspects = aspects
        self._threads = threads
        self._now = now

    async def retract(
        self, entity: str, edges: Sequence[ProvenEdge], why: TakenBack, run_id: str
    ) -> tuple[Performed, ...]:
        """One outcome for each edge. Raises the exceptions of `versioned`."""
        kind = find_entity_type(entity) or ""
        names = list(dict.fromkeys((f"{kind}Key", *_MARKS, *map(find_edge_aspect, edges))))
        ours: set[ProvenEdge] = set()
        outages = 0
        for attempt in range(ROUNDS):
            held = await self._threads.call(lambda: self._aspects.read(kind, entity, names))
            current = {name: aspect.value for name, aspect in held.items()}
            plan = self._plan(edges, current, why) if current else {}
            if not plan:
                return tuple(_say(edge, "taken back" if edge in ours else "already there") for edge in edges)
            ours.update(edge for edge in edges if is_ours(edge, current.get(find_edge_aspect(edge)) or {}))
            try:
                for name, value in plan.items():
                    version = held.get(name, Held()).version
                    await asyncio.to_thread(
                        self._aspects.write, kind, entity, name, value, version=version, run_id=run_id, at=self._now()
                    )
            except VersionConflict:
                await self._threads.pause_after_conflict(attempt)
            except Unreached as exc:
                # it may have been written all the same: the next round looks
                outages += 1
                await self._threads.pause_after(exc, outages)
        raise VersionConflict(f"other writers kept changing {entity}")

    def _plan(
        self, edges: Sequence[ProvenEdge], current: Mapping[str, Mapping[str, Any]], why: TakenBack
    ) -> Mapping[str, Mapping[str, Any]]:
        try:
            return plan_retraction(edges, current, why=why, at=self._now())
        except (ValueError, TypeError, AttributeError, KeyError) as exc:
            # the plan is pure: what it cannot digest is an aspect of a shape that Tether does not know
            raise WriteRefused(f"the edges cannot be taken back: {exc}") from None


def _say(edge: ProvenEdge, outcome: CatalogOutcome) -> Performed:
    return Performed(name_edge(edge), "edge", outcome)
