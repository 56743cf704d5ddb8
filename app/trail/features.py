"""Which column is a feature, and so: which features does a lost column take with it.

mlFeature (T, f) is column f of a dataset in its `sources` whose schema or SQL has f; else of the relation or CREATE MODEL
named T; else what `app.trail.binding` says, which code and `.tether.yml` tell; else nobody can
tell. Other columns of that dataset are not the feature.
Existence of (T, f) is asked by urn, so that no listing of all features is ever needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any

from app.change import FeatureTable, Query
from app.trail.aspects import find_texts
from app.trail.binding import TOLD, Binding, Bindings, Unbound, find_called
from app.trail.graph import LineageGraph, Taken
from app.trail.hop import NOWHERE, Doubt, FeatureLoss, Hop, Hops, Loss
from app.trail.lost_queries import find_query_hops
from app.trail.naming import Naming
from app.trail.nodes import Nodes
from app.trail.proof import Proof, find_proofs
from app.trail.sql_side import SqlSide, split_name
from app.trail.trail import SqlIndex, Step
from app.trail.urns import bare, feature_urns, find_title, find_type, parse_feature, spells
from app.words import Config, Schema

SOURCE_ASPECTS = ("mlFeatureProperties", "mlPrimaryKeyProperties")
DERIVED = ("mlFeature", "mlPrimaryKey")


def find_feature_sources(graph: LineageGraph, feature: str) -> tuple[str, ...]:
    """The dataset urns that a mlFeature or mlPrimaryKey declares as its sources."""
    listed, drawn = graph.read(feature, _sources), graph.destinations(feature, "DerivedFrom")
    urns = listed if set(drawn) <= set(listed) else dict.fromkeys((*listed, *drawn))
    return tuple(urn for urn in urns if find_type(urn) == "dataset")


def find_near_sources(graph: LineageGraph, naming: Naming, features: Iterable[str]) -> frozenset[str]:
    """Datasets that a source which nobody ingested may mean: which of them has the feature's column has to be known."""
    named = {urn for feature in features for urn in find_feature_sources(graph, feature)} - naming.known
    return frozenset(urn for source in named for urn in find_called(source, naming)) - frozenset(graph.aspects)


def find_unbound(
    features: Iterable[str], index: SqlIndex, graph: LineageGraph, naming: Naming, schema: Schema, config: Config
) -> tuple[Unbound, ...]:
    """Those of consumed features of which nobody can tell the table."""
    targets = [reader.statement.target for reader in index.readers if reader.statement.target]
    sql = SqlSide.of(index, Nodes.of(naming, graph, schema, targets), config)
    sources = partial(find_feature_sources, graph)
    return Bindings.of(sql, graph, config, index.views, sources, Taken.of(features)).unbound()


def _sources(aspects: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(urn for name in SOURCE_ASPECTS for urn in find_texts(aspects.get(name) or {}, "sources"))
    )


@dataclass(frozen=True, slots=True)
class _Derived:
    """A feature that declares a relation as its source, and what holds of the two whatever is lost. `name` in lower case."""

    urn: str
    name: str
    mapped: bool  # `.tether.yml` maps it to a file
    proof: Proof | None
    held: bool  # the relation has a column of its name


@dataclass(frozen=True, slots=True)
class _Lot:
    """All features of one relation. `loose` are those of which the column's name does not tell whether they are hit."""

    features: tuple[_Derived, ...]
    by_name: Mapping[str, tuple[_Derived, ...]]
    loose: tuple[_Derived, ...]
    urns: frozenset[str]
    sources: frozenset[str]  # urns of their other sources

    @staticmethod
    def of(features: list[_Derived], sources: frozenset[str]) -> _Lot:
        by_name: dict[str, list[_Derived]] = {}
        for feature in features:
            by_name.setdefault(feature.name, []).append(feature)
        loose = tuple(feature for feature in features if feature.proof is not None or not feature.held)
        named = {name: tuple(found) for name, found in by_name.items()}
        return _Lot(tuple(features), named, loose, frozenset(feature.urn for feature in features), sources)

    def touched(self, loss: Loss) -> tuple[_Derived, ...]:
        """Those that may be hit: by a column, its namesakes and the loose ones."""
        if loss.column is None:
            return self.features
        return tuple(dict.fromkeys((*self.by_name.get(bare(loss.column).lower(), ()), *self.loose)))


