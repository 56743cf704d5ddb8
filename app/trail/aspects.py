"""Reads the few fields of DataHub's aspects that the walk needs. A shape it does not know is said, never skipped in silence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.trail.graph import LineageGraph
from app.trail.urns import find_type, parse_field, plain_path

#: aspect -> field -> the type it has in DataHub 1.7; another type means another schema, which nobody here can read
SHAPES: Final[Mapping[str, Mapping[str, type]]] = {
    "schemaMetadata": {"fields": list},
    "upstreamLineage": {"upstreams": list, "fineGrainedLineages": list},
    "siblings": {"siblings": list},
    "mlFeatureProperties": {"sources": list, "customProperties": dict},
    "mlPrimaryKeyProperties": {"sources": list},
    "mlFeatureTableProperties": {"mlFeatures": list, "mlPrimaryKeys": list},
    "mlModelProperties": {
        "mlFeatures": list,
        "deployments": list,
        "groups": list,
        "trainingJobs": list,
        "downstreamJobs": list,
        "customProperties": dict,
    },
    "mlModelTrainingData": {"trainingData": list},
    "mlModelDeploymentProperties": {"status": str},
    "dataJobInputOutput": {"fineGrainedLineages": list},
    "dashboardInfo": {"datasets": list},
    "globalTags": {"tags": list},
    "ownership": {"owners": list},
    "status": {"removed": bool},
    "subTypes": {"typeNames": list},
    "versionProperties": {"aliases": list},
}


@dataclass(frozen=True, slots=True)
class FineEdge:
    """Column `upstream[1]` of dataset `upstream[0]` flows into column `downstream[1]` of dataset `downstream[0]`."""

    upstream: tuple[str, str]
    downstream: tuple[str, str]
    operation: str = ""


def find_strange(graph: LineageGraph) -> tuple[str, ...]:
    """Aspects whose shape is not the one this module reads, as sentences."""
    strange = []
    for urn, aspects in graph.aspects.items():
        for name, value in aspects.items():
            fields = SHAPES.get(name)
            if fields is None or value is None:
                continue
            for field, kind in fields.items():
                held = value.get(field) if isinstance(value, Mapping) else value
                if held is not None and not isinstance(held, kind):
                    strange.append(f"the aspect {name} of {urn} has a shape that Tether does not know (field {field})")
    return tuple(strange)


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
    rows = find_rows(graph.aspect(urn, "schemaMetadata"), "fields")
    return tuple(plain_path(str(row["fieldPath"])) for row in rows if row.get("fieldPath"))


def find_fine_edges(graph: LineageGraph, dataset: str) -> tuple[FineEdge, ...]:
    """The declared column edges into a dataset."""
    return _fine_edges(graph.aspect(dataset, "upstreamLineage"))


def find_job_edges(graph: LineageGraph, job: str) -> tuple[FineEdge, ...]:
    """The declared column edges of a job, from its inputs to its outputs."""
    return _fine_edges(graph.aspect(job, "dataJobInputOutput"))


def _fine_edges(value: Mapping[str, Any]) -> tuple[FineEdge, ...]:
    found = []
    for row in find_rows(value, "fineGrainedLineages"):
        ups = [field for text in find_texts(row, "upstreams") if (field := parse_field(text))]
        downs = [field for text in find_texts(row, "downstreams") if (field := parse_field(text))]
        operation = str(row.get("transformOperation") or "")
        found += [FineEdge(up, down, operation) for up in ups for down in downs]
    return tuple(found)


def find_tags(graph: LineageGraph, urn: str) -> tuple[str, ...]:
    return tuple(str(row["tag"]) for row in find_rows(graph.aspect(urn, "globalTags"), "tags") if row.get("tag"))


def is_ml_exposure(graph: LineageGraph, urn: str) -> bool:
    """A dbt exposure of type ml: the dbt source makes it a dashboard with this subtype."""
    if find_type(urn) != "dashboard":
        return False
    return any(name.lower() == "ml model" for name in find_texts(graph.aspect(urn, "subTypes"), "typeNames"))
