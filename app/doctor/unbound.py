"""Which features of serving models are bound to no table, and the lines of `.tether.yml` that bind them.

For `tether doctor` and `tether config --suggest`. A review finds the same by the same rules, as far as a change could matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.change import find_schema
from app.lineage.served import Served
from app.ports import CatalogReads, Isolation
from app.repair import Refusal, find_edges
from app.review.follow import fetch_catalog_schema, find_platform
from app.review.lag import fetch_models_end
from app.source.indexing import build_index
from app.source.parsing import TreeParser
from app.source.schemas import find_relations
from app.trail import (
    LineageGraph,
    Naming,
    SqlIndex,
    Unbound,
    find_feature_sources,
    find_near_sources,
    find_unbound,
    parse_feature,
)
from app.words import Config, Repo, Schema, Tree

HERE = Repo(0, "")


class Surveyed:
    """The repository's SQL beside what the catalog says of consumed features. `refusals` None: no repository was looked at."""

    def __init__(self, graph: LineageGraph, unbound: Sequence[Unbound], refusals: Sequence[Refusal] | None) -> None:
        self.graph = graph
        self.unbound = tuple(unbound)
        self.refusals = None if refusals is None else tuple(refusals)


async def fetch_lag(catalog: CatalogReads) -> tuple[str, ...]:
    """What the graph index lacks of that which models take, as sentences; () for one that is whole as far as that goes."""
    models = await catalog.fetch_models()
    return (await fetch_models_end(models.start(), models, catalog)).reasons


async def fetch_survey(
    served: Served, catalog: CatalogReads, config: Config, *, tree: Tree | None, isolation: Isolation
) -> Surveyed:
    """Raises what the catalog raises. The repository is parsed twice, as a review does."""
    features = served.features
    naming = Naming.of(await catalog.fetch_urns("dataset"), config)
    graph = served.graph.extend(await catalog.fetch_aspects(features))
    sources = frozenset(urn for feature in features for urn in find_feature_sources(graph, feature))
    near = find_near_sources(graph, naming, features)
    graph = graph.extend(await catalog.fetch_aspects(sources | near))
    if tree is None:
        return Surveyed(graph, find_unbound(features, SqlIndex(), graph, naming, {}, config), None)
    index, schema = await _read(tree, naming, catalog, TreeParser(isolation, config, find_platform(naming, config)))
    _, refusals = find_edges(index, graph, naming, schema, features, config)
    odd = [feature for feature in features if parse_feature(feature) is None]
    refusals = (*refusals, *(Refusal(feature, "its urn names no table") for feature in odd))
    return Surveyed(graph, find_unbound(features, index, graph, naming, schema, config), refusals)


async def _read(tree: Tree, naming: Naming, catalog: CatalogReads, parser: TreeParser) -> tuple[SqlIndex, Schema]:
    first = await parser.parse(tree, {})
    held = await fetch_catalog_schema(find_relations(first.files), naming, catalog, parser)
    schema = find_schema(first.files, held)
    return build_index(HERE, await parser.parse(tree, schema)), schema


def render_suggestion(unbound: Sequence[Unbound]) -> str:
    """What belongs into `.tether.yml`; a line whose table nobody can guess is a comment until somebody fills it in."""
    if not unbound:
        return "# Every feature that a serving model takes is bound: nothing to add.\n"
    lines = [f"  {'' if one.guessed else '# which table? '}{one.line}" for one in unbound]
    return "\n".join(["features:", *lines, ""])