@dataclass(frozen=True, slots=True)
class Features:
    """What begins with an underscore only remembers answers: every column of a relation asks for the same features."""

    graph: LineageGraph
    nodes: Nodes
    sql: SqlSide
    config: Config
    _known: frozenset[str]  # features that the graph knows of, whether or not somebody ingested them
    bindings: Bindings
    queries: Mapping[str, Query] = field(default_factory=dict)
    _of_node: dict[str, _Lot] = field(default_factory=dict, compare=False, repr=False)
    _sources: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    _building: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)

    @staticmethod
    def of(
        sql: SqlSide,
        graph: LineageGraph,
        config: Config,
        queries: Mapping[str, Query] | None = None,
        views: tuple[FeatureTable, ...] = (),
    ) -> Features:
        """`queries` of the change's report, by the names that stand for them in its removals; `views` that code declares."""
        named = {urn for urn, aspects in graph.aspects.items() if aspects and find_type(urn) == "mlFeature"}
        named.update(edge.destination for edge in graph.edges if edge.type in ("Consumes", "Contains"))
        lost = {sql.nodes.of_relation(name): query for name, query in (queries or {}).items()}
        sources = partial(find_feature_sources, graph)
        bindings = Bindings.of(sql, graph, config, views, sources, graph.taken)
        return Features(graph, sql.nodes, sql, config, frozenset(named), bindings, lost)

    def is_shown(self, urn: str) -> bool:
        """Whether SQL that can be seen and read makes the feature's column, so that nothing unseen has to."""
        _, name = parse_feature(urn) or ("", "")
        nodes = (node for source in find_feature_sources(self.graph, urn) for node in (self.nodes.of_urn(source),))
        return any(self.sql.shows(node) and self.sql.has(node, name) for node in nodes)

    def hops(self, loss: Loss) -> Hops:
        """Features that lose their column, their source, or perhaps either."""
        if loss.by_position:
            return NOWHERE
        if (query := self.queries.get(loss.node)) is not None:
            return find_query_hops(query, loss, self.graph, self.config, self.exists)
        derived = self._derived(loss.node)
        touched = derived.touched(loss)
        hops = [
            self._settle(hop, loss, feature.urn)
            for feature in touched
            if (hop := self._derive(feature, loss)) is not None
        ]
        wanted = set(derived.sources)
        guesses = self._candidates(loss)
        for urn in sorted((guesses & self._known) - derived.urns):
            wanted.update(self.nodes.naming.called((parse_feature(urn) or ("", ""))[0]))
            hop = self._named(urn, loss) if self._is_known(urn) else None
            hops += [self._settle(hop, loss, urn)] if hop else []
        hops += self._configured(loss)
        hops += self._bound(loss, wanted)
        common = self.bindings.find_common(self._names(loss))
        unseen = tuple(Doubt("feature_is_unbound", self.nodes.title_of(loss), why) for why in common)
        return Hops(tuple(hops), wanted=frozenset(wanted), dead_ends=unseen, guesses=guesses)

    def _bound(self, loss: Loss, wanted: set[str]) -> Iterator[Hop]:
        """Features whose table is told by more than the catalog's sources, and those of which it is not told at all. What has
        to be known to tell them apart is added to `wanted`.
        """
        named = (name for c in self._names(loss) for name in self.bindings.called(c))
        for feature in dict.fromkeys((*self.bindings.at(loss.node), *named)):
            lacking = self._find_lacking(feature)
            if lacking:
                wanted.update(lacking)
                continue
            found = self.bindings.find(feature)
            if found is TOLD or not any(_takes(loss, column) for column in (found.column, *found.keys)):
                continue
            if found.node == loss.node:
                step = self._lose(feature, bare(loss.column or found.column), loss).step
                shown = replace(step, evidence=(*step.evidence, *found.evidence), note=f"bound by {found.by}")
                yield self._settle(Hop(FeatureLoss(feature, loss.effect), shown), loss, feature)
            elif found.may_be(loss.node) and not self.graph.removed(feature):
                doubt = self._unbound(feature, found)
                yield Hop(FeatureLoss(feature, loss.effect), Step(feature, None, "relationship"), doubt)

    def _find_lacking(self, feature: str) -> frozenset[str]:
        """The feature itself, or the datasets that a source of it may mean, while nobody has fetched them."""
        if feature not in self.graph.aspects:
            return frozenset({feature}) - self.graph.asked
        return find_near_sources(self.graph, self.nodes.naming, (feature,)) - self.graph.asked

    def _names(self, loss: Loss) -> tuple[str, ...]:
        return (bare(loss.column),) if loss.column is not None else tuple(self._every_column(loss.node))

    def _unbound(self, feature: str, found: Binding) -> Doubt:
        title = find_title(feature)
        listed = find_feature_sources(self.graph, feature)
        source = (
            f"its source in the catalog, {find_title(listed[0])}, leads to no table" if listed else "it has no source"
        )
        if found.near:
            source = f"its source may be any of {', '.join(map(self.nodes.title, found.near))}"
        why = (
            f"a serving model takes {title}, and nobody can tell which table's column that is: {source}; under `features:` "
            f"in .tether.yml of the default branch, `{self.bindings.describe(feature).line}` settles it"
        )
        return Doubt("feature_is_unbound", title, why)

    def exists(self, feature: str) -> bool:
        """In the catalog, or at least consumed by a model there."""
        return self._is_known(feature) and not self.graph.removed(feature)

    def _is_known(self, feature: str) -> bool:
        return bool(self.graph.aspects.get(feature)) or bool(self.graph.sources(feature, "Consumes", "Contains"))

    def _settle(self, hop: Hop, loss: Loss, feature: str) -> Hop:
        """A feature that the catalog marks as deleted decides nothing, unless a model that serves still takes it; and one whose
        column is merely hidden is lost to those alone who take it by a star.
        """
        if loss.hidden:
            why = f"{self.nodes.title_of(loss)} stays for those who name it, and how the feature is taken is not told"
        elif self.graph.removed(feature):
            why = (
                "the catalog marks it as deleted, and what follows still names it; delete that too, or ingest it again"
            )
        else:
            return hop
        return replace(hop, doubt=hop.doubt or Doubt("lineage_is_incomplete", find_title(feature), why))

    def sources(self, feature: str) -> tuple[str, ...]:
        """The nodes of the datasets that the feature declares as its sources."""
        found = self._sources.get(feature)
        if found is None:
            nodes = dict.fromkeys(map(self.nodes.of_urn, find_feature_sources(self.graph, feature)))
            found = self._sources[feature] = tuple(nodes)
        return found

    def holds(self, node: str, name: str) -> bool:
        """Whether the relation has a column of the feature's name: by its schema, its DDL or its SQL."""
        return self.nodes.has(node, name) or self.sql.has(node, name)

    def _keeps(self, node: str, name: str) -> bool:
        """As `holds`; a dataset that the catalog marks as deleted keeps nothing but what SQL still builds."""
        gone = all(self.graph.removed(urn) for urn in self.nodes.urns(node)) if self.nodes.urns(node) else False
        return self.sql.has(node, name) if gone else self.holds(node, name)

    def _derived(self, node: str) -> _Lot:
        found = self._of_node.get(node)
        if found is None:
            urns = (urn for dataset in self.nodes.urns(node) for urn in self.graph.sources(dataset, "DerivedFrom"))
            kept = [u for u in dict.fromkeys(urns) if find_type(u) in DERIVED]
            others = {source for urn in kept for source in self.sources(urn)} - {node}
            sources = frozenset(urn for source in others for urn in self.nodes.urns(source))
            found = self._of_node[node] = _Lot.of([self._describe(urn, node) for urn in kept], sources)
        return found

    def _describe(self, feature: str, node: str) -> _Derived:
        name = (parse_feature(feature) or ("", ""))[1]
        proof = self._proof(feature, node)
        return _Derived(feature, name.lower(), feature in self.sql.mapped, proof, self.holds(node, name))

    def _derive(self, feature: _Derived, loss: Loss) -> Hop | None:
        """What the loss of a declared source means for a feature. A file that `.tether.yml` maps it to beats all of this."""
        if feature.mapped or self._is_bound(feature.urn):
            return None
        if feature.proof is not None:
            return self._by_proof(feature.urn, loss, feature.proof)
        takes = _takes(loss, feature.name)
        if feature.held or (loss.column is not None and takes):
            return self._lose(feature.urn, feature.name, loss) if takes else None
        if self._is_told_elsewhere(feature.urn, feature.name, loss):
            return None
        whole = loss.column is None and loss.effect == "stops"
        doubt = None if whole else self._untold(feature.urn, loss)
        return Hop(FeatureLoss(feature.urn, loss.effect), Step(feature.urn, None, "declared"), doubt)

    def _is_bound(self, feature: str) -> bool:
        """Code or `.tether.yml` tells its column; what the catalog thinks of it then says no more."""
        found = self.bindings.find(feature)
        return found is not TOLD and bool(found.node)

    def _is_told_elsewhere(self, feature: str, name: str, loss: Loss) -> bool:
        """The walk goes through the relation that holds the feature's column, and decides there."""
        others = [node for node in self.sources(feature) if node != loss.node and self.holds(node, name)]
        if any(self.sql.shows(node) or self._is_linked(loss.node, node) for node in others):
            return True
        return bool(self.builders(*(parse_feature(feature) or ("", ""))))

    def _untold(self, feature: str, loss: Loss) -> Doubt:
        where = self.nodes.title(loss.node)
        name = find_title(feature)
        why = (
            f"feature {name} declares {where} as its source, and neither a schema nor visible SQL says which column it is; "
            f"`features: {{{name}: {{sql: ..., column: ...}}}}` in .tether.yml would settle it"
        )
        return Doubt("lineage_is_incomplete", self.nodes.title_of(loss), why)

    def _is_linked(self, upstream: str, downstream: str) -> bool:
        """Declared lineage leads from one to the other: then that edge is judged, not the feature's second source."""
        downs = set(self.nodes.urns(downstream))
        return any(downs & set(self.graph.sources(urn, "DownstreamOf")) for urn in self.nodes.urns(upstream))

    def _lose(self, feature: str, name: str, loss: Loss) -> Hop:
        step = Step(feature, None, "relationship", self.sql.line_of(loss.node, name))
        return Hop(FeatureLoss(feature, loss.effect), step)

    def _proof(self, feature: str, node: str) -> Proof | None:
        for proof in find_proofs(self.graph, feature):
            if self.nodes.of_urn(proof.upstream) == node and proof.columns:
                return proof
        return None

    def _by_proof(self, feature: str, loss: Loss, proof: Proof) -> Hop | None:
        if loss.column is not None and not any(spells(loss.column, path) for path in proof.columns):
            return None
        return Hop(FeatureLoss(feature, loss.effect), Step(feature, None, "inferred", proof.evidence))

    # --- by name ---------------------------------------------------------------------------------------------------

    def _candidates(self, loss: Loss) -> frozenset[str]:
        """(T, f) for the relation's last part, last two parts and whole name, and the column or every column lost."""
        if loss.column is None:
            spelled = dict.fromkeys((*self._every_column(loss.node), *self.nodes.paths(loss.node)))
        else:
            column = bare(loss.column)
            paths = self.nodes.spelled(loss.node, column)
            spelled = dict.fromkeys((column, *(path for path in paths if path.lower() == column.lower())))
        return _name_features(self.nodes.names(loss.node), tuple(spelled))

    def _every_column(self, node: str) -> list[str]:
        known = (*self.nodes.columns(node), *self.sql.outputs(node))
        return [bare(column) for column in dict.fromkeys(known) if column != "*"]

    def _named(self, feature: str, loss: Loss) -> Hop | None:
        """A feature whose table has this relation's name: unless its sources hold it, or another relation has that name."""
        table, name = parse_feature(feature) or ("", "")
        if feature in self.sql.mapped or any(self._keeps(node, name) for node in self.sources(feature)):
            return None
        if self._is_bound(feature) or not _takes(loss, name):
            return None
        rivals = [node for node in self._rivals(table, name) if node != loss.node]
        hop = self._lose(feature, name, loss)
        if not rivals:
            return hop
        listed = ", ".join(self.nodes.title(node) for node in (loss.node, *rivals))
        why = (
            f"several relations are called {table} and may have {name}: {listed}; `features:` in .tether.yml settles it"
        )
        return Hop(hop.to, hop.step, Doubt("reader_is_unknown", find_title(feature), why))

    def _rivals(self, table: str, name: str) -> tuple[str, ...]:
        """Relations called T that have column f, or may have it because nobody knows their columns."""
        catalog = [self.nodes.of_urn(urn) for urn in self.nodes.naming.called(table)]
        open_ended = [node for node in catalog if self.holds(node, name) or not self.nodes.columns(node)]
        return tuple(dict.fromkeys((*self.builders(table, name), *open_ended)))

    def builders(self, table: str, name: str) -> tuple[str, ...]:
        """Relations that SQL builds, that are called T and have column f. One part of a name is enough only for a one-part T."""
        wanted = table.lower()
        found = self._building.get(wanted)
        if found is None:
            found = self._building[wanted] = tuple(self._built(wanted.split(".")))
        return tuple(node for node in found if self.holds(node, name))

    def _built(self, wanted: list[str]) -> Iterator[str]:
        for node in self.sql.building:
            parts = [part.lower() for part in self.nodes.names(node)[0]]
            if parts[-len(wanted) :] == wanted:
                yield node

    # --- by .tether.yml --------------------------------------------------------------------------------------------

    def _configured(self, loss: Loss) -> Iterator[Hop]:
        """The relation that a mapped file builds loses the mapped column by other hands than that file's SQL."""
        for one in self.sql.building.get(loss.node, ()):
            for feature, output in one.features:
                if _takes(loss, output):
                    yield Hop(FeatureLoss(feature, loss.effect), Step(feature, None, "config"))

    def code_files(self) -> dict[str, tuple[str, str]]:
        """Path of a file that is not SQL -> the feature that `.tether.yml` says it computes."""
        return {entry.code: split_name(name) for name, entry in self.config.features.items() if entry.code is not None}


@lru_cache(maxsize=16_384)
def _name_features(names: tuple[tuple[str, ...], ...], columns: tuple[str, ...]) -> frozenset[str]:
    """Asked again for the same relation after every fetch of a walk."""
    tables = dict.fromkeys(t for p in names for t in (p[-1], ".".join(p[-2:]), ".".join(p)))
    return frozenset(urn for table in tables for name in columns for urn in feature_urns(table, name))


def _takes(loss: Loss, name: str) -> bool:
    return loss.column is None or bare(loss.column).lower() == name.lower()
