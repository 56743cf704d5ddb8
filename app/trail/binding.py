"""Which table's column a consumed feature is, where what the catalog says of its sources does not tell.

In this order, the first that tells decides and is named: `table:` of `.tether.yml`; the feature view in the code of the
installation; the last part of a source that nobody ingested, where exactly one relation of its platform is called so and has the
column. Else the feature is bound to nothing, and whatever column of its name is lost may be it.

Deliberately absent: sources that the catalog has, and relations that carry the feature table's own name (`app.trail.features`).
An edge is never written on the strength of this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Final

from app.change import FeatureTable
from app.trail.graph import LineageGraph, Taken
from app.trail.naming import Naming
from app.trail.nodes import Nodes
from app.trail.proof import find_proofs
from app.trail.sql_side import SqlSide, split_name
from app.trail.urns import bare, find_title, find_type, parse_dataset, parse_feature
from app.words import Config, Evidence, FeatureConfig

#: what the catalog's Feast source writes for a source that it does not know
NOBODY: Final = "unknown"


@dataclass(frozen=True, slots=True)
class Binding:
    """`node`: the relation whose `column` the feature is; "" where nobody can tell, and then it may be any of `near`, or any
    relation at all where that is empty. `by` says what decided.
    """

    column: str = ""
    node: str = ""
    near: tuple[str, ...] = ()
    by: str = ""
    evidence: tuple[Evidence, ...] = ()
    keys: tuple[str, ...] = ()  # columns without which nothing of its view can be looked up

    def may_be(self, node: str) -> bool:
        return node in self.near if self.near else not self.node


@dataclass(frozen=True, slots=True)
class Unbound:
    """A consumed feature of which nobody can tell the table. `line` of `.tether.yml` binds it, with a table that the catalog
    names like its view where `guessed`, else with one to be filled in.
    """

    feature: str
    line: str
    guessed: bool


#: it is told elsewhere: by the catalog's own sources, by SQL, by a query
TOLD: Final = Binding(by="told elsewhere")
#: consumed features of one name that are fetched to learn whether they are bound: a walk over thousands of columns asks for each
MOST_CALLED: Final = 1_000


def find_named_entry(config: Config, feature: str) -> FeatureConfig | None:
    """What `features:` of `.tether.yml` says: by the feature's whole name, else by a pattern (`acme.customer_features.*`)."""
    title = find_title(feature)
    exact = config.features.get(title)
    return exact or next((one for key, one in config.features.items() if "*" in key and fnmatchcase(title, key)), None)


def find_called(source: str, naming: Naming) -> tuple[str, ...]:
    """Datasets of the source's platform whose name ends like its own."""
    name = parse_dataset(source)
    if name is None or not name.name or name.platform == NOBODY:
        return ()
    return tuple(u for u in naming.called(name.name) if (one := parse_dataset(u)) and one.platform == name.platform)


