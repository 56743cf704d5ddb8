"""Edges of Tether's out of the catalog again: exactly those, and only where the proof beside them says that they are ours. Pure.

The edge goes first and its marks last, so that no inferred edge ever stands without its mark. Everything else on the entity
stays as it is, a table-level upstream included that somebody else relies on.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from app.effects.marks import ACTOR, CONFIRMED_TAG, INFERRED_TAG, REJECTED_TAG, add_tags, drop_links, drop_tag
from app.effects.proof import drop_proof
from app.effects.write_back import Aspects, find_dataset, find_edge_aspect, holds_proofs, is_ours
from app.repair import ProvenEdge

#: why edges are taken back; "rejected" leaves the tag that keeps every later run away
TakenBack: TypeAlias = Literal["stale", "reverted", "rejected"]

_LIST_FIELD: Final = {"source": "sources", "model": "mlFeatures"}


def plan_retraction(
    edges: Sequence[ProvenEdge], current: Aspects, *, why: TakenBack, at: int
) -> dict[str, dict[str, Any]]:
    """aspect name -> its new value, in writing order; {} when nothing of these edges is left. All belong to one entity."""
    plan: dict[str, dict[str, Any]] = {}
    for edge in edges:
        name = find_edge_aspect(edge)
        held = plan.get(name) or current.get(name) or {}
        if is_ours(edge, held):
            plan[name] = _drop_column(edge, held) if edge.kind == "column" else _drop_listed(edge, held)
    left = {**current, **plan}
    links = drop_links(edges, current.get("institutionalMemory") or {})
    if links is not None:
        plan["institutionalMemory"] = links
    tags = _plan_tags(current.get("globalTags") or {}, left, why=why, at=at)
    if tags is not None:
        plan["globalTags"] = tags
    return plan


def _plan_tags(held: Mapping[str, Any], left: Aspects, *, why: TakenBack, at: int) -> dict[str, Any] | None:
    tags: Mapping[str, Any] = held
    if not holds_proofs(left):
        for tag in (INFERRED_TAG, CONFIRMED_TAG):
            tags = drop_tag(tags, tag) or tags
    if why == "rejected" and REJECTED_TAG not in {entry.get("tag") for entry in tags.get("tags") or []}:
        tags = add_tags(tags, [REJECTED_TAG], at=at, detail={"appSource": "tether"})
    return None if tags is held else dict(tags)


def _drop_listed(edge: ProvenEdge, held: Mapping[str, Any]) -> dict[str, Any]:
    """sources or mlFeatures without the edge."""
    value = copy.deepcopy(dict(held))
    field = _LIST_FIELD[edge.kind]
    value[field] = [urn for urn in value.get(field) or [] if urn != edge.upstream]
    value["customProperties"] = drop_proof(value.get("customProperties") or {}, edge)
    return value


def _drop_column(edge: ProvenEdge, held: Mapping[str, Any]) -> dict[str, Any]:
    """upstreamLineage without the column edge, and without the table edge under it where Tether made that one too."""
    value = copy.deepcopy(dict(held))
    value["fineGrainedLineages"] = [row for row in value.get("fineGrainedLineages") or [] if not _is_alone(row, edge)]
    dataset = find_dataset(edge.upstream)
    entries = value.get("upstreams") or []
    for entry in entries:
        if entry.get("dataset") == dataset:
            entry["properties"] = drop_proof(entry.get("properties") or {}, edge)
            if not entry["properties"]:
                del entry["properties"]
    value["upstreams"] = [entry for entry in entries if not _is_idle(entry, dataset, value["fineGrainedLineages"])]
    if not value["fineGrainedLineages"]:
        del value["fineGrainedLineages"]  # optional, and it may not have been there before
    return value


def _is_alone(row: Mapping[str, Any], edge: ProvenEdge) -> bool:
    """A row that says this edge and nothing else, as Tether writes them; a wider one is somebody else's."""
    return row.get("upstreams") == [edge.upstream] and row.get("downstreams") == [edge.downstream]


def _is_idle(entry: Mapping[str, Any], dataset: str | None, rows: Sequence[Mapping[str, Any]]) -> bool:
    """A table edge that Tether made and that no column edge stands on any more."""
    if (
        entry.get("dataset") != dataset
        or (entry.get("auditStamp") or {}).get("actor") != ACTOR
        or "properties" in entry
    ):
        return False
    return not any(find_dataset(field) == dataset for row in rows for field in row.get("upstreams") or [])
