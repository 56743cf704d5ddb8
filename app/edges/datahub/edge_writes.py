"""Proven edges into the catalog: read, plan, write-if-unchanged, and round again until there is nothing left to plan.

The plan is pure (`app.effects.plan_aspects`), so the read back is simply the next round: a round that plans nothing means
that the edges and their marks are there. The one loop also answers for connections that drop after the write, for
conflicts with other writers, and for jobs that run twice. All edges of one entity are planned on top of each other and
written together: a hundred edges are one new version of its aspects, not a hundred.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from app.edges.datahub.threads import Threads
from app.edges.datahub.urns import find_entity_type
from app.edges.datahub.versioned import ABSENT, Held, Unreached, VersionConflict, VersionedAspects, WriteRefused
from app.effects import (
    INFERRED_TAG,
    TAG_PROPERTIES,
    CatalogOutcome,
    EdgeWrite,
    Performed,
    find_edge_aspect,
    find_rejection,
    find_tags,
    holds_proofs,
    is_ours,
    plan_aspects,
)
from app.repair import ProvenEdge

UI: Final = "ui"
HISTORY: Final = 20  # versions of an aspect that DataHub keeps by default
REJECTED: Final = "people rejected Tether's edges on this entity"
ROUNDS = 40  # with two writers, losing that often in a row does not happen
_MARKS: Final = ("status", "globalTags", "institutionalMemory")

Outcomes: TypeAlias = dict[EdgeWrite, Performed]


class EdgeWriter:
    """Writes the edges of one entity at a time; the caller sees to it that an entity has one writer in this process."""

    def __init__(self, aspects: VersionedAspects, threads: Threads, *, web_url: str, now: Callable[[], int]) -> None:
        self._aspects = aspects
        self._threads = threads
        self._web_url = web_url
        self._now = now
        self._tagged = False

    async def write(self, entity: str, writes: Sequence[EdgeWrite]) -> Outcomes:
        """What came of each. All writes belong to `entity` and to one run. Raises the exceptions of `versioned`."""
        try:
            return await self._write(entity, writes)
        except WriteRefused as exc:
            if len(writes) == 1:
                return {writes[0]: _say(writes[0], "failed", str(exc))}
        # one edge that the server will not take must not keep the others out
        outcomes: Outcomes = {}
        for write in writes:
            outcomes |= await self.write(entity, [write])
        return outcomes

    async def _write(self, entity: str, writes: Sequence[EdgeWrite]) -> Outcomes:
        outcomes: Outcomes = {}
        names = self._find_names(entity, writes, outcomes)
        written: set[EdgeWrite] = set()
        outages = 0
        for attempt in range(ROUNDS):
            held = await self._threads.call(lambda: self._aspects.read(find_entity_type(entity) or "", entity, names))
            left = [write for write in writes if write not in outcomes]
            if await self._fetch_rejection(entity, held, left, written):
                return outcomes | {write: _say(write, "rejected", REJECTED) for write in left}
            plan, planned = self._plan(held, left, written, outcomes)
            if not planned:
                return outcomes
            try:
                await self._emit(entity, plan, held, planned[0].run_id)
                written.update(planned)
            except VersionConflict:
                await self._threads.pause_after_conflict(attempt)
            except Unreached as exc:
                # it may have been written all the same: the next round looks
                written.update(planned)
                outages += 1
                await self._threads.pause_after(exc, outages)
        raise VersionConflict(f"other writers kept changing {entity}")

    async def _fetch_rejection(
        self, entity: str, held: Mapping[str, Held], writes: Sequence[EdgeWrite], written: set[EdgeWrite]
    ) -> bool:
        """Whether people refused Tether's edges here: by the tag that says so, or by taking off the one that it set."""
        current = {name: aspect.value for name, aspect in held.items()}
        if find_rejection(current):
            return True
        marked = INFERRED_TAG in find_tags(current.get("globalTags") or {})
        stood = holds_proofs(current) or any(write.known != "new" for write in writes)
        if marked or not stood or written:
            return False
        return await self._threads.call(lambda: was_taken_off(self._aspects, entity, held.get("globalTags", Held())))

    def _find_names(self, entity: str, writes: Sequence[EdgeWrite], outcomes: Outcomes) -> list[str]:
        names = [f"{find_entity_type(entity)}Key", *_MARKS]
        for write in writes:
            try:
                names.append(find_edge_aspect(write.edge))
            except ValueError as exc:
                outcomes[write] = _say(write, "failed", str(exc))
        return list(dict.fromkeys(names))

    def _plan(
        self, held: Mapping[str, Held], writes: Sequence[EdgeWrite], written: set[EdgeWrite], outcomes: Outcomes
    ) -> tuple[dict[str, Mapping[str, Any]], list[EdgeWrite]]:
        """The aspects to write, and the edges in them; every other edge gets its outcome."""
        current = {name: aspect.value for name, aspect in held.items()}
        obstacle = find_obstacle(current)
        plan: dict[str, Mapping[str, Any]] = {}
        planned: list[EdgeWrite] = []
        for write in writes:
            if obstacle is not None:
                outcomes[write] = _say(write, "failed", obstacle)
                continue
            try:
                changes = self._plan_one(write, current, plan)
                ours = is_ours(write.edge, current.get(find_edge_aspect(write.edge)) or {})
            except (ValueError, TypeError, AttributeError, KeyError) as exc:
                # the plan is pure: what it cannot digest is an aspect of a shape Tether does not know, or too long a proof
                outcomes[write] = _say(write, "failed", f"the edge cannot be stored: {exc}")
                continue
            if changes is None:
                outcomes[write] = _say(
                    write, "written" if write in written else "already there" if ours else "declared"
                )
            else:
                plan = _in_order({**plan, **changes})
                planned.append(write)
        return plan, planned

    def _plan_one(
        self, write: EdgeWrite, current: Mapping[str, Mapping[str, Any]], plan: Mapping[str, Mapping[str, Any]]
    ) -> Mapping[str, Mapping[str, Any]] | None:
        """What the edge adds to the plan; None when the catalog has it (being in the plan is not enough)."""
        changes = plan_aspects(write, {**current, **plan}, at=self._now(), web_url=self._web_url)
        if not changes and not plan_aspects(write, current, at=self._now(), web_url=self._web_url):
            return None
        return changes

    async def _emit(
        self, entity: str, plan: Mapping[str, Mapping[str, Any]], held: Mapping[str, Held], run_id: str
    ) -> None:
        if "globalTags" in plan and not self._tagged:
            await asyncio.to_thread(self._ensure_tag)
            self._tagged = True
        for name, value in plan.items():
            await asyncio.to_thread(
                self._aspects.write,
                find_entity_type(entity) or "",
                entity,
                name,
                value,
                version=held.get(name, Held()).version,
                run_id=run_id,
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
        except VersionConflict:
            return  # somebody else made it meanwhile


def was_taken_off(aspects: VersionedAspects, entity: str, tags: Held) -> bool:
    """Whether a person removed the tag: the version of the tags that no longer has it was written in DataHub's pages.

    An ingestion that writes all tags anew drops it as well, and says nothing by that. Where the server keeps no earlier
    version, the newest one decides.
    """
    newer = tags
    if not tags.version.isdigit():  # there are no tags, or the server numbers its versions in its own way
        return False
    for version in range(int(tags.version) - 1, max(0, int(tags.version) - 1 - HISTORY), -1):
        older = aspects.read_earlier(entity, "globalTags", version)
        if older is None:
            break
        if INFERRED_TAG in find_tags(older.value):
            return newer.source == UI
        newer = older
    else:
        return False
    return newer.source == UI and newer is tags


def _in_order(plan: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Marks before edges, whichever edge brought them: a writer that dies in between leaves no unmarked edge."""
    return dict(sorted(plan.items(), key=lambda item: (item[0] not in _MARKS, item[0])))


def _say(write: EdgeWrite, outcome: CatalogOutcome, detail: str = "") -> Performed:
    return Performed(name_edge(write.edge), "edge", outcome, detail)


def name_edge(edge: ProvenEdge) -> str:
    """How an edge is called in what came of it."""
    return f"{edge.upstream} -> {edge.downstream}"


def find_obstacle(current: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Why nothing may be written onto this entity: it is not in the catalog, or it was deleted there."""
    if not current:
        return "the entity is not in the catalog (any more)"
    if (current.get("status") or {}).get("removed") is True:
        return "the entity was deleted in the catalog"
    return None
