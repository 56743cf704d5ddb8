"""Inputs of models that a list on a default branch declares: the other proof of a feature -> model edge, next to CREATE
MODEL. Pure.

Two lists count: `models:` of `.tether.yml`, and a FeatureService of Feast that is called as the model is. The line that names
the feature is the evidence. A key with wildcards speaks to reviews alone: what is written to the catalog names its model
exactly, and both ends have to stand there already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from app.change import find_feast_services
from app.repair.edge import ProvenEdge
from app.trail import (
    LineageGraph,
    find_model_name,
    find_title,
    find_type,
    is_rejected,
    matches_model,
    parse_feature,
)
from app.words import Config, Evidence

_WILD: Final = re.compile(r"[*?\[]")


def find_declared(text: str, where: Evidence, config: Config, graph: LineageGraph) -> Iterator[ProvenEdge]:
    """`text` is that of the file; `where` carries its path, repository and commit. The graph's aspects say what exists."""
    models = [urn for urn in graph.aspects if find_type(urn) == "mlModel" and graph.exists(urn)]
    features = {".".join(parts): urn for urn in graph.aspects if graph.exists(urn) and (parts := parse_feature(urn))}
    for key, entry in config.models.items():
        if not entry.features or _WILD.search(key):
            continue
        named = [model for model in models if matches_model(key, model, graph)]
        for name in entry.features:
            line = _find_line(text, key, name)
            feature = features.get(name)
            if feature is None or line is None or len(named) != 1:
                continue
            if is_rejected(graph, named[0]):
                continue
            evidence = Evidence(where.path, line[0], line[1], "base", where.repo, where.commit)
            yield ProvenEdge("model", feature, named[0], named[0], (evidence,), operation="DECLARED")


def find_served(text: str, where: Evidence, graph: LineageGraph) -> Iterator[ProvenEdge]:
    """The same for a Python file with FeatureServices; constants of the file alone count."""
    lines = text.splitlines()
    for service in find_feast_services(text):
        models = [urn for urn in graph.aspects if find_type(urn) == "mlModel" and _is_called(urn, service.name, graph)]
        if len(models) != 1 or is_rejected(graph, models[0]):
            continue
        for (view, name), line in service.features.items():
            found = [urn for urn in graph.aspects if _is_feature(urn, view, name) and graph.exists(urn)]
            if len(found) == 1:
                said = Evidence(where.path, line, lines[line - 1].strip(), "base", where.repo, where.commit)
                yield ProvenEdge("model", found[0], models[0], models[0], (said,), operation="DECLARED")


def _is_called(model: str, name: str, graph: LineageGraph) -> bool:
    return graph.exists(model) and name in (find_model_name(model, graph), find_title(model))


def _is_feature(urn: str, view: str, name: str) -> bool:
    """DataHub's Feast source names the table `project.view`."""
    table, feature = parse_feature(urn) or ("", "")
    return feature == name and view in (table, table.rpartition(".")[2])


def _find_line(text: str, key: str, feature: str) -> tuple[int, str] | None:
    """The first line that names the feature, from the one that names the model on; comments are no declaration."""
    lines = [line.split(" #")[0] if not line.lstrip().startswith("#") else "" for line in text.splitlines()]
    start = next((number for number, line in enumerate(lines) if _names(line, key)), None)
    if start is None:
        return None
    found = ((number, lines[number]) for number in range(start, len(lines)) if _names(lines[number], feature))
    return next(((number + 1, line.strip()) for number, line in found), None)


def _names(line: str, name: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", line) is not None
