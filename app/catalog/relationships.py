"""Which edges an aspect draws: read generically from the `Relationship` annotations of the SDK's schemas.

An annotation names the edge, the entity types it may lead to, and whether it is lineage (and in which direction). The
only edges not annotated are those between columns: GMS draws `schemaField -DownstreamOf-> schemaField` from the
`fineGrainedLineages` of datasets and jobs, and so does `find_edges`.
Absent on purpose: edge properties and audit stamps, which no answer of this catalog shows.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import avro.schema
from datahub.metadata.urns import Urn
from datahub.utilities.urns.error import InvalidUrnError

from app.catalog.refusal import RequestRefused

#: 1: the destination is upstream of the source; -1: it is downstream; 0: not lineage
Lineage: TypeAlias = Literal[-1, 0, 1]

#: aspects whose `fineGrainedLineages` draw edges between columns
_COLUMN_LINEAGE = ("upstreamLineage", "dataJobInputOutput")

EACH = "*"
EACH_VALUE = "$"


@dataclass(frozen=True, slots=True)
class RelationSpec:
    """`path` leads from the aspect to the urns: field names, `*` for every item, `$` for every value of a map."""

    path: tuple[str, ...]
    name: str
    destinations: frozenset[str]
    lineage: Lineage
    via: str | None = None  # field beside the urn that names the query the edge came through


@dataclass(frozen=True, slots=True)
class GraphEdge:
    source: str
    name: str
    destination: str
    lineage: Lineage
    via: str | None = None


def find_relation_specs(record: avro.schema.RecordSchema) -> tuple[RelationSpec, ...]:
    """Every annotated relationship beneath an aspect's schema: nested records, arrays, maps and unions included."""
    return tuple(_walk_schema(record, (), frozenset()))


def _walk_schema(schema: avro.schema.Schema, path: tuple[str, ...], inside: frozenset[str]) -> Iterator[RelationSpec]:
    if isinstance(schema, avro.schema.UnionSchema):
        branches = [branch for branch in schema.schemas if branch.type != "null"]
        for branch in branches:
            # A union of several types is tagged with the type's name on the wire; a nullable one is not.
            named = isinstance(branch, avro.schema.NamedSchema)
            tag = (branch.fullname.replace("com.linkedin.pegasus2avro.", "com.linkedin.") if named else branch.type,)
            yield from _walk_schema(branch, path + (tag if len(branches) > 1 else ()), inside)
    elif isinstance(schema, avro.schema.ArraySchema):
        yield from _walk_schema(schema.items, (*path, EACH), inside)
    elif isinstance(schema, avro.schema.MapSchema):
        yield from _walk_schema(schema.values, (*path, EACH_VALUE), inside)
    elif isinstance(schema, avro.schema.RecordSchema) and schema.fullname not in inside:
        for field in schema.fields:
            annotation = field.other_props.get("Relationship")
            if annotation:
                yield from _read_annotation(annotation, (*path, field.name))
            yield from _walk_schema(field.type, (*path, field.name), inside | {schema.fullname})


def _read_annotation(annotation: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[RelationSpec]:
    if isinstance(annotation.get("name"), str):
        lineage: Lineage = 0
        if annotation.get("isLineage"):
            lineage = 1 if annotation.get("isUpstream", True) else -1
        via = annotation.get("via")
        yield RelationSpec(
            path=path,
            name=annotation["name"],
            destinations=frozenset(annotation.get("entityTypes", ())),
            lineage=lineage,
            via=via.rsplit("/", 1)[-1] if isinstance(via, str) else None,
        )
        return
    for steps, deeper in annotation.items():
        yield from _read_annotation(deeper, (*path, *(step for step in steps.split("/") if step)))


def find_edges(urn: str, aspect: str, specs: Iterable[RelationSpec], value: Mapping[str, Any]) -> tuple[GraphEdge, ...]:
    """The edges this aspect draws, without duplicates; raises `RequestRefused` (422) for a destination of a forbidden type."""
    edges: dict[tuple[str, str, str], GraphEdge] = {}
    for spec in specs:
        for destination, where, via in _walk_value(value, spec.path, (), spec.via):
            _require_destination(urn, aspect, spec, destination, where)
            edges.setdefault((urn, spec.name, destination), GraphEdge(urn, spec.name, destination, spec.lineage, via))
    if aspect in _COLUMN_LINEAGE:
        for edge in _find_column_edges(urn, aspect, value):
            edges.setdefault((edge.source, edge.name, edge.destination), edge)
    return tuple(edges.values())


def _find_column_edges(urn: str, aspect: str, value: Mapping[str, Any]) -> Iterator[GraphEdge]:
    for row, lineage in enumerate(value.get("fineGrainedLineages", ())):
        # A job's columns are related through the job; a dataset's through the query that was seen, if any.
        via = urn if aspect == "dataJobInputOutput" else lineage.get("query")
        for downstream in lineage.get("downstreams", ()):
            for upstream in lineage.get("upstreams", ()):
                for end in (downstream, upstream):
                    _require_urn(urn, aspect, end, f"/fineGrainedLineages/{row}")
                yield GraphEdge(downstream, "DownstreamOf", upstream, 0, via)


def _walk_value(
    value: Any, path: tuple[str, ...], where: tuple[str, ...], via: str | None, through: str | None = None
) -> Iterator[tuple[str, tuple[str, ...], str | None]]:
    if not path:
        if isinstance(value, str) and value:
            yield value, where, through
        return
    step, rest = path[0], path[1:]
    if step == EACH and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _walk_value(item, rest, (*where, str(index)), via, through)
    elif step == EACH_VALUE and isinstance(value, Mapping):
        for key, item in value.items():
            yield from _walk_value(item, rest, (*where, key), via, through)
    elif isinstance(value, Mapping) and step in value:
        beside = value.get(via) if via else None
        yield from _walk_value(value[step], rest, (*where, step), via, beside if isinstance(beside, str) else through)


@functools.lru_cache(maxsize=65_536)
def _urn_fault(urn: str) -> str | None:
    """What is wrong with an urn's form, None when nothing is. Cached: the same tables are named by many features."""
    if _entity_type(urn) is None or not urn.isprintable():
        return f"{urn!r} is not an urn"
    try:
        Urn.from_string(urn)
    except (InvalidUrnError, ValueError) as reason:
        return f"{urn} is not an urn ({reason})"
    return None


def _require_destination(urn: str, aspect: str, spec: RelationSpec, destination: str, where: tuple[str, ...]) -> None:
    place = f"/{'/'.join(where)}"
    _require_urn(urn, aspect, destination, place)
    if _entity_type(destination) not in spec.destinations:
        path = f"/{'/'.join(spec.path)}"
        reason = f"Entity type for urn: {destination} is not a valid destination for field path: {path}"
        raise _refuse(urn, aspect, destination, place, f"{reason}. Required: {sorted(spec.destinations)}")


def _require_urn(urn: str, aspect: str, destination: str, place: str) -> None:
    fault = _urn_fault(destination)
    if fault is not None:
        raise _refuse(urn, aspect, destination, place, fault)


def _refuse(urn: str, aspect: str, destination: str, place: str, reason: str) -> RequestRefused:
    cause = f'ERROR :: {place} :: "Provided urn {destination}" is invalid: {reason}'
    return RequestRefused(422, f"Invalid format for aspect: {aspect} for entity: {urn}\n Cause: {cause}")


def _entity_type(urn: str) -> str | None:
    parts = urn.split(":", 3)
    return parts[2] if len(parts) == 4 and parts[:2] == ["urn", "li"] else None
