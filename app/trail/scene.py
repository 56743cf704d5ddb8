"""Everything a walk looks at, bound together once: where does a place lead. Both witnesses, features, models."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

from app.change import RemovalReport
from app.trail.code import CodeQueries
from app.trail.features import Features
from app.trail.graph import LineageGraph
from app.trail.graph_side import GraphSide
from app.trail.hop import NOWHERE, Doubt, FeatureLoss, Hop, Hops, Loss, ModelLoss, Place, join_hops
from app.trail.models import Models
from app.trail.naming import Naming
from app.trail.nodes import Nodes
from app.trail.serving import decide_serving, find_deployments, find_serving_frontier
from app.trail.sql_side import SqlSide
from app.trail.trail import SqlIndex, Step
from app.trail.urns import find_type
from app.words import Config


@dataclass(frozen=True, slots=True)
class Scene:
    """What begins with an underscore only remembers what was answered; every answer is a function of the other fields."""

    graph: LineageGraph
    config: Config
    nodes: Nodes
    sql: SqlSide
    catalog: GraphSide
    features: Features
    code: CodeQueries
    models: Models
    _known: dict[Place, Hops] = field(default_factory=dict, compare=False, repr=False)
    _serving: dict[str, bool] = field(default_factory=dict, compare=False, repr=False)
    _deployed: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    _frontiers: dict[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)

    @staticmethod
    def of(report: RemovalReport, index: SqlIndex, graph: LineageGraph, naming: Naming, config: Config) -> Scene:
        targets = [reader.statement.target for reader in index.readers if reader.statement.target]
        relations = (*targets, *(removal.relation for removal in (*report.removals, *report.added)))
        nodes = Nodes.of(naming, graph, report.base_schema, relations)
        sql = SqlSide.of(index, nodes, config, report.marks, report.head_schema)
        dialects = frozenset(reader.dialect for reader in index.readers)
        features = Features.of(sql, graph, config, report.queries, index.views)
        catalog = GraphSide(graph, nodes, sql, frozenset(report.files))
        return Scene(
            graph,
            config,
            nodes,
            sql,
            catalog,
            features,
            CodeQueries(sql, features),
            Models.of(sql, catalog, config, dialects),
        )

    def expand(self, place: Place) -> Hops:
        """Where the place leads, proven or not."""
        found = self._known.get(place)
        if found is None:
            found = self._known[place] = self._expand(place)
        return found

    def may_serve(self, model: str) -> bool:
        """Whether losing this model's input could block: it serves, or nobody knows and the configuration fears so."""
        found = self._serving.get(model)
        if found is None:
            state = decide_serving(model, self.graph, self.config).state
            found = state in ("serving", "unread")
            found = found or (state == "unknown" and self.config.serving.unknown == "serving")
            self._serving[model] = found
        return found

    def _expand(self, place: Place) -> Hops:
        match place:
            case Loss() if place.gained or place.hidden:
                # only SQL notices, by a name that means another or a star that lacks one; the catalog may hold SQL as well
                beside = Hops(tuple(self._namesakes(place)), wanted=self.catalog.neighbours(place))
                # a star that nobody can see is a doubt, which both of these make of whatever they find
                unseen = (self.catalog.hops(place), self.features.hops(place)) if place.hidden else ()
                return join_hops(self.sql.hops(place), self.code.hops(place), beside, *unseen)
            case Loss():
                namesakes = tuple(self._namesakes(place))
                return join_hops(
                    self.sql.hops(place),
                    self.catalog.hops(place),
                    self.features.hops(place),
                    self.code.hops(place),
                    self.models.of_relation(place),
                    Hops(namesakes) if namesakes else NOWHERE,
                )
            case FeatureLoss():
                return self.models.of_feature(place)
            case ModelLoss():
                return Hops(wanted=self._serving_frontier(place.urn))
            case _:
                assert_never(place)

    def deployments(self, model: str) -> tuple[str, ...]:
        """The model's deployments."""
        found = self._deployed.get(model)
        if found is None:
            found = self._deployed[model] = find_deployments(model, self.graph)
        return found

    def _serving_frontier(self, model: str) -> frozenset[str]:
        """A model stands behind many features, each of which ends in a place of its own."""
        found = self._frontiers.get(model)
        if found is None:
            found = self._frontiers[model] = find_serving_frontier(model, self.graph, self.config)
        return found

    def _namesakes(self, loss: Loss) -> list[Hop]:
        """A relation whose name does not say which dataset it is may be any of those that fit."""
        if find_type(loss.node) == "dataset":
            return []
        hops = []
        for node in self.nodes.may_be(loss.node):
            title = self.nodes.title(loss.node)
            why = f"it may be {self.nodes.title(node)}; `catalog:` in .tether.yml settles it"
            to = Loss(node, loss.column, loss.effect, loss.narrows, gained=loss.gained, hidden=loss.hidden)
            hops.append(Hop(to, Step(node, loss.column, "sql"), Doubt("reader_is_unknown", title, why)))
        return hops
