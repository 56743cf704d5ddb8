"""An edge with its proof -> the aspects that say so, as plain JSON. Pure.

`plan_aspects` merges one edge into what the catalog holds now and returns the aspects that have to change, in the order
in which they must be written: the tag and the links first, the edge itself last, so that a writer that dies in between
never leaves an inferred edge without its mark. Nothing that somebody else wrote is dropped: every dict is copied whole,
keys of newer schemas included, and lists only grow.

Where the proof stands (see `proof`):
- column edges: `properties` of the upstream's entry in upstreamLineage.upstreams;
- dataset -> feature and feature -> model: customProperties of the properties aspect.
Deliberately absent: reading and writing (`app.edges.datahub`), and taking edges back (`take_back`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

from app.effects.kinds import EdgeWrite
from app.effects.marks import ACTOR, has_links, plan_links, plan_tag
from app.effects.proof import find_items, merge_proof, parse_items, proves
from app.repair import ProvenEdge

Aspects: TypeAlias = Mapping[str, Mapping[str, Any]]

_ASPECTS: Final[Mapping[str, Mapping[str, str]]] = {
    "column": {"dataset": "upstreamLineage"},
    "source": {"mlFeature": "mlFeatureProperties", "mlPrimaryKey": "mlPrimaryKeyProperties"},
    "model": {"mlModel": "mlModelProperties"},
}
_LIST_FIELD: Final = {"source": "sources", "model": "mlFeatures"}


def plan_edge_writes(edges: Iterable[ProvenEdge], run_id: str) -> tuple[EdgeWrite, ...]:
    """One write per (kind, upstream, downstream), the evidence of duplicates put together.

    No line, no edge: only lines of a default branch (side `base`) count as evidence. What the pull request itself says
    (`head`) and the catalog's own SQL never do, and an edge that is left without evidence is left out.
    """
    merged: dict[tuple[str, str, str], ProvenEdge] = {}
    for edge in edges:
        evidence = tuple(line for line in edge.evidence if line.side == "base" and line.line > 0)
        if not evidence:
            continue
        key = (edge.kind, edge.upstream, edge.downstream)
        proven = replace(edge, evidence=evidence)
        merged[key] = _merge(merged[key], proven) if key in merged else proven
    return tuple(EdgeWrite(edge, run_id) for edge in merged.values())


def _merge(first: ProvenEdge, second: ProvenEdge) -> ProvenEdge:
    """Both proofs; a direct use of the column says more than a filter."""
    stronger = first if first.direct or not second.direct else second
    return replace(
        stronger,
        evidence=tuple(dict.fromkeys((*first.evidence, *second.evidence))),
        columns=tuple(dict.fromkeys((*first.columns, *second.columns))),
    )


def plan_aspects(
    write: EdgeWrite, current: Aspects, *, at: int, web_url: str = "https://github.com"
) -> dict[str, dict[str, Any]]:
    """aspect name -> its new value, in writing order; {} when the edge is there already. `at` is in milliseconds.

    `current` are the entity's aspects as they are now (an absent one is missing or {}). Raises ValueError when the edge
    cannot be stored (its urns do not fit its kind, or its proof is too long).
    """
    edge = write.edge
    name = find_edge_aspect(edge)
    held = current.get(name) or {}
    changed = _plan_column(write, held, at) if edge.kind == "column" else _plan_list(write, held)
    if changed is None and not is_ours(edge, held):
        return {}
    tags = plan_tag(write, current.get("globalTags") or {}, at=at, web_url=web_url)
    held_links = current.get("institutionalMemory") or {}
    links = None
    if changed is not None or not has_links(edge, held_links):  # the same line at a newer commit is no news
        links = plan_links(edge, held_links, at=at, web_url=web_url)
    plan = {"globalTags": tags, "institutionalMemory": links, name: changed}
    return {aspect: value for aspect, value in plan.items() if value is not None}


def is_ours(edge: ProvenEdge, held: Mapping[str, Any]) -> bool:
    """Whether the aspect holds the edge with a proof of Tether's beside it; without one, somebody else declared it."""
    return proves(parse_items(find_properties(edge, held)), edge)


def find_properties(edge: ProvenEdge, held: Mapping[str, Any]) -> Mapping[str, Any]:
    """Where the proof of an edge stands in its aspect."""
    if edge.kind != "column":
        return held.get("customProperties") or {}
    dataset = find_dataset(edge.upstream)
    entries = (entry for entry in held.get("upstreams") or [] if entry.get("dataset") == dataset)
    found: Mapping[str, Any] = next(entries, {})
    return found.get("properties") or {}


