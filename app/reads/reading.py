"""One statement being read: walk, resolver and outputs put together into Statement values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from app.reads import walk as walking
from app.reads.dml import Writes, build_dml, split_target
from app.reads.expression import Name
from app.reads.meaning import find_meaning
from app.reads.outputs import Outputs, merge_outputs, renamed_outputs
from app.reads.queries import Query
from app.reads.resolve import Resolver
from app.reads.rivals import find_rivals
from app.reads.scopes import Scope, Walk
from app.reads.sources import Item, QuerySource
from app.reads.split import Chunk
from app.reads.statement import Output, Statement, StatementKind
from app.reads.translate import Translator
from app.reads.widths import find_tables, find_wide_tables, note_fixed_width
from app.reads.wrapped import RenamedQuery


class Reading:
    """Builds the Statements of one chunk."""

    def __init__(self, chunk: Chunk, sql: str, walk: Walk, *, reads_only: bool) -> None:
        self.reads_only = reads_only
        self.chunk = chunk
        self.walk = walk
        self.resolver = Resolver(walk)
        self.trees = Translator(self.resolver, sql)
        self.outputs = Outputs(self.trees)

    def build(self, node: exp.Expr, env: dict[str, Query] | None = None) -> Query:
        """The query under a node."""
        return walking.build_query(self.walk, node, None, env or {}, outward=False)

    def of_query(self, query: Query) -> tuple[Output, ...]:
        """Outputs of a query, unless only reads are asked for."""
        return () if self.reads_only else self.outputs.of_query(query)

    def name(self, table: object) -> str:
        """Folded dotted name of a written table."""
        return ".".join(self.walk.folder.parts(table)) if isinstance(table, exp.Table) else ""

    def finish(
        self,
        kind: StatementKind,
        target: str | None,
        outputs: Sequence[Output] = (),
        *,
        query: Query | None = None,
        node: exp.Expr | None = None,
        **more: object,
    ) -> Statement:
        """The Statement, with all reads found so far."""
        statement = Statement(
            kind,
            self.chunk.line,
            self.chunk.end_line,
            target=target or None,
            outputs=tuple(outputs),
            reads=tuple(self.resolver.reads()),
            relations=tuple(self.walk.relations),
            meaning=() if self.reads_only else find_meaning(self.trees, query, node),
        )
        if not self.reads_only:
            statement = self._with_stars(statement, query)
        return replace(statement, **more)  # type: ignore[arg-type]  # the fields a caller adds are named at its call

    def _with_stars(self, statement: Statement, query: Query | None) -> Statement:
        makes = statement.kind in {"create_table_as", "create_view", "create_model"}
        named = makes or (statement.kind == "query" and statement.target is not None)
        return replace(
            statement,
            rivals=find_rivals(self.resolver, query, named=named and not isinstance(query, RenamedQuery)),
            wide=tuple(find_wide_tables(query)) if query is not None else (),
            starred=tuple(
                dict.fromkeys(name for star in self.walk.stars for s in star.over() for name in find_tables(s))
            ),
            unions=tuple(self.walk.unions),
            nowhere=tuple(self.resolver.nowhere()),
        )

    def query(self, tree: exp.Expr, relation: str | None) -> Statement:
        """A bare query; SELECT ... INTO makes a table of it."""
        query = self.build(tree)
        outputs = self.of_query(query)
        into = tree.args.get("into")
        if isinstance(into, exp.Into) and isinstance(into.this, exp.Table):
            temporary = bool(into.args.get("temporary"))
            return self.finish("create_table_as", self.name(into.this), outputs, query=query, temporary=temporary)
        return self.finish("query", relation, outputs, query=query)

    def defines(
        self,
        kind: StatementKind,
        target: object,
        body: exp.Expr,
        *,
        names: Sequence[str] = (),
        temporary: bool = False,
        env: dict[str, Query] | None = None,
    ) -> Statement:
        """CREATE ... AS a query, its columns renamed by `names`."""
        query = self.build(body, env)
        note_fixed_width(self.walk, query, names)
        outputs = self.of_query(query)
        if names:
            outputs = renamed_outputs(outputs, names)
        return self.finish(kind, self.name(target), outputs, query=query, temporary=temporary)

    def model(self, tree: exp.Expr, target: str, labels: Sequence[str]) -> Statement:
        """CREATE MODEL: the inputs are the training query's columns without the label."""
        query = self.build(tree)
        inputs = [out for out in self.of_query(query) if out.name not in labels]
        return self.finish("create_model", target, inputs, query=query)

    def writes(self, tree: exp.Expr) -> Statement:
        """INSERT, UPDATE, DELETE, MERGE."""
        writes = build_dml(self.walk, tree, {})
        kinds: dict[str, StatementKind] = {"insert": "insert", "update": "update", "delete": "delete", "merge": "merge"}
        return self.finish(
            kinds[tree.key],
            writes.relation,
            self._written(writes),
            query=writes.query,
            node=tree,
            positional=writes.positional,
            temporary=writes.relation.split(".")[-1].startswith("#"),
        )

    def many_inserts(self, tree: exp.MultitableInserts) -> tuple[Statement, ...]:
        """Snowflake's and Oracle's INSERT ALL: one Statement for each INTO, over one query."""
        query = self.build(tree.args["source"])
        scope = Scope(None, {}, [QuerySource("", query)])
        found: list[Writes] = []
        for part in tree.expressions:
            insert = part.this if isinstance(part, exp.ConditionalInsert) else part
            condition = part.args.get("expression")
            if isinstance(condition, exp.Expr):
                walking.walk_expression(self.walk, condition, scope, "when")
            target, names = split_target(self.walk, insert.this)
            writes = Writes(target, self.name(target), names=names, positional=not names)
            rows = insert.args.get("expression")
            cells = rows.expressions[0].expressions if isinstance(rows, exp.Values) and rows.expressions else ()
            for n, cell in enumerate(cells):
                item = walking.build_item(self.walk, cell, scope, "insert")
                if isinstance(item, Item):
                    item.name = names[n] if n < len(names) else item.name
                    writes.items.append(item)
            writes.query = None if cells else query
            found.append(writes)
        return tuple(
            self.finish("insert", one.relation, self._written(one), query=query, positional=one.positional)
            for one in found
        )

    def _written(self, writes: Writes) -> tuple[Output, ...]:
        if self.reads_only:
            return ()
        found: list[Output] = []
        if writes.query is not None:
            outputs = self.of_query(writes.query)
            found += renamed_outputs(outputs, writes.names) if writes.names else outputs
        if not found and not writes.items and not writes.by_star:
            line = self.chunk.line
            return tuple(Output(name, (), Name(""), line) for name in writes.names)
        found += [self.outputs.of_item(item) for item in writes.items]
        for source in writes.by_star:
            found += self.outputs.of_source(source, self.chunk.line)
        return merge_outputs(found) if writes.query is None else tuple(found)
