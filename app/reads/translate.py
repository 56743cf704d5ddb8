"""sqlglot's nodes -> `Expression`s over fully traced columns: what one statement's expressions compute, and from what."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final

from sqlglot import exp

from app.reads.expression import (
    ASSOCIATIVE,
    MOST_DEPTH,
    Call,
    CaseWhen,
    Cast,
    ColumnLeaf,
    Constant,
    Expression,
    FoldedTree,
    Name,
    StarLeaf,
    Subquery,
    choose,
    fold,
    fold_large,
    make_call,
    order_operands,
)
from app.reads.queries import Query, SelectQuery, SetQuery
from app.reads.resolve import Resolver
from app.reads.scopes import children
from app.reads.sources import Hit, Item, Source, TableColumn
from app.reads.widths import find_tables
from app.reads.written import cut_words

#: arguments that say how something was written, not what it means
_SILENT: Final = frozenset(
    {"quoted", "alias", "big_int", "wrapped", "nested", "requires_json", "input_type_preserved", "safe"}
)
#: `+` joins texts, so its operands cannot change places unless one of them is surely a number
_JOINS_TEXTS: Final = frozenset({"tsql", "fabric"})
_CHAINED: Final = ASSOCIATIVE | {"sub", "join"}
_NUMBERS: Final = (exp.Mul, exp.Div, exp.Sub, exp.Neg, exp.Sum, exp.Count, exp.Avg)
_LEAVES = (exp.Column, exp.Identifier, exp.Literal, exp.Table, exp.TableAlias)

#: a tree, its depth, and the offsets of its first and last known character (-1: none is known)
_Built = tuple[Expression, int, int, int]
_NOTHING: Final = Name("")


class Translator:
    """Trees of one statement's expressions. `sql`: the text that offsets of the parser point into."""

    def __init__(self, resolver: Resolver, sql: str) -> None:
        self.resolver, self.sql = resolver, sql
        self.walk = resolver.walk
        self._refs: dict[int, int] = {}
        self._items: dict[int, Expression] = {}
        self._carried: dict[int, Expression] = {}
        self._inside: set[int] = set()

    def item(self, item: Item) -> Expression:
        """Tree of a projection."""
        if id(item) not in self._items:
            self._items[id(item)] = Name(item.name)  # a recursive CTE's column is known by its name
            self._items[id(item)] = self.tree(item.node)
        return self._items[id(item)]

    def hits(self, hits: tuple[Hit, ...], line: int) -> Expression:
        """What a name was traced to; several possibilities side by side."""
        return self._origin(hits[0], line) if len(hits) == 1 else choose([self._origin(hit, line) for hit in hits])

    def at(self, query: Query, place: int) -> Expression | None:
        """The output that an ordinal names."""
        found = query.at(place - 1) if place > 0 else None
        return None if found is None or not found.hits else self.hits(found.hits, 0)

    def tree(self, node: exp.Expr) -> Expression:
        """Tree of an expression. Iterative, for expressions can be thousands deep."""
        if isinstance(node, _LEAVES):
            return self._leaf(node)
        done: dict[int, _Built] = {}
        stack = [(node, False)]
        while stack:
            current, ready = stack.pop()
            if isinstance(current, _LEAVES):
                done[id(current)] = (self._leaf(current), 1, *_find_span(current))
            elif ready or id(current) in self.walk.queries:
                done[id(current)] = self._build(current, done)
            else:
                stack.append((current, True))
                stack += [(part, False) for _, part in children(current)]
        return done[id(node)][0]

    def _origin(self, hit: Hit, line: int) -> Expression:
        if isinstance(hit.origin, TableColumn):
            return ColumnLeaf(hit.origin.relation, hit.origin.column, line)
        key = id(hit.origin)
        if key not in self._carried:
            self._carried[key] = fold_large(self.item(hit.origin))
        return self._carried[key]

    # --- one node -----------------------------------------------------------------------------------------------------

    def _build(self, node: exp.Expr, done: dict[int, _Built]) -> _Built:
        parts = [done[id(part)] for _, part in children(node) if id(part) in done]
        if isinstance(node, exp.Paren):
            return parts[0] if parts else (_NOTHING, 1, -1, -1)
        depth, first, last = 1, node.meta.get("start", -1), node.meta.get("end", -1)
        for _, deep, start, end in parts:
            depth = max(depth, deep + 1)
            last = max(last, end)
            first = start if first < 0 or 0 <= start < first else first
        text = cut_words(self.sql, node, first, last) if first >= 0 else ""
        tree = self._compose(node, done, text)
        if isinstance(tree, Call) and tree.name in _CHAINED and any(_is_call(part[0], tree.name) for part in parts):
            depth = max(2, depth - 1)  # a chain is flat
        if depth > MOST_DEPTH and not isinstance(tree, FoldedTree):
            return fold(tree), 1, first, last
        return tree, depth, first, last

    def _compose(self, node: exp.Expr, done: dict[int, _Built], text: str) -> Expression:  # noqa: PLR0911 - one return for each kind
        if id(node) in self.walk.starred:
            rows = [_rows(source) for source in self.walk.starred[id(node)]]
            modifiers = [done[id(part)][0] for _, part in children(node) if done[id(part)][0] != _NOTHING]
            return Call("star", (*rows, *modifiers), text) if modifiers or len(rows) != 1 else rows[0]
        if id(node) in self.walk.queries:
            return self._subquery(node)
        match node:
            case exp.Cast() if isinstance(node.args.get("to"), exp.DataType) and not node.args.get("format"):
                type_ = node.args["to"].sql(dialect=self.walk.dialect or None)
                return Cast(done[id(node.this)][0], type_, isinstance(node, exp.TryCast), text)
            case exp.Case():
                return _case(node, done, text)
            case exp.If() if node.args.get("true") is not None:
                parts = (node.this, node.args["true"], node.args.get("false"))
                return CaseWhen(tuple(done[id(part)][0] for part in parts if isinstance(part, exp.Expr)), text)
            case exp.Null() | exp.Boolean():
                return Constant("other", node.sql().lower())
        return self._call(node, done, text)

    def _call(self, node: exp.Expr, done: dict[int, _Built], text: str) -> Expression:
        args = tuple(self._arguments(node, done))
        if isinstance(node, exp.Anonymous):
            return Call(str(node.this).lower(), args[1:], text)
        if isinstance(node, exp.Neg) and isinstance(args[0], Constant):
            return Constant(args[0].kind, f"-{args[0].value}")
        name = node.key
        if name == "add" and self.walk.dialect in _JOINS_TEXTS and not _is_number(node):
            name = "join"
        return make_call(name, _flat(name, args), text, link=_find_link(node))

    def _arguments(self, node: exp.Expr, done: dict[int, _Built]) -> Iterator[Expression]:
        for key, value in node.args.items():
            if key in _SILENT or value is None or value is False or value == []:
                continue
            for one in value if isinstance(value, list) else (value,):
                part = done[id(one)][0] if isinstance(one, exp.Expr) else _scalar(key, one)
                if isinstance(node, exp.Window) and key == "alias" and isinstance(one, exp.Expr):
                    yield from self._named_window(node, one)
                elif part != _NOTHING:
                    yield part

    def _named_window(self, node: exp.Expr, name: exp.Expr) -> Iterator[Expression]:
        """The window that a name stands for: its parts as if they were written in its place."""
        select = node.find_ancestor(exp.Select)
        for window in (select.args.get("windows") or ()) if select is not None else ():
            if self.walk.folder.name(window.this) == self.walk.folder.name(name) and id(window) not in self._inside:
                self._inside.add(id(window))
                yield from (self.tree(part) for key, part in children(window) if key not in ("this", "alias"))
                self._inside.discard(id(window))

    def _subquery(self, node: exp.Expr) -> Expression:
        from app.reads.meaning import find_meaning  # noqa: PLC0415 - a query holds expressions, an expression queries

        query = self.walk.queries[id(node)]
        if id(query) in self._inside:
            return Name("itself")
        self._inside.add(id(query))
        tree = Subquery((*self._given(query), *find_meaning(self, query)))
        self._inside.discard(id(query))
        return fold_large(tree)

    def _given(self, query: Query) -> Iterator[Expression]:
        columns = query.expand()
        if columns is not None:
            for column in columns:
                yield self.hits(column.hits, 0) if column.hits else Name(column.name)
        elif isinstance(query, SelectQuery):
            for part in query.items:
                yield (
                    self.item(part)
                    if isinstance(part, Item)
                    else StarLeaf(tuple(name for source in part.over() for name in find_tables(source)))
                )
        elif isinstance(query, SetQuery):
            for branch in query.branches:
                yield from self._given(branch)

    def _leaf(self, node: exp.Expr) -> Expression:
        match node:
            case exp.Column():
                return self._column(node)
            case exp.Literal():
                return Constant("text" if node.args.get("is_string") else "number", str(node.this))
            case exp.Table():
                return Name(".".join(self.walk.folder.parts(node)))
            case exp.Identifier():
                return Name(self.walk.folder.name(node))
            case _:
                return _NOTHING

    def _column(self, node: exp.Column) -> Expression:
        if len(self._refs) < len(self.walk.refs):
            self._refs = {id(ref.node): n for n, ref in enumerate(self.walk.refs)}
        n = self._refs.get(id(node))
        if n is None:
            return Name("*" if isinstance(node.this, exp.Star) else self.walk.folder.name(node.this))
        ref, found = self.walk.refs[n], self.resolver.found(n)
        if found.row is not None and not found.field and not any(hit.certain for hit in found.hits):
            return _rows(found.row)
        if not found.hits:
            return ColumnLeaf("", ".".join(ref.parts), ref.line)
        traced = self.hits(found.hits, ref.line)
        return Call("dot", (traced, *map(Name, found.path)), ".".join(ref.parts)) if found.path else traced


