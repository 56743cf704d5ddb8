"""Who reads a column, whatever happens to it: directly, and through everything that is computed from it. Pure.

Breadth first over statements, without the catalog's edges and without features: this is what the SQL itself says. From a
statement it goes on to the columns of its target that depend on the column; read in a filter, join, grouping or order,
all of them do. Deliberately absent: models (the walk finds them) and relations that the statement merely writes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from app.change import Removal
from app.reads import Statement
from app.trail.graph import LineageGraph
from app.trail.hop import Loss
from app.trail.naming import Naming
from app.trail.nodes import Nodes
from app.trail.opaque import Lost, find_feature_words, find_suspects
from app.trail.sql_side import Bound, SqlSide
from app.trail.touch import find_passing, find_touch, touch_rows
from app.trail.trail import OpaqueFile, SqlIndex
from app.trail.urns import find_type
from app.words import Config, Evidence, Schema


@dataclass(frozen=True, slots=True)
class Found:
    """One line that reads the column. `through`: the relations in between, nearest first; () for a direct reader.

    `certain` False: the line, or one on the way to it, may mean another relation or another column of the same name.
    """

    evidence: Evidence
    clause: str
    through: tuple[str, ...] = ()
    certain: bool = True

    @property
    def path(self) -> str:
        return self.evidence.path

    @property
    def line(self) -> int:
        return self.evidence.line

    @property
    def direct(self) -> bool:
        return not self.through


def find_readers(
    index: SqlIndex, naming: Naming, relation: str, column: str | None, *, schema: Schema | None = None
) -> tuple[Found, ...]:
    """Every reader, the nearest first; one for each place and clause. `column` None: the whole relation.

    `schema` tells the columns that an INSERT without a list fills.
    """
    return _search(index, naming, relation, column, schema or {}).sorted()


def find_unread(
    index: SqlIndex,
    naming: Naming,
    removal: Removal,
    *,
    features: Iterable[str],
    config: Config,
    schema: Schema | None = None,
) -> tuple[OpaqueFile, ...]:
    """Files that could not be understood and mention what `removal` takes, by the walk's own rule.

    `features` are the urns of all known features: a file may name one of them instead of a relation.
    """
    search = _search(index, naming, removal.relation, removal.column, schema or {})
    lost = Lost.of(removal, search.losses, search.sql.nodes)
    return find_suspects(index.opaque, lost, find_feature_words(features, config), config)


def _search(index: SqlIndex, naming: Naming, relation: str, column: str | None, schema: Schema) -> _Search:
    targets = [reader.statement.target for reader in index.readers if reader.statement.target]
    nodes = Nodes.of(naming, LineageGraph(), schema, (*targets, relation))
    search = _Search(SqlSide.of(index, nodes, Config()))
    search.run(_Place(Loss(nodes.of_relation(relation), column, "values")))
    return search


@dataclass(frozen=True, slots=True)
class _Place:
    loss: Loss
    through: tuple[str, ...] = ()
    certain: bool = True


@dataclass(slots=True)
class _Search:
    """What is sure is followed to its end before anything doubtful, so that a doubt never hides a sure reader."""

    sql: SqlSide
    found: dict[tuple[str, str, int, str], Found] = field(default_factory=dict)
    losses: dict[Loss, None] = field(default_factory=dict)

    def run(self, start: _Place) -> None:
        sure, doubtful = deque([start]), deque[_Place]()
        while sure or doubtful:
            place = sure.popleft() if sure else doubtful.popleft()
            if place.loss in self.losses or Loss(place.loss.node, None, "values") in self.losses:
                continue
            self.losses[place.loss] = None
            for to in self._expand(place):
                (sure if to.certain else doubtful).append(to)

    def _expand(self, place: _Place) -> Iterator[_Place]:
        node = place.loss.node
        for one in self.sql.reading.get(node, ()):
            yield from self._read(place, one, one.sources[node], certain=place.certain)
        for one in self.sql.doubtful.get(node, ()):
            yield from self._read(place, one, one.may_be[node], certain=False)

    def _read(self, place: _Place, one: Bound, names: frozenset[str], *, certain: bool) -> Iterator[_Place]:
        statement = one.reader.statement
        for line, clause, sure in _find_lines(statement, names, place):
            evidence = one.reader.evidence(line)
            found = Found(evidence, clause, place.through, certain and sure)
            key = (evidence.repo, evidence.path, line, clause)
            if key not in self.found or (found.certain and not self.found[key].certain):
                self.found[key] = found
        touch = find_touch(statement, names, place.loss, self.sql.find_order(one))
        if touch is None or one.target is None:
            return
        through = (*place.through, self._name(one, statement))
        for column in (None,) if touch.columns is None else touch.columns:
            yield _Place(Loss(one.target, column, "values"), through, certain and touch.certain)

    def _name(self, one: Bound, statement: Statement) -> str:
        """The relation as SQL writes it, completed."""
        if one.target is not None and find_type(one.target) == "dataset":
            return self.sql.nodes.naming.relation(one.target)
        return statement.target or ""

    def sorted(self) -> tuple[Found, ...]:
        found = self.found.values()
        return tuple(sorted(found, key=lambda f: (len(f.through), f.evidence.repo, f.path, f.line, f.clause)))


def _find_lines(statement: Statement, names: frozenset[str], place: _Place) -> list[tuple[int, str, bool]]:
    """(line, clause, certain) of everything in the statement that reads the column.

    A star reads it where nothing else on its line does. Who counts the columns reads the relation that loses one; further
    down no column is lost, only its values.
    """
    reads = [read for read in statement.reads if read.relation in names]
    column = place.loss.column
    if column is None:
        found: Mapping[tuple[int, str], bool] = _merged((read.line, read.clause, read.certain) for read in reads)
        return [(*key, sure) for key, sure in found.items()] or [(statement.line, "from", True)]
    hits = [
        read
        for read in reads
        if (read.column in (column, "*") and read.kind != "width") or (read.kind == "width" and not place.through)
    ]
    found = _merged((read.line, read.clause, read.certain) for read in hits)
    lines = {line for line, _ in found}
    stars = [
        (output.line, "select", any(s.certain for s in output.sources if s.relation in names))
        for output in find_passing(statement, names, column)
        if output.line not in lines
    ]
    rows = touch_rows(statement, names, column)
    stars += [(line, "select", rows.certain) for line in rows.lines if line not in lines] if rows else []
    return [(*key, sure) for key, sure in {**found, **_merged(stars)}.items()]


def _merged(rows: Iterable[tuple[int, str, bool]]) -> dict[tuple[int, str], bool]:
    """Certain if any of them is."""
    found: dict[tuple[int, str], bool] = {}
    for line, clause, certain in rows:
        found[line, clause] = found.get((line, clause), False) or certain
    return found