def holds_proofs(aspects: Aspects) -> bool:
    """Whether any edge of Tether's stands on the entity. Aspects of a shape that nobody knows hold none."""
    names = (name for kind in ("source", "model") for name in _ASPECTS[kind].values())
    places = [(aspects.get(name) or {}).get("customProperties") for name in names]
    entries = (aspects.get("upstreamLineage") or {}).get("upstreams")
    places += (
        [entry.get("properties") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    )
    return any(parse_items(held) for held in places if isinstance(held, Mapping))


def find_edge_aspect(edge: ProvenEdge) -> str:
    """The aspect of `edge.entity` that holds an edge of this kind. Raises ValueError for an entity that holds none."""
    entity_type = [*edge.entity.split(":", 3), "", ""][2]
    name = _ASPECTS[edge.kind].get(entity_type)
    if name is None:
        raise ValueError(f"{edge.entity} cannot hold an edge of kind {edge.kind}")
    return name


def _plan_list(write: EdgeWrite, held: Mapping[str, Any]) -> dict[str, Any] | None:
    """mlFeatureProperties.sources or mlModelProperties.mlFeatures; None when nothing changes."""
    edge = write.edge
    field = _LIST_FIELD[edge.kind]
    properties = held.get("customProperties") or {}
    present = edge.upstream in (held.get(field) or [])
    if present and not proves(parse_items(properties), edge):
        return None  # somebody declared it: there, and theirs
    proven = merge_proof(properties, find_items(edge, write.run_id))
    if present and proven is None:
        return None
    value = dict(held)
    if not present:
        value[field] = [*(value.get(field) or []), edge.upstream]
    if proven is not None:
        value["customProperties"] = proven
    return value


def _plan_column(write: EdgeWrite, held: Mapping[str, Any], at: int) -> dict[str, Any] | None:
    """upstreamLineage with the column edge and the table edge under it; None when the column edge is there."""
    edge = write.edge
    dataset = find_dataset(edge.upstream)
    if dataset is None or find_dataset(edge.downstream) != edge.entity:
        raise ValueError(
            f"{edge.upstream} -> {edge.downstream} is no edge between columns, the second one of {edge.entity}"
        )
    if any(_connects(lineage, edge) for lineage in held.get("fineGrainedLineages") or []):
        return None
    # Only what changes is copied: a wide table has thousands of edges, and they are planned one after the other.
    value = dict(held)
    value["fineGrainedLineages"] = [*(value.get("fineGrainedLineages") or []), _lineage(edge)]
    entries = list(value.get("upstreams") or [])
    place = next((number for number, entry in enumerate(entries) if entry.get("dataset") == dataset), len(entries))
    if place == len(entries):
        stamp = {"time": at, "actor": ACTOR}
        entries.append({"auditStamp": stamp, "created": dict(stamp), "dataset": dataset, "type": "TRANSFORMED"})
    proven = merge_proof(entries[place].get("properties") or {}, find_items(edge, write.run_id))
    if proven is not None:
        entries[place] = {**entries[place], "properties": proven}
    value["upstreams"] = entries
    return value


def _connects(lineage: Mapping[str, Any], edge: ProvenEdge) -> bool:
    return edge.upstream in (lineage.get("upstreams") or []) and edge.downstream in (lineage.get("downstreams") or [])


def _lineage(edge: ProvenEdge) -> dict[str, Any]:
    """`transformOperation` says how the column is used: DIRECT, or FILTER, JOIN, GROUP ... for an indirect read."""
    return {
        "upstreamType": "FIELD_SET",
        "upstreams": [edge.upstream],
        "downstreamType": "FIELD",
        "downstreams": [edge.downstream],
        "transformOperation": edge.operation.upper() or ("DIRECT" if edge.direct else "INDIRECT"),
        "confidenceScore": 1.0,
    }


def find_dataset(field: str) -> str | None:
    """The dataset of `urn:li:schemaField:(<dataset urn>,<field path>)`; None for any other urn.

    Names may hold commas and parentheses, so nothing splits on them: the dataset's own commas stand inside its
    parentheses, and the first one outside ends it.
    """
    prefix = "urn:li:schemaField:("
    if not field.startswith(prefix) or not field.endswith(")"):
        return None
    depth = 0
    for index in range(len(prefix), len(field) - 1):
        if field[index] == "(":
            depth += 1
        elif field[index] == ")":
            depth -= 1
        elif field[index] == "," and depth == 0:
            return field[len(prefix) : index]
    return None