@dataclass(frozen=True, slots=True)
class Bindings:
    """What begins with an underscore only remembers answers."""

    graph: LineageGraph
    nodes: Nodes
    sql: SqlSide
    config: Config
    views: tuple[FeatureTable, ...]
    taken: Taken
    sources: Callable[[str], tuple[str, ...]]  # a feature's declared sources, as urns
    built: Mapping[str, tuple[str, ...]]  # relations that SQL builds, by the last part of their names
    places: frozenset[tuple[str, str, int]]  # repository, path and line of every statement that reads
    _known: dict[str, Binding] = field(default_factory=dict, compare=False, repr=False)
    _at: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)

    @staticmethod
    def of(
        sql: SqlSide,
        graph: LineageGraph,
        config: Config,
        views: tuple[FeatureTable, ...],
        sources: Callable[[str], tuple[str, ...]],
        taken: Taken,
    ) -> Bindings:
        built: dict[str, list[str]] = {}
        for node in sql.building:
            built.setdefault(sql.nodes.names(node)[0][-1].lower(), []).append(node)
        places = frozenset(
            (one.reader.repo.full_name, one.reader.path, one.reader.statement.line)
            for readers in (sql.reading.values() if any(view.query for view in views) else ())
            for one in readers
        )
        made = {last: tuple(nodes) for last, nodes in built.items()}
        bindings = Bindings(graph, sql.nodes, sql, config, views, taken, sources, made, places)
        bindings._gather()
        return bindings

    def at(self, node: str) -> tuple[str, ...]:
        """Features that `.tether.yml` or code binds to a column of the relation, whatever it is called."""
        return self._at.get(node, ())

    def called(self, column: str) -> tuple[str, ...]:
        """Consumed features with the name of a column; () where that is a name of very many, see `find_common`."""
        found = self.taken.by_name.get(bare(column).lower(), ())
        return found if len(found) <= MOST_CALLED else ()

    def find_common(self, columns: Iterable[str]) -> tuple[str, ...]:
        """Sentences on names of more features than are asked after, one by one, whether anything tells their tables: what was
        not looked at may be lost.
        """
        counts = {column: len(self.taken.by_name.get(bare(column).lower(), ())) for column in columns}
        return tuple(
            f"{count:,} features that models take are called {column}; whether each is bound to a table was not looked at"
            for column, count in counts.items()
            if count > MOST_CALLED
        )

    def find(self, feature: str) -> Binding:
        found = self._known.get(feature)
        if found is None:
            found = self._known[feature] = self._find(feature)
        return found

    def unbound(self) -> tuple[Unbound, ...]:
        """Of the features that are known, sorted by urn; what the catalog marks as deleted is left out."""
        named = (urn for urns in self.taken.by_name.values() for urn in urns)
        there = (urn for urn in named if self.graph.exists(urn))
        loose = sorted(urn for urn in there if (found := self.find(urn)) is not TOLD and not found.node)
        return tuple(map(self.describe, loose))

    def describe(self, feature: str) -> Unbound:
        """An unbound feature with the line that settles it."""
        found, (table, name) = self.find(feature), parse_feature(feature) or ("", "")
        view = table.rpartition(".")[2]
        near = found.near or tuple(self.nodes.of_urn(urn) for urn in self.nodes.naming.called(view))
        having = [node for node in near if self._holds(node, name)] or list(near)
        guess = _written(having[0], self.nodes.naming) if having else f"DATABASE.SCHEMA.{view}"
        return Unbound(
            feature, f"{find_title(feature)}: {{table: {guess}, column: {found.column or name}}}", bool(having)
        )

    def _gather(self) -> None:
        """The features that are bound by more than their name, by relation."""
        bound: dict[str, dict[str, None]] = {}
        tables = [split_name(key)[0] for key, entry in self.config.features.items() if entry.table]
        for view in dict.fromkeys((*(one.view for one in self.views), *(table.rpartition(".")[2] for table in tables))):
            for feature in self._in_view(view):
                found = self._by_config(feature) or self._by_code(feature)
                if found is not None and found.node:
                    bound.setdefault(found.node, {})[feature] = None
        self._at.update({node: tuple(features) for node, features in bound.items()})

    def _in_view(self, view: str) -> Iterator[str]:
        """Consumed features of the views of a name, which may be a pattern."""
        if "*" not in view:
            yield from self.taken.by_view.get(view.lower(), ())
            return
        for name, features in self.taken.by_view.items():
            if fnmatchcase(name, view.lower()):
                yield from features

    def _find(self, feature: str) -> Binding:
        name = (parse_feature(feature) or ("", ""))[1]
        for decide in (self._by_config, self._by_code, self._by_catalog, self._by_last_part):
            found = decide(feature)
            if found is not None:
                return found
        return Binding(name)

    def _by_config(self, feature: str) -> Binding | None:
        entry = find_named_entry(self.config, feature)
        if entry is None:
            return None
        if entry.table is None:
            return TOLD if entry.code is not None or feature in self.sql.mapped else None
        name = (parse_feature(feature) or ("", ""))[1]
        node = self.nodes.of_relation(entry.table.lower())
        return Binding(entry.column or name, node, by=".tether.yml")

    def _by_code(self, feature: str) -> Binding | None:
        """A view of which code tells the table; or whose query stands there, which is SQL of its own."""
        table, name = parse_feature(feature) or ("", "")
        for view in self.views:
            column = view.find_column(name) if view.is_called(table) else None
            if column is None:
                continue
            if view.table:
                return self._in_table(view, column)
            if any((view.evidence.repo, view.evidence.path, line) in self.places for line in view.query):
                return TOLD
        return None

    def _in_table(self, view: FeatureTable, column: str) -> Binding:
        by = f"{view.evidence.path}:{view.evidence.line}"
        keys = tuple(view.keys.values())
        relation = ".".join(part.lower() for part in view.table)
        node = self.nodes.of_relation(relation)
        if self.nodes.naming.resolve(relation).urn is not None or node in self.sql.building:
            return Binding(column, node, (), by, (view.evidence,), keys)
        near = tuple(dict.fromkeys(self.nodes.of_urn(urn) for urn in self.nodes.naming.called(relation)))
        found = self._among(near, column, by, (view.evidence,)) or Binding(column, node, (), by, (view.evidence,))
        return replace(found, keys=keys)

    def _by_catalog(self, feature: str) -> Binding | None:
        """A source that is there, or SQL that builds it, or evidence that Tether left: `app.trail.features` goes by those."""
        table, name = parse_feature(feature) or ("", "")
        if find_proofs(self.graph, feature):
            return TOLD
        for urn in self.sources(feature):
            if self.graph.removed(urn):
                continue
            node = self.nodes.of_urn(urn)
            if node in self.nodes.naming.known or self.sql.building.get(node) or self.nodes.has(node, name):
                return TOLD
        named = [self.nodes.of_urn(urn) for urn in self.nodes.naming.called(table)] + self._built(table)
        return TOLD if any(self._holds(node, name) for node in named) else None

    def _by_last_part(self, feature: str) -> Binding | None:
        name = (parse_feature(feature) or ("", ""))[1]
        for urn in self.sources(feature):
            source = parse_dataset(urn)
            if source is None or source.platform == NOBODY:
                continue
            near = [self.nodes.of_urn(one) for one in find_called(urn, self.nodes.naming)]
            near += [node for node in self._built(source.name) if find_type(node) != "dataset"]
            found = self._among(tuple(dict.fromkeys(near)), name, f"the last part of its source's name, {source.name}")
            if found is not None:
                return found
        return None

    def _among(
        self, near: tuple[str, ...], column: str, by: str, evidence: tuple[Evidence, ...] = ()
    ) -> Binding | None:
        """The one that has the column; else all that have it, or may have it because nobody knows their columns."""
        having = tuple(node for node in near if self._holds(node, column))
        if len(having) == 1:
            return Binding(column, having[0], (), by, evidence)
        may = having or tuple(node for node in near if not self.nodes.columns(node) and not self.sql.outputs(node))
        return Binding(column, "", may, by, evidence) if may else None

    def _holds(self, node: str, column: str) -> bool:
        return self.nodes.has(node, column) or self.sql.has(node, column)

    def _built(self, name: str) -> list[str]:
        """Relations that SQL builds under a name that ends so."""
        wanted = name.lower().split(".")
        near = self.built.get(wanted[-1], ())
        return [n for n in near if [part.lower() for part in self.nodes.names(n)[0]][-len(wanted) :] == wanted]


def _written(node: str, naming: Naming) -> str:
    return naming.relation(node) if find_type(node) == "dataset" else node
