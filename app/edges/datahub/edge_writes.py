"""One proven edge into the catalog: read, plan, write-if-unchanged, and round again until there is nothing left to plan.

The plan is pure (`app.effects.plan_aspects`), so the read back is simply the next round: a round that plans nothing means
that the edge and its marks are there. The one loop also answers for connections that drop after the write, for conflicts
with other writers, and for jobs that run twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

from app.edges.datahub.threads import OUTAGES, Threads
from app.edges.datahub.urns import find_entity_type
from app.edges.datahub.versioned import ABSENT, Conflict, Held, Unreached, VersionedAspects
from app.effects import (
    INFERRED_TAG,
    TAG_PROPERTIES,
    EdgeWrite,
    Performed,
    find_edge_aspect,
    find_rejection,
    plan_aspects,
)

ROUNDS = 40  # with two writers, losing that often in a row does not happen
_MARKS: Final = ("status", "globalTags", "institutionalMemory")


class EdgeWriter:
    """Writes edges one at a time; the caller sees to it that one entity has one writer in this process."""

    def __init__(self, aspects: VersionedAspects, threads: Threads, *, web_url: str, now: Callable[[], int]) -> None:
        self._aspects = aspects
        self._threads = threads
        self._web_url = web_url
        self._now = now
        self._tagged = False

    async def write(self, write: EdgeWrite, what: str) -> Performed:
        """The outcome, named `what`. Raises the exceptions of `versioned`, and ValueError for an edge of no known shape."""
        entity = write.edge.entity
        entity_type = find_entity_type(entity) or ""
        names = (f"{entity_type}Key", find_edge_aspect(write.edge), *_MARKS)
        written, outages = False, 0
        for attempt in range(ROUNDS):
            held = await self._threads.call(lambda: self._aspects.read(entity_type, entity, names))
            current = {name: aspect.value for name, aspect in held.items()}
            obstacle = find_obstacle(current)
            if obstacle is not None:
                return Performed(what, "edge", "failed", obstacle)
            plan = plan_aspects(write, current, at=self._now(), web_url=self._web_url)
            if not plan:
                return Performed(what, "edge", "written" if written else "already there")
            if find_rejection(current):
                return Performed(
                    what, "edge", "not allowed", f"inferred edges of {entity} were rejected in the catalog"
                )
            try:
                await self._emit(entity_type, write, plan, held)
                written = True
            except Conflict:
                await self._threads.pause_after_conflict(attempt)
            except Unreached as exc:
                # it may have been written all the same: the next round looks
                written, outages = True, outages + 1
                if outages >= OUTAGES:
                    raise
                await self._threads.pause_after(exc, outages)
        raise Conflict(f"other writers kept changing {entity}")

    async def _emit(
        self, entity_type: str, write: EdgeWrite, plan: Mapping[str, Mapping[str, Any]], held: Mapping[str, Held]
    ) -> None:
        if "globalTags" in plan and not self._tagged:
            await asyncio.to_thread(self._ensure_tag)
            self._tagged = True
        for name, value in plan.items():
            await asyncio.to_thread(
                self._aspects.write,
                entity_type,
                write.edge.entity,
                name,
                value,
                version=held.get(name, Held()).version,
                run_id=write.run_id,
                at=self._now(),
            )

    def _ensure_tag(self) -> None:
        """The tag entity, so that DataHub shows a name and a description. Made once; what is there is never overwritten."""
        name = "tagProperties"
        if name in self._aspects.read("tag", INFERRED_TAG, [name]):
            return
        try:
            self._aspects.write(
                "tag", INFERRED_TAG, name, TAG_PROPERTIES, version=ABSENT, run_id="tether-tag", at=self._now()
            )
        except Conflict:
            return  # somebody else made it meanwhile


def find_obstacle(current: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Why nothing may be written onto this entity: it is not in the catalog, or it was deleted there."""
    if not current:
        return "the entity is not in the catalog (any more)"
    if (current.get("status") or {}).get("removed") is True:
        return "the entity was deleted in the catalog"
    return None
