"""What a changed query gave and gives no longer, where it builds no relation: the features that were taken from it.

`.tether.yml` maps a feature to the file, Feast to its view. A file that is only called like a feature's table may compute
it: a question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.change import Query
from app.trail.graph import LineageGraph
from app.trail.hop import Doubt, FeatureLoss, Hop, Hops, Loss
from app.trail.sql_side import same_path, split_name
from app.trail.trail import Step
from app.trail.urns import bare, feature_urn, feature_urns, find_title, find_type, is_of_project
from app.words import Config


def find_query_hops(
    query: Query, loss: Loss, graph: LineageGraph, config: Config, exists: Callable[[str], bool]
) -> Hops:
    """Features that are lost with the output of a query, or with all of it."""
    lost = (bare(loss.column),) if loss.column is not None else tuple(map(bare, query.columns))
    mapped = tuple(_find_mapped(query, lost, config))
    hops = [Hop(FeatureLoss(urn, loss.effect), Step(urn, None, "config")) for urn in mapped]
    hops += [_astray(urn, output, query, loss) for urn, output in _find_astray(query, config)]
    known = [urn for urn in graph.aspects if find_type(urn) == "mlFeature"] if query.certain else []
    named = dict.fromkeys(
        urn
        for name in lost
        for urn in (*feature_urns(query.view, name), *(u for u in known if is_of_project(u, query.view, name)))
    )
    guessed = [urn for urn in named if urn not in mapped]
    hops += [_by_name(urn, query, loss) for urn in guessed if exists(urn)]
    return Hops(tuple(hops), wanted=frozenset(guessed))


def _find_mapped(query: Query, lost: tuple[str, ...], config: Config) -> Iterator[str]:
    names = {column.lower() for column in lost}
    return (urn for urn, output in _find_taken(query, config) if output in names)


def _find_taken(query: Query, config: Config) -> Iterator[tuple[str, str]]:
    """Each feature that `.tether.yml` takes from the file, and the column that it takes."""
    for name, entry in config.features.items():
        if entry.sql is not None and same_path(entry.sql, query.path):
            yield feature_urn(*split_name(name)), (entry.column or split_name(name)[1]).lower()


def _find_astray(query: Query, config: Config) -> list[tuple[str, str]]:
    """Those that take a column which the query did not give: any of its columns may be meant."""
    given = {bare(column).lower() for column in query.columns}
    return [] if "*" in given else [(urn, output) for urn, output in _find_taken(query, config) if output not in given]


def _astray(feature: str, output: str, query: Query, loss: Loss) -> Hop:
    why = f"`features:` in .tether.yml takes column {output} of {query.path}, which gave no column of that name"
    step = Step(feature, None, "config")
    return Hop(FeatureLoss(feature, loss.effect), step, Doubt("reader_is_unknown", find_title(feature), why))


def _by_name(feature: str, query: Query, loss: Loss) -> Hop:
    step = Step(feature, None, "sql")
    if query.certain:
        return Hop(FeatureLoss(feature, loss.effect), step)
    title = find_title(feature)
    why = (
        f"the query in {query.path} gave it and gives it no longer, and the file is called like its table; "
        f"`features: {{{title}: {{sql: ..., column: ...}}}}` in .tether.yml settles it"
    )
    return Hop(FeatureLoss(feature, loss.effect), step, Doubt("reader_is_unknown", title, why))
