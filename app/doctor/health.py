"""How much of the graph a walk can use: serving models, their declared inputs, the SQL behind their features.

For `tether doctor` and nothing else: it looks at every model once, which a review never does. Nothing is judged here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from app.doctor.unbound import fetch_lag, fetch_survey
from app.lineage.served import fetch_served
from app.ports import CatalogReads, Isolation
from app.repair import Refusal
from app.trail import LineageGraph, find_model_name, find_title
from app.words import Config, Tree

MOST_NAMES = 5  # in a sentence


@dataclass(frozen=True, slots=True)
class Health:
    """`serving`: models that serve or may, of `models` in all; `undecided`: those of them that nothing decides.

    `features`: what the serving ones take. `readable`: of those, the ones that SQL connects to columns, None where no
    repository was looked at; `reasons`: why the others are not, how many, and one of them.
    """

    models: int
    serving: tuple[str, ...]
    undecided: tuple[str, ...]
    without_inputs: tuple[str, ...]
    features: int = 0
    readable: int | None = None
    reasons: tuple[tuple[str, int, str], ...] = ()
    unbound: tuple[str, ...] = ()  # for each of the features of which nobody can tell the table, the line that binds it
    behind: tuple[str, ...] = ()  # what the graph index lacks
    unread: tuple[str, ...] = ()  # what of the catalog could not be read

    @property
    def with_inputs(self) -> int:
        return len(self.serving) - len(self.without_inputs)


async def fetch_health(catalog: CatalogReads, config: Config, *, tree: Tree | None, isolation: Isolation) -> Health:
    """`tree`: the repository whose SQL is looked at, as it is. Raises what the catalog raises."""
    served = await fetch_served(catalog, config)
    features = served.features
    survey = await fetch_survey(served, catalog, config, tree=tree, isolation=isolation)
    graph, refusals = survey.graph, survey.refusals
    return Health(
        models=len(served.models),
        serving=_names(served.inputs, graph),
        undecided=_names(served.undecided, graph),
        without_inputs=_names(served.without_inputs, graph),
        features=len(features),
        readable=None if refusals is None else len(features - {refusal.feature for refusal in refusals}),
        reasons=_count(refusals or ()),
        unread=(*graph.reasons, *graph.strange),
        unbound=tuple(one.line for one in survey.unbound),
        behind=await fetch_lag(catalog),
    )


def _names(models: Iterable[str], graph: LineageGraph) -> tuple[str, ...]:
    return tuple(sorted(find_model_name(model, graph) for model in models))


def _count(refusals: Iterable[Refusal]) -> tuple[tuple[str, int, str], ...]:
    first: dict[str, str] = {}
    for refusal in refusals:  # one feature counts once: for the first reason that was met
        first.setdefault(refusal.feature, refusal.reason)
    examples = {reason: find_title(feature) for feature, reason in reversed(first.items())}
    return tuple((reason, count, examples[reason]) for reason, count in Counter(first.values()).most_common())


# --- in words ------------------------------------------------------------------------------------------------------


def health_json(health: Health) -> Mapping[str, object]:
    """For programs; keys are only ever added."""
    return {
        "models": health.models,
        "serving": list(health.serving),
        "serving_undecided": list(health.undecided),
        "serving_with_inputs": health.with_inputs,
        "serving_without_inputs": list(health.without_inputs),
        "features": health.features,
        "features_with_readable_sql": health.readable,
        "refusals": [{"reason": reason, "features": count, "example": one} for reason, count, one in health.reasons],
        "unread": list(health.unread),
        "index_is_behind": list(health.behind),
        "features_bound_to_no_table": list(health.unbound),
        "advice": list(find_advice(health)),
    }


def health_lines(health: Health) -> tuple[str, ...]:
    """For people."""
    lines = [
        "",
        "Graph health",
        f"  {len(health.serving)} of {health.models} models serve or may serve",
        f"  {health.with_inputs} of these declare their inputs: {health.features} features",
    ]
    if health.readable is not None:
        lines.append(f"  {health.readable} of these features are connected to their columns by SQL here")
    lines += [f"    {count} are not: {reason} (such as {one})" for reason, count, one in health.reasons]
    if health.unbound:
        lines.append(f"  {len(health.unbound)} of these features are bound to no table; under features: in .tether.yml")
        lines += [f"    {line}" for line in health.unbound]
    lines += [f"  not read: {reason}" for reason in health.unread]
    return (*lines, *(f"  -> {advice}" for advice in find_advice(health)))


def find_advice(health: Health) -> Iterator[str]:
    """What would raise the numbers, the largest first."""
    if health.without_inputs:
        yield (
            f"{len(health.without_inputs)} serving models declare no inputs, so that no lost column can be followed to them"
            f" ({_some(health.without_inputs)}): set mlFeatures in the catalog, or `models: {{NAME: {{features: [...]}}}}`"
            " in .tether.yml"
        )
    if health.unbound:
        yield (
            f"losing any column called like one of the {len(health.unbound)} features that are bound to no table is a question"
            " on every pull request: the lines above bind them, and `tether config --suggest` prints them"
        )
    if health.undecided:
        yield (
            f"nothing says whether {len(health.undecided)} models serve ({_some(health.undecided)}): set an alias, a tag or"
            " a deployment in the catalog, or `models: {NAME: {serving: true}}` in .tether.yml"
        )
    if health.readable is None:
        yield "give --repo DIR to see how many features are connected to their columns by its SQL"
    elif health.readable < health.features:
        yield (
            f"{health.features - health.readable} features are not connected to columns by SQL here: look at the repository"
            " that computes them, or map them: `features: {TABLE.NAME: {sql: FILE, column: NAME}}` in .tether.yml"
        )


def _some(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more
