"""Every model of the catalog, which of them serve or may, and what these take: asked once, by the doctor and by repair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.ports import CatalogReads
from app.trail import (
    LineageGraph,
    decide_serving,
    find_features,
    find_model_name,
    find_serving_frontier,
    matches_model,
)
from app.words import Config


@dataclass(frozen=True, slots=True)
class Served:
    """`inputs`: serving model -> the features that the catalog or `.tether.yml` says it takes, () for none.

    `undecided` are those of them that nothing decides. `graph` holds all that was fetched for it.
    """

    graph: LineageGraph
    models: tuple[str, ...]
    inputs: Mapping[str, tuple[str, ...]]
    undecided: tuple[str, ...]

    @property
    def features(self) -> frozenset[str]:
        return frozenset(urn for urns in self.inputs.values() for urn in urns)

    @property
    def without_inputs(self) -> tuple[str, ...]:
        return tuple(model for model, urns in self.inputs.items() if not urns)

    def name(self, model: str) -> str:
        return find_model_name(model, self.graph)


async def fetch_served(catalog: CatalogReads, config: Config) -> Served:
    """Raises as the catalog."""
    models = await catalog.fetch_urns("mlModel")
    graph = LineageGraph().extend(await catalog.fetch_aspects(frozenset(models)))
    around = frozenset[str]().union(*(find_serving_frontier(model, graph, config) for model in models))
    graph = graph.extend(await catalog.fetch_aspects(around - graph.aspects.keys()))
    states = {model: decide_serving(model, graph, config).state for model in models}
    may = {"serving", "unread", *(("unknown",) if config.serving.unknown == "serving" else ())}
    serving = tuple(model for model in models if states[model] in may)
    return Served(
        graph,
        models,
        {model: _find_inputs(model, graph, config) for model in serving},
        tuple(model for model in serving if states[model] == "unknown"),
    )


def _find_inputs(model: str, graph: LineageGraph, config: Config) -> tuple[str, ...]:
    """By the catalog and by `.tether.yml`; the latter by name alone."""
    given = [name for key, one in config.models.items() if matches_model(key, model, graph) for name in one.features]
    named = (f"urn:li:mlFeature:({name.rpartition('.')[0]},{name.rpartition('.')[2]})" for name in given)
    return tuple(dict.fromkeys((*find_features(graph, model), *named)))
