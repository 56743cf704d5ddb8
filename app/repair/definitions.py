"""Which SQL computes a feature, and where its column lives: the feature's own relation, if a dataset holds it.

The same order as the walk's: the file that `.tether.yml` names, a declared source that has the column, else the relation or
CREATE MODEL that carries the table's name. Several definitions of one feature all count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from app.reads import Output, Statement
from app.trail import (
    LineageGraph,
    Naming,
    Reader,
    SqlIndex,
    bare,
    find_feast_views,
    find_feature_sources,
    find_paths,
    parse_dataset,
    parse_feature,
    split_relation,
)
from app.words import Config, Schema

BUILDS = frozenset({"create_view", "create_table_as", "insert", "merge", "update", "query", "create_model"})


@dataclass(frozen=True, slots=True)
class FeatureName:
    """`urn:li:mlFeature:(<table>,<name>)`."""

    urn: str
    table: str
    name: str


@dataclass(frozen=True, slots=True)
class Definition:
    """`output` is the feature's column in one statement. `dataset`: the urn of the relation that holds it, None for none."""

    reader: Reader
    output: Output
    target: str | None
    dataset: str | None

    @property
    def statement(self) -> Statement:
        return self.reader.statement


@dataclass(frozen=True, slots=True)
class Definitions:
    """Statements by the relation that they build (`Naming.key`), and by (repository, path) for `.tether.yml`."""

    naming: Naming
    graph: LineageGraph
    schema: Schema
    config: Config
    building: Mapping[str, tuple[Reader, ...]]
    files: Mapping[tuple[str, str], tuple[Reader, ...]]
    known: LineageGraph  # for the spelling of columns alone

    @staticmethod
    def of(
        index: SqlIndex, naming: Naming, graph: LineageGraph, schema: Schema, config: Config, known: LineageGraph
    ) -> Definitions:
        """Views that only the catalog holds are no evidence for writing, so they are left out."""
        building: dict[str, list[Reader]] = {}
        files: dict[tuple[str, str], list[Reader]] = {}
        for reader in index.readers:
            if reader.in_catalog or reader.statement.kind not in BUILDS or reader.statement.temporary:
                continue
            files.setdefault((reader.repo.full_name, reader.path.removeprefix("./")), []).append(reader)
            if reader.statement.target:
                building.setdefault(naming.key(reader.statement.target), []).append(reader)
        return Definitions(
            naming,
            graph,
            schema,
            config,
            {key: tuple(found) for key, found in building.items()},
            {place: tuple(found) for place, found in files.items()},
            known,
        )

    def of_feature(self, feature: FeatureName) -> tuple[Definition, ...]:
        """Every statement that computes the feature's column."""
        entry = self.config.features.get(f"{feature.table}.{feature.name}")
        if entry is not None and entry.sql is not None:
            readers = self._mapped(entry.sql.removeprefix("./"))
            return tuple(self._matching(readers, entry.column or feature.name, self.sources(feature.urn)))
        sources = self.sources(feature.urn)
        held = [reader for urn in sources for reader in self.building.get(urn, ())]
        found = tuple(self._matching(held, feature.name, sources))
        called = found or tuple(self._matching(self._called(feature), feature.name, sources))
        return called or tuple(self._in_feast(feature))

    def of_column(self, relation_key: str, column: str) -> tuple[Definition, ...]:
        """Every statement that computes a column of a relation on the way."""
        return tuple(self._matching(self.building.get(relation_key, ()), column, (relation_key,)))

    def sources(self, feature: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(self.naming.canonical, find_feature_sources(self.graph, feature))))

    def paths(self, dataset: str) -> tuple[str, ...]:
        """The catalog's spelling of the dataset's columns, () when nobody knows it.

        A schema that comes folded says how the catalog spells a column only where the catalog spells everything in lower case.
        """
        stored = find_paths(self.graph, dataset) or find_paths(self.known, dataset)
        name = parse_dataset(dataset)
        if stored or name is None or name.name != name.name.lower():
            return stored
        known = (columns for relation, columns in self.schema.items() if self.naming.resolve(relation).urn == dataset)
        return tuple(dict.fromkeys(bare(column) for columns in known for column in columns))

    def _mapped(self, name: str) -> list[Reader]:
        """The statements of a file; `owner/name:path` where several repositories are read as one."""
        return [
            reader
            for (repo, path), readers in self.files.items()
            if name in (path, f"{repo}:{path}")
            for reader in readers
        ]

    def _matching(
        self, readers: tuple[Reader, ...] | list[Reader], name: str, held: tuple[str, ...]
    ) -> Iterator[Definition]:
        for reader in readers:
            target = reader.statement.target
            key = self.naming.key(target) if target else None
            same = [output for output in self._outputs(reader) if bare(output.name).lower() == bare(name).lower()]
            if len({output.name for output in same}) > 1:  # "x" beside X: two columns, and the name says which
                same = [output for output in same if output.name == name]
            for output in same:
                yield Definition(reader, output, key, key if key in held and key.startswith("urn:li:") else None)

    def _in_feast(self, feature: FeatureName) -> Iterator[Definition]:
        """The constant query behind a Feast feature view that is called T, or project.T in DataHub."""
        view_name = feature.table.rpartition(".")[2]
        for (_, path), readers in self.files.items():
            if not path.endswith(".py"):
                continue
            views = [view for view in find_feast_views("\n".join(readers[0].source)) if view.name == view_name]
            for reader in readers:
                line = reader.statement.line
                columns = [
                    view.columns.get(feature.name) for view in views if view.first_line <= line <= view.last_line
                ]
                for column in dict.fromkeys(column for column in columns if column):
                    yield from self._matching([reader], column, ())

    def _outputs(self, reader: Reader) -> tuple[Output, ...]:
        """Outputs under the target's own names: a positional INSERT fills the columns in their declared order."""
        statement = reader.statement
        if not statement.positional or not statement.target:
            return statement.outputs
        order = tuple(self.schema.get(statement.target, {}))
        if len(order) < len(statement.outputs) or any(output.name == "*" for output in statement.outputs):
            return ()
        return tuple(
            Output(name, output.sources, output.expression, output.line, output.via_star)
            for name, output in zip(order, statement.outputs, strict=False)
        )

    def _called(self, feature: FeatureName) -> list[Reader]:
        """Statements that build the relation called T; none when several relations are called so."""
        wanted = feature.table.lower().split(".")
        keys = []
        for key, readers in self.building.items():
            target = readers[0].statement.target or ""
            parts = [bare(part).lower() for part in split_relation(target)]
            if parts[-len(wanted) :] == wanted:
                keys.append(key)
        return list(self.building[keys[0]]) if len(keys) == 1 and not self.rivals(feature) else []

    def rivals(self, feature: FeatureName) -> tuple[str, ...]:
        """Datasets called T that no SQL here builds, and that have the feature's column or may have it."""
        names = {feature.name.lower()}
        unbuilt = (urn for urn in self.naming.called(feature.table) if urn not in self.building)
        return tuple(
            urn for urn in unbuilt if not (paths := self.paths(urn)) or names & {path.lower() for path in paths}
        )


def find_feature(urn: str) -> FeatureName | None:
    """The feature's table and name, None for a urn that is no feature's."""
    parts = parse_feature(urn)
    return FeatureName(urn, *parts) if parts else None
