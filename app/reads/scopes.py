"""One walk over the tree of a statement: every query becomes a Scope with its sources, every column a reference.

Nothing is resolved here: sources are only complete when the walk is over. Deliberately not used: sqlglot's lineage(),
qualify() and scopes, which lose what the author wrote, SEMI joins and CTEs under a PIVOT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from app.reads.catalog import Catalog
from app.reads.fold import Folder
from app.reads.queries import Query
from app.reads.sources import Item, Source, TableSource
from app.reads.star import Star

Env = Mapping[str, Query]

#: argument of a SELECT, UPDATE ... -> the clause a reader knows it by
CLAUSES = {
    "expressions": "select",
    "from_": "from",
    "joins": "join",
    "laterals": "from",
    "group": "group by",
    "order": "order by",
    "sort": "order by",
    "cluster": "cluster by",
    "distribute": "distribute by",
    "windows": "window",
    "distinct": "distinct",
    "connect": "connect by",
    "prewhere": "where",
    "match": "match_recognize",
}


@dataclass(eq=False, slots=True)
class Scope:
    """The names one query sees. `outward`: an unqualified name may also mean a column of the query around it.

    Without it the query is one of FROM: it sees what the query around it sees outside, but not the sources beside it.
    """

    parent: Scope | None
    env: Env
    sources: list[Source] = field(default_factory=list)
    outward: bool = False
    outputs: dict[str, list[Item]] = field(default_factory=dict)
    merged: dict[str, list[Source]] = field(default_factory=dict)

    def around(self) -> Scope | None:
        """The next scope in which an unqualified name is looked for."""
        if self.parent is None or self.outward:
            return self.parent
        return self.parent.around()

    def visible(self) -> list[Source]:
        """Sources that SELECT and WHERE see."""
        return [source for source in self.sources if not source.hidden]

    def so_far(self) -> Scope:
        """What a lateral source sees: the sources before it, and what the query itself sees outside."""
        return Scope(self.parent, self.env, list(self.sources), merged=dict(self.merged), outward=self.outward)


@dataclass(eq=False, slots=True)
class Ref:
    """One written column, in its scope and clause. `parts` outermost first. `only`: looked up in these sources alone.

    `key`: it is a whole ORDER BY or GROUP BY key; `item`: the projection it stands in.
    """

    node: exp.Expr
    parts: tuple[str, ...]
    scope: Scope
    clause: str
    line: int
    key: bool = False
    item: Item | None = None
    only: Sequence[Source] = ()


@dataclass(frozen=True, slots=True)
class Width:
    """The number of a relation's columns matters, because of a star at `line`."""

    relation: str
    line: int
    clause: str


@dataclass(frozen=True, eq=False, slots=True)
class Whole:
    """Whole rows of `sources` are taken as values: `hash(*)`, `to_jsonb(t.*)`.

    Not `certain`: some of their columns, not told which. `projected`: a projection takes them, and only it depends on them.
    """

    sources: Sequence[Source]
    line: int
    clause: str
    certain: bool = True
    projected: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Join:
    """A join by equal names. `name` "": NATURAL, every name that both sides have. `merged`: sources that share it already."""

    name: str
    before: Sequence[Source]
    added: Sequence[Source]
    line: int
    merged: Sequence[Source] = ()


@dataclass(frozen=True, slots=True)
class Nested:
    """A query in a filter or the like: all that it projects bears on the clause. Places in the lists of a Walk."""

    refs: tuple[int, int]
    wholes: tuple[int, int]
    clause: str


class Walk:
    """What the walk over one statement has found so far."""

    def __init__(self, dialect: str, catalog: Catalog, first_line: int, written: Mapping[str, int]) -> None:
        self.dialect = dialect
        self.folder = Folder(dialect)
        self.catalog = catalog
        self.first_line = first_line
        self.written = written  # lower-case word -> line, for the few names whose node lost its place
        self.refs: list[Ref] = []
        self.widths: list[Width] = []
        self.unions: list[tuple[tuple[str, ...], ...]] = []
        self.joins: list[Join] = []
        self.stars: list[Star] = []
        self.wholes: list[Whole] = []
        self.nested: list[Nested] = []
        self.starred: dict[int, Sequence[Source]] = {}  # id of a star within an expression -> the rows it takes
        self.queries: dict[int, Query] = {}  # id of a query within an expression -> what was built of it
        self.relations: dict[str, None] = {}
        self.rows: Callable[[tuple[int, int]], Sequence[Source]] = lambda _: ()  # set by app.reads.resolve

    def line(self, node: object) -> int:
        """Line of the first name or star in a node, the statement's first line when it has none."""
        return self.find_line(node) or self.first_line

    def find_line(self, node: object) -> int | None:
        if not isinstance(node, exp.Expr):
            return None
        for inner in node.walk():
            line = inner.meta.get("line") if isinstance(inner, (exp.Identifier, exp.Star, exp.Literal)) else None
            if isinstance(line, int):
                return line
        return None

    def table(self, node: exp.Table, name: str = "") -> TableSource:
        """A real table as a source; its relation is noted."""
        parts = self.folder.parts(node)
        relation = ".".join(parts)
        self.relations.setdefault(relation)
        alias = name or self.folder.name(node.args.get("alias"))
        path = tuple(self.folder.name(part) for part in node.parts) if parts else ()
        return TableSource(
            alias or self.folder.own(node),
            () if alias else path,
            relation,
            self.catalog.columns(parts),
            self.line(node),
        )

    def add(
        self,
        node: exp.Column,
        scope: Scope,
        clause: str,
        *,
        key: bool = False,
        item: Item | None = None,
        only: Sequence[Source] = (),
    ) -> None:
        """Note a written column. One without a place in the text counts only if its word stands there."""
        parts = tuple(
            self.folder.name(node.args.get(part)) for part in ("catalog", "db", "table") if node.args.get(part)
        )
        name = self.folder.name(node.this)
        if isinstance(node.this, exp.Star):
            return
        if not name:
            return
        line = node.this.meta.get("line") or self.written.get(name.strip('"').lower())
        if line is None:
            return
        self.refs.append(Ref(node, (*parts, name), scope, clause, line, key, item, only))

    def add_name(
        self, node: object, scope: Scope, clause: str, *, only: Sequence[Source] = (), item: Item | None = None
    ) -> str:
        """Note a bare name (USING, EXCLUDE, UNPIVOT lists); gives it back folded."""
        name = self.folder.name(node)
        if name and isinstance(node, exp.Expr):
            where = node.this if isinstance(node, exp.Column) else node
            line = where.meta.get("line") or self.find_line(where) or self.written.get(name.strip('"').lower())
            if line is not None:
                self.refs.append(Ref(node, (name,), scope, clause, line, item=item, only=only))
        return name

    def add_bare(
        self, name: str, node: exp.Expr, scope: Scope, clause: str, *, table: str = "", only: Sequence[Source] = ()
    ) -> None:
        """Note a name that is no column node: an array path in FROM, `x.*`, a column that NATURAL compares."""
        parts = (*table.split("."), name) if table else (name,)
        self.refs.append(Ref(node, parts, scope, clause, self.line(node), only=only))


def children(node: exp.Expr) -> Iterable[tuple[str, exp.Expr]]:
    """The direct parts of a node in order, each under the argument that holds it."""
    for key, value in node.args.items():
        if isinstance(value, exp.Expr):
            yield key, value
        elif isinstance(value, list):
            for inner in value:
                if isinstance(inner, exp.Expr):
                    yield key, inner
