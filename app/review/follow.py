"""Ask the catalog until nothing is open: what it knows of relations, and who stands behind what is taken away.

Walk, fetch what the walk wants, walk again. For every question alike: a change under review, or a column that somebody
only thinks of dropping.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from app.change import RemovalReport
from app.ports import CatalogReads
from app.review.lag import fetch_confirmed, fetch_models_end
from app.source.indexing import join_indexes
from app.source.parsing import TreeParser
from app.source.schemas import find_catalog_schema
from app.source.views import Views, read_views
from app.trail import (
    GraphSlice,
    LineageGraph,
    ModelListing,
    Naming,
    OpaqueFile,
    SqlIndex,
    Walk,
    find_near_sources,
    find_serving_frontier,
    find_training_runs,
    next_frontier,
    walk,
)
from app.words import Config, Schema

#: a chain of views longer than this is a cycle that something failed to recognise
MAX_HOPS = 60


def find_platform(naming: Naming, config: Config) -> str | None:
    """The dialect's last resort: the platform that the configuration or every dataset of the catalog names."""
    if config.catalog.platform:
        return config.catalog.platform
    platforms = naming.platforms
    return next(iter(platforms)) if len(platforms) == 1 else None


async def fetch_catalog_schema(
    relations: Iterable[str], naming: Naming, catalog: CatalogReads, parser: TreeParser
) -> Schema:
    """The columns that the catalog knows of these relations."""
    return (await fetch_known(relations, naming, catalog, parser))[0]


async def fetch_known(
    relations: Iterable[str], naming: Naming, catalog: CatalogReads, parser: TreeParser
) -> tuple[Schema, LineageGraph]:
    """The same, with the aspects that it was read from: they say how the catalog spells each column."""
    named = tuple(relations)
    urns = frozenset(urn for relation in named if (urn := naming.resolve(relation).urn))
    known = LineageGraph().extend(await catalog.fetch_aspects(urns)) if urns else LineageGraph()
    dialect = parser.config.dialect or parser.platform or ""
    return find_catalog_schema(named, naming, known, dialect=dialect), known


@dataclass(frozen=True, slots=True)
class Followed:
    """A walk to its end, the graph that it took, and the index with the views that the catalog alone holds.

    `models` is empty where nothing is taken away: then nobody asked.
    """

    walk: Walk
    graph: LineageGraph
    index: SqlIndex
    models: ModelListing = field(default_factory=ModelListing)


async def follow(
    report: RemovalReport,
    index: SqlIndex,
    naming: Naming,
    config: Config,
    *,
    schema: Schema,
    catalog: CatalogReads,
    parser: TreeParser,
) -> Followed:
    """From every removal of the report to whoever loses something. `schema` is what views of the catalog are read with."""
    graph, models = LineageGraph(), ModelListing()
    if report.removals or report.added:
        models = await catalog.fetch_models()
        graph = await _fetch_named_features(index.opaque, report, catalog, models.start())
        graph = await fetch_models_end(graph, models, catalog)
        if near := find_near_sources(graph, naming, models.features):
            graph = graph.extend(await catalog.fetch_aspects(near))
    own, views = index, Views()
    walked = walk(report, index, graph, naming, config)
    while frontier := next_frontier(walked):
        if graph.hops >= MAX_HOPS:
            graph = graph.extend(GraphSlice(frontier, reasons=(f"the walk was cut after {MAX_HOPS} hops",)))
        elif frontier <= graph.asked:  # names of which only the aspects are missing
            part = await catalog.fetch_aspects(frontier)
            graph = graph.extend(part)
            if not any(part.aspects.values()):  # none of them is there: another walk would find the same
                walked = walk(report, index, graph, naming, config) if part.reasons else walked
                walked = replace(walked, wanted=frozenset())
                break
        else:
            graph = await _fetch_hop(frontier, walked.guesses, graph, config, catalog)
            views = await read_views(views, graph, own, naming, parser, schema)
            index = join_indexes([own, views.index])
        walked = walk(report, index, graph, naming, config)
    runs = find_training_runs((trail.model for trail in walked.trails if trail.model), graph)
    if runs:
        events = await catalog.fetch_aspects(runs)
        graph = graph.extend(replace(events, reasons=()))  # they tell a day and decide nothing; what is unread stays so
    return Followed(walked, graph, index, models)


async def _fetch_hop(
    frontier: frozenset[str], guesses: frozenset[str], graph: LineageGraph, config: Config, catalog: CatalogReads
) -> LineageGraph:
    """The frontier's neighbours; and what says whether the models among them serve, which the next walk would ask for."""
    part = await catalog.fetch_neighbours(frontier, known=frozenset(graph.aspects), guesses=guesses)
    graph = graph.extend(part)
    graph = graph.extend(await fetch_confirmed(graph, frontier, frozenset(part.edges), catalog, more=frozenset()))
    models = [edge.source for edge in part.edges if edge.type == "Consumes" and edge.destination in frontier]
    around = [find_serving_frontier(model, graph, config) for model in dict.fromkeys(models)]
    wanted = frozenset[str]().union(*around) - graph.asked
    if not wanted or graph.hops >= MAX_HOPS:
        return graph
    return graph.extend(await catalog.fetch_neighbours(wanted, known=frozenset(graph.aspects)))


async def _fetch_named_features(
    opaque: Sequence[OpaqueFile], report: RemovalReport, catalog: CatalogReads, graph: LineageGraph
) -> LineageGraph:
    """Features that an unreadable file names together with a lost column: the walk has to know that they exist."""
    lost = {r.column.strip('"').lower() for r in report.removals if r.column}
    words = frozenset[str]().union(*(f.words for f in opaque if f.words & lost or f.has_star))
    if not words:
        return graph
    named = frozenset(urn for urn in await catalog.fetch_urns("mlFeature") if _feature_words(urn) & words)
    return graph.extend(await catalog.fetch_neighbours(named)) if named else graph


def _feature_words(urn: str) -> frozenset[str]:
    table, _, name = urn.partition("(")[2].rstrip(")").rpartition(",")
    return frozenset({name.lower(), table.rpartition(".")[2].lower()})
