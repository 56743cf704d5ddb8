"""From a lost feature to the models that take it, and from a lost relation to models that stand on it without features."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

from app.trail.aspects import find_texts, is_ml_exposure
from app.trail.graph import LineageGraph
from app.trail.graph_side import JOB_READS, JOB_WRITES, GraphSide
from app.trail.hop import NOWHERE, Doubt, FeatureLoss, Hop, Hops, Loss, ModelLoss
from app.trail.nodes import Nodes
from app.trail.sql_side import SqlSide, split_name
from app.trail.trail import Step
from app.trail.urns import feature_urn, find_title, find_type
from app.words import Config


def find_features(graph: LineageGraph, model: str) -> tuple[str, ...]:
    """The features that a model declares as its inputs."""
    listed = find_texts(graph.aspect(model, "mlModelProperties"), "mlFeatures")
    return tuple(dict.fromkeys((*listed, *graph.destinations(model, "Consumes"))))


def find_model_name(model: str, graph: LineageGraph) -> str:
    """What people call the model: its name in the catalog, a dashboard's title, else the name in its urn."""
    named = graph.aspect(model, "mlModelProperties").get("name") or graph.aspect(model, "dashboardInfo").get("title")
    return str(named) if named else find_title(model)


def matches_model(pattern: str, model: str, graph: LineageGraph) -> bool:
    """Whether a key of `models:` in `.tether.yml` (a name or a glob) means this model."""
    names = {find_model_name(model, graph), find_title(model), find_title(model).rpartition(".")[2], model}
    return any(fnmatchcase(name, pattern) for name in names)


@dataclass(frozen=True, slots=True)
class _Behind:
    """Who needs a relation without a feature in between, whichever column it is. `creates`: a CREATE MODEL builds it."""

    exposures: tuple[str, ...] = ()
    dashboards: tuple[str, ...] = ()
    wanted: frozenset[str] = frozenset()  # charts, to learn their dashboards; groups, to learn their versions
    trained: tuple[str, ...] = ()
    creates: bool = False


TRAINED: Final = ("mlModel", "mlModelGroup")
_NOBODY: Final = _Behind()


