"""Reads the few fields of DataHub's aspects that the walk needs. Another shape yields nothing here; `shapes` says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from app.trail.graph import LineageGraph
from app.trail.urns import find_type, parse_field, plain_path


@dataclass(frozen=True, slots=True)
class FineEdge:
    """Column `upstream[1]` of dataset `upstream[0]` flows into column `downstream[1]` of dataset `downstream[0]`."""

    upstream: tuple[str, str]
    downstream: tuple[str, str]
    operation: str = ""


def find_texts(value: Mapping[str, Any], field: str) -> tuple[str, ...]:
    """A list of texts, () when it is not one."""
    held = value.get(field)
    return tuple(text for text in held if isinstance(text, str)) if isinstance(held, (list, tuple)) else ()


def find_rows(value: Mapping[str, Any], field: str) -> Iterator[Mapping[str, Any]]:
    """The members of a list that are mappings."""
    held = value.get(field)
    for row in held if isinstance(held, (list, tuple)) else ():
        if isinstance(row, Mapping):
            yield row


def find_properties(value: Mapping[str, Any]) -> dict[str, str]:
    """customProperties as text."""
    held = value.get("customProperties")
    return {str(key): str(text) for key, text in held.items()} if isinstance(held, Mapping) else {}


def find_paths(graph: LineageGraph, urn: str) -> tuple[str, ...]:
    """The field paths of a dataset's schema, type tags removed."""
    return graph.read(urn, read_paths)


def read_paths(aspects: Mapping[str, Any]) -> tuple[str, ...]:
    """The same from the dataset's aspects."""
    rows = find_rows(aspects.get("schemaMetadata") or {}, "fields")
    return tuple(plain_path(str(row["fieldPath"])) for row in rows if row.get("fieldPath"))


def find_fine_edges(graph: LineageGraph, dataset: str) -> tuple[FineEdge, ...]:
    """The declared column edges into a dataset."""
    return graph.read(dataset, read_fine_edges)


def find_job_edges(graph: LineageGraph, job: str) -> tuple[FineEdge, ...]:
    """The declared column edges of a job, from its inputs to its outputs."""
    return graph.read(job, _job_edges)


def read_fine_edges(aspects: Mapping[str, Any]) -> tuple[FineEdge, ...]:
    """The same from the dataset's aspects."""
    return tuple(_fine_edges(aspects.get("upstreamLineage") or {}))


def _job_edges(aspects: Mapping[str, Any]) -> tuple[FineEdge, ...]:
    return tuple(_fine_edges(aspects.get("dataJobInputOutput") or {}))


def read_open_edges(aspects: Mapping[str, Any]) -> tuple[FineEdge, ...]:
    """Rows of a dataset's or job's lineage that name a whole dataset on one side, or no column below: the path is "" there,
    and the dataset as well where nothing is named. Which columns they mean, the catalog does not say.
    """
    values = (aspects.get("upstreamLineage") or {}, aspects.get("dataJobInputOutput") or {})
    return tuple(edge for value in values for edge in _rows(value) if not (edge.upstream[1] and edge.downstream[1]))


def read_edges(aspects: Mapping[str, Any]) -> tuple[FineEdge, ...]:
    """Every row of a dataset's lineage, whether it names columns on both sides or not."""
    return tuple(_rows(aspects.get("upstreamLineage") or {}))


def _fine_edges(value: Mapping[str, Any]) -> Iterator[FineEdge]:
    return (edge for edge in _rows(value) if edge.upstream[1] and edge.downstream[1])


def _rows(value: Mapping[str, Any]) -> Iterator[FineEdge]:
    for row in find_rows(value, "fineGrainedLineages"):
        ups = [end for text in find_texts(row, "upstreams") if (end := _end(text))]
        downs = [end for text in find_texts(row, "downstreams") if (end := _end(text))] or [("", "")]
        operation = str(row.get("transformOperation") or "")
        yield from (FineEdge(up, down, operation) for up in ups for down in downs)


def _end(urn: str) -> tuple[str, str] | None:
    return parse_field(urn) or ((urn, "") if find_type(urn) == "dataset" else None)


def find_tags(graph: LineageGraph, urn: str) -> tuple[str, ...]:
    return tuple(str(row["tag"]) for row in find_rows(graph.aspect(urn, "globalTags"), "tags") if row.get("tag"))


def is_ml_exposure(graph: LineageGraph, urn: str) -> bool:
    """A dbt exposure of type ml: the dbt source makes it a dashboard with this subtype."""
    if find_type(urn) != "dashboard":
        return False
    return any(name.lower() == "ml model" for name in find_texts(graph.aspect(urn, "subTypes"), "typeNames"))