def _find_span(node: exp.Expr) -> tuple[int, int]:
    if isinstance(node, exp.Column):
        parts = node.parts
        return parts[0].meta.get("start", -1), parts[-1].meta.get("end", -1)
    return node.meta.get("start", -1), node.meta.get("end", -1)


def _case(node: exp.Case, done: dict[int, _Built], text: str) -> CaseWhen:
    args: list[Expression] = []
    for branch in node.args.get("ifs") or ():
        condition = done[id(branch.this)][0]
        if isinstance(node.this, exp.Expr):  # `case kind when 'a'` is `case when kind = 'a'`
            condition = Call("eq", order_operands("eq", (done[id(node.this)][0], condition)), text)
        args += [condition, done[id(branch.args["true"])][0]]
    default = node.args.get("default")
    return CaseWhen((*args, done[id(default)][0]) if isinstance(default, exp.Expr) else tuple(args), text)


def _flat(name: str, args: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """`(a op b) op c` as one chain; `a op (b op c)` too where that is the same."""
    found: list[Expression] = []
    for place, arg in enumerate(args):
        chained = name in ASSOCIATIVE or (name in _CHAINED and place == 0)
        found += arg.args if isinstance(arg, Call) and arg.name == name and chained else (arg,)
    return tuple(found)


def _is_call(tree: Expression, name: str) -> bool:
    return isinstance(tree, Call) and tree.name == name


def _find_link(node: exp.Expr) -> str:
    """The operator around it: the end of a chain puts the operands in order."""
    parent = node.parent
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    return parent.key if parent is not None else ""


def _is_number(node: exp.Expr) -> bool:
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, _NUMBERS) or (isinstance(current, exp.Literal) and not current.args.get("is_string")):
            return True
        if isinstance(current, (exp.Add, exp.Paren)):
            stack += [part for _, part in children(current)]
    return False


def _rows(source: Source) -> Expression:
    """A whole row, by the tables that it is made of; one of a computed source goes by its alias."""
    tables = tuple(find_tables(source))
    return StarLeaf(tables) if tables else Name(source.name)


def _scalar(key: str, value: object) -> Expression:
    if isinstance(value, Enum):
        return Name(str(value.value))
    return Name(key if value is True else f"{value}")