@dataclass(frozen=True, slots=True)
class Models:
    graph: LineageGraph
    nodes: Nodes
    sql: SqlSide
    catalog: GraphSide
    config: Config
    dialects: frozenset[str]
    seen: tuple[str, ...]
    _of_node: dict[str, _Behind] = field(default_factory=dict, compare=False, repr=False)

    @staticmethod
    def of(sql: SqlSide, catalog: GraphSide, config: Config, dialects: frozenset[str]) -> Models:
        """`dialects` of the SQL that is there name the platforms whose registries a CREATE MODEL may go to."""
        graph = catalog.graph
        seen = tuple(urn for urn in graph.aspects if find_type(urn) == "mlModel" and not graph.removed(urn))
        return Models(graph, catalog.nodes, sql, catalog, config, dialects, seen)

    def of_feature(self, loss: FeatureLoss) -> Hops:
        """Models that consume the feature; of a key, everything its feature tables hold."""
        hops = [
            Hop(ModelLoss(model, loss.effect, loss.urn), Step(model, None, "relationship"))
            for model in self.graph.sources(loss.urn, "Consumes")
            if find_type(model) == "mlModel" and not self.graph.removed(model)
        ]
        known = {hop.to for hop in hops}
        hops += [hop for hop in self._declared(loss) if hop.to not in known]
        wanted = {loss.urn}
        if find_type(loss.urn) == "mlPrimaryKey":
            for table in self.graph.sources(loss.urn, "KeyedBy"):
                wanted.add(table)
                for feature in self._table_features(table):
                    hops.append(Hop(FeatureLoss(feature, loss.effect), Step(feature, None, "relationship")))
        return Hops(tuple(hops), wanted=frozenset(wanted))

    def _table_features(self, table: str) -> tuple[str, ...]:
        if self.graph.removed(table):
            return ()
        listed = find_texts(self.graph.aspect(table, "mlFeatureTableProperties"), "mlFeatures")
        urns = (*listed, *self.graph.destinations(table, "Contains"))
        return tuple(dict.fromkeys(urn for urn in urns if not self.graph.removed(urn)))

    def _declared(self, loss: FeatureLoss) -> Iterator[Hop]:
        """`.tether.yml` lists the feature among a model's inputs. A model that the catalog has not shown yet keeps its name."""
        for name, entry in self.config.models.items():
            if loss.urn in {feature_urn(*split_name(feature)) for feature in entry.features}:
                known = [model for model in self.seen if matches_model(name, model, self.graph)]
                for model in known or [name]:
                    yield Hop(ModelLoss(model, loss.effect, loss.urn), Step(model, None, "config"))

    def of_relation(self, loss: Loss) -> Hops:
        """Exposures, training and scoring runs, training data, and CREATE MODEL: what needs the relation without a feature."""
        behind = self._behind(loss.node)
        if behind is _NOBODY:
            return NOWHERE
        hops = [hop for board in behind.exposures for hop in self._exposed(board, loss)]
        hops += [hop for model in behind.trained for hop in self._by_table(model, loss)]
        hops += self._created(loss)
        wanted = frozenset(self._model_candidates(loss.node)) if behind.creates else frozenset()
        return Hops(tuple(hops), dashboards=behind.dashboards, wanted=wanted | behind.wanted)

    def _behind(self, node: str) -> _Behind:
        found = self._of_node.get(node)
        if found is None:
            found = self._find_behind(node)
            found = self._of_node[node] = _NOBODY if found == _NOBODY else found
        return found

    def _find_behind(self, node: str) -> _Behind:
        readers = [reader for urn in self.nodes.urns(node) for reader in self.graph.sources(urn, "Consumes")]
        kept = [reader for reader in dict.fromkeys(readers) if not self.graph.removed(reader)]
        charts = [reader for reader in kept if find_type(reader) == "chart"]
        boards = [reader for reader in kept if find_type(reader) == "dashboard"]
        boards += [b for chart in charts for b in self.graph.sources(chart, "Contains") if find_type(b) == "dashboard"]
        exposures = tuple(board for board in boards if is_ml_exposure(self.graph, board))
        trained = tuple(self._trained_on(node))
        groups = [urn for urn in trained if find_type(urn) == "mlModelGroup"]
        shown = dict.fromkeys((*charts, *(board for board in boards if board not in exposures)))
        return _Behind(
            exposures,
            tuple(urn for urn in shown if not self.graph.removed(urn)),
            frozenset((*charts, *groups)),
            tuple(urn for urn in trained if find_type(urn) == "mlModel"),
            any(one.reader.statement.kind == "create_model" for one in self.sql.building.get(node, ())),
        )

    def _exposed(self, dashboard: str, loss: Loss) -> Iterator[Hop]:
        """A dbt exposure of type ml depends on every output of its relations."""
        if not loss.by_position:
            yield Hop(ModelLoss(dashboard, loss.effect), Step(dashboard, None, "declared"))

    def _trained_on(self, node: str) -> Iterator[str]:
        """Models, and groups of models, behind runs that read the relation, and models whose training data lists it. All of
        it is table level.
        """
        found: dict[str, None] = {}
        for job in self.catalog.jobs(node):
            found |= dict.fromkeys(self.graph.sources(job, "TrainedBy", "UsedBy"))
            named = self.graph.destinations(job, *JOB_READS, *JOB_WRITES)
            found |= dict.fromkeys(urn for urn in named if not self.graph.absent(urn))  # the run outlives its model
        for job in self.catalog.former_jobs(
            node
        ):  # only what still names it: what it once wrote may come from elsewhere
            found |= dict.fromkeys(self.graph.sources(job, "TrainedBy", "UsedBy"))
        for group in [urn for urn in found if find_type(urn) == "mlModelGroup"]:
            found |= dict.fromkeys(
                self.graph.sources(group, "MemberOf")
            )  # a run may name the group and none of its versions
        for dataset in self.nodes.urns(node):
            found |= dict.fromkeys(self.graph.sources(dataset, "TrainedOn"))
        yield from (urn for urn in found if find_type(urn) in TRAINED and not self.graph.removed(urn))

    def _by_table(self, model: str, loss: Loss) -> Iterator[Hop]:
        """A model with declared features is judged by them; a table that is gone as a whole is gone for its runs as well."""
        step = Step(model, None, "declared")
        if loss.by_position:
            return
        if loss.column is None and loss.effect == "stops":
            yield Hop(ModelLoss(model, loss.effect), step)
        elif not find_features(self.graph, model):
            where = self.nodes.title(loss.node)
            why = f"a training or scoring run reads {where}, and the model declares no features that say which columns it takes"
            yield Hop(
                ModelLoss(model, loss.effect), step, Doubt("lineage_is_incomplete", self.nodes.title_of(loss), why)
            )

    # --- CREATE MODEL ----------------------------------------------------------------------------------------------

    def _created(self, loss: Loss) -> Iterator[Hop]:
        if not self._behind(loss.node).creates or loss.by_position:
            return
        for model in self._model_candidates(loss.node):
            if self.graph.exists(model):
                yield Hop(ModelLoss(model, loss.effect), Step(model, None, "sql"))

    def _model_candidates(self, node: str) -> Iterator[str]:
        """The urns that the warehouse's own model registry would give a model of this name."""
        platforms = {self.config.catalog.platform} if self.config.catalog.platform else set(self.dialects)
        for platform in sorted(name for name in platforms if name):
            for parts in self.nodes.names(node):
                for name in dict.fromkeys((parts[-1], ".".join(parts[-2:]), ".".join(parts))):
                    yield f"urn:li:mlModel:(urn:li:dataPlatform:{platform},{name},{self.config.catalog.env})"
