"""What a walk must know of models before it starts: what they were trained on, what they take, which declare no inputs at all.

DataHub draws no relationship from `mlModelTrainingData`, so that the models behind a dataset show only where every model's
aspect is read; one listing per walk does it. The same listing says which models no walk over features can ever reach, and
which features are consumed: one whose table nobody can tell is lost wherever a column of its name is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from app.trail.aspects import find_rows, find_texts
from app.trail.graph import Edge, GraphSlice, LineageGraph, Taken
from app.trail.models import find_model_name, matches_model
from app.trail.proof import read_proofs
from app.trail.serving import decide_serving
from app.words import Config

#: the name of an edge that only the aspect tells
TRAINED_ON: Final = "TrainedOn"


@dataclass(frozen=True, slots=True)
class ModelListing:
    """`trained_on`: model -> dataset, `consumed`: model -> feature, `declared` those of them that
    Tether did not write itself. `without_inputs`: the aspects of models that declare no
    features. `features`: all aspects of those that are consumed, where they are few. `reasons` and `requests` as in `GraphSlice`.
    """

    trained_on: tuple[Edge, ...] = ()
    consumed: tuple[Edge, ...] = ()
    declared: frozenset[Edge] = frozenset()
    features: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    without_inputs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    requests: int = 0

    @staticmethod
    def of(aspects: Mapping[str, Mapping[str, Any]]) -> ModelListing:
        """`aspects`: of mlModel entities (urn -> name -> value); those that are soft-deleted are left out."""
        there = {urn: held for urn, held in aspects.items() if not (held.get("status") or {}).get("removed")}
        own = {urn: {proof.upstream for proof in read_proofs(held)} for urn, held in there.items()}
        consumed = tuple(
            Edge(urn, "Consumes", feature)
            for urn, held in there.items()
            for feature in find_texts(held.get("mlModelProperties") or {}, "mlFeatures")
        )
        return ModelListing(
            tuple(
                Edge(urn, TRAINED_ON, str(row["dataset"]))
                for urn, held in there.items()
                for row in find_rows(held.get("mlModelTrainingData") or {}, "trainingData")
                if row.get("dataset")
            ),
            consumed,
            frozenset(edge for edge in consumed if edge.destination not in own[edge.source]),
            without_inputs={
                urn: held
                for urn, held in there.items()
                if not find_texts(held.get("mlModelProperties") or {}, "mlFeatures")
            },
        )

    def joined(self, more: ModelListing) -> ModelListing:
        """Both; a page after the other."""
        return ModelListing(
            (*self.trained_on, *more.trained_on),
            (*self.consumed, *more.consumed),
            self.declared | more.declared,
            {**self.features, **more.features},
            {**self.without_inputs, **more.without_inputs},
            (*self.reasons, *more.reasons),
            self.requests + more.requests,
        )

    def slice(self) -> GraphSlice:
        """What a graph takes of it: edges, and the features. The aspects of models stay outside, because they are not all that a
        walk reads of a model.
        """
        return GraphSlice(frozenset(), self.trained_on, self.features, self.reasons, self.requests)

    def start(self) -> LineageGraph:
        """The graph that a walk begins with."""
        taken = Taken.of(dict.fromkeys(edge.destination for edge in self.consumed))
        return LineageGraph(taken=taken).extend(self.slice())


def find_without_inputs(listing: ModelListing, config: Config) -> tuple[str, ...]:
    """Names of models that may serve and declare no inputs, neither in the catalog nor in `.tether.yml`. Sorted."""
    graph = LineageGraph(aspects=listing.without_inputs)
    told = [pattern for pattern, entry in config.models.items() if entry.features]
    urns = [
        urn
        for urn in listing.without_inputs
        if decide_serving(urn, graph, config).state in ("serving", "unknown", "unread")
        and not any(matches_model(pattern, urn, graph) for pattern in told)
    ]
    return tuple(sorted(find_model_name(urn, graph) for urn in urns))
