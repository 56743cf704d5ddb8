"""Whom to tell: the first level of the chain model, group, deployment, feature table, feature's dataset, `.tether.yml` that
names somebody. Deliberately absent: CODEOWNERS, which is a file of a repository and not known here.
"""

from __future__ import annotations

from collections.abc import Iterator

from app.trail.aspects import find_rows, find_texts
from app.trail.graph import LineageGraph
from app.trail.models import matches_model
from app.trail.serving import find_deployments
from app.trail.trail import Trail
from app.trail.urns import find_title, find_type
from app.words import Config

UNKNOWN = "unknown"


def find_owner(trail: Trail, graph: LineageGraph, config: Config) -> str:
    """Names as the catalog has them. The model's own owner stands bare, any other with the level that answered, in brackets."""
    for level, urns in _levels(trail, graph):
        for urn in urns:
            owners = _owners(urn, graph)
            if owners:
                return owners if level == "model" else f"{owners} (owner of the {level})"
    if trail.model is not None:
        for pattern, entry in config.models.items():
            if entry.owner and matches_model(pattern, trail.model, graph):
                return f"{entry.owner} (.tether.yml)"
    return UNKNOWN


def _levels(trail: Trail, graph: LineageGraph) -> Iterator[tuple[str, tuple[str, ...]]]:
    if trail.model is not None:
        yield "model", (trail.model,)
        groups = find_texts(graph.aspect(trail.model, "mlModelProperties"), "groups")
        yield "model group", (*groups, *graph.destinations(trail.model, "MemberOf"))
        yield "deployment", find_deployments(trail.model, graph)
    if trail.feature is not None:
        yield "feature", (trail.feature,)
        yield "feature table", graph.sources(trail.feature, "Contains", "KeyedBy")
    datasets = tuple(step.urn for step in reversed(trail.steps) if find_type(step.urn) == "dataset")
    yield "feature's dataset", datasets[:1]


def _owners(urn: str, graph: LineageGraph) -> str:
    names = (
        find_title(str(row["owner"])) for row in find_rows(graph.aspect(urn, "ownership"), "owners") if row.get("owner")
    )
    return ", ".join(dict.fromkeys(names))
