"""Expressions as canonical text: the same for every formatting, comment, alias and CTE around the same computation.

A function-call notation over folded, fully traced names (`sum(mul(raw.orders.amount, 2))`), cheap to build and to read.
Deliberately absent: algebra. `a + b` and `b + a` are two texts.
"""

from __future__ import annotations

import hashlib
from enum import Enum

from sqlglot import exp

from app.reads.resolve import Resolver
from app.reads.scopes import children
from app.reads.sources import Hit, Item, Source, TableColumn
from app.reads.widths import find_tables

_LONGEST = 600  # characters of an inlined projection; a longer one goes by its digest, so texts cannot double for ever
#: arguments that say how something was written, not what it means
_SILENT = frozenset(
    {"quoted", "alias", "big_int", "wrapped", "nested", "requires_json", "input_type_preserved", "safe"}
)


class Canon:
    """Texts of one statement's expressions."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.walk = resolver.walk
        self._refs: dict[int, int] = {}
        self._items: dict[int, str] = {}

    def item(self, item: Item) -> str:
        """Text of a projection."""
        if id(item) not in self._items:
            self._items[id(item)] = item.name  # a recursive CTE's column is known by its name
            self._items[id(item)] = self.text(item.node)
        return self._items[id(item)]

    def hits(self, hits: tuple[Hit, ...]) -> str:
        """Text of what a name was traced to; several possibilities side by side."""
        return "|".join(sorted({self._origin(hit) for hit in hits}))

    def text(self, node: exp.Expr) -> str:
        """Text of an expression. Iterative, for expressions can be thousands deep."""
        done: dict[int, str] = {}
        stack = [(node, False)]
        while stack:
            current, ready = stack.pop()
            if not ready and not self._is_leaf(current):
                stack.append((current, True))
                stack.extend((part, False) for _, part in children(current))
            else:
                done[id(current)] = self._compose(current, done)
        return done[id(node)]

    def _origin(self, hit: Hit) -> str:
        if isinstance(hit.origin, TableColumn):
            return f"{hit.origin.relation}.{hit.origin.column}"
        text = self.item(hit.origin)
        return text if len(text) <= _LONGEST else "#" + hashlib.sha256(text.encode()).hexdigest()[:16]

    @staticmethod
    def _is_leaf(node: exp.Expr) -> bool:
        return isinstance(node, (exp.Column, exp.Identifier, exp.Literal, exp.Table, exp.TableAlias))

    def _compose(self, node: exp.Expr, done: dict[int, str]) -> str:
        if id(node) in self.walk.starred:
            rows = ", ".join(_rows(source) for source in self.walk.starred[id(node)])
            modifiers = [done[id(part)] for _, part in children(node) if done.get(id(part))]
            return f"star({', '.join([rows, *modifiers])})"
        if self._is_leaf(node):
            return self._leaf(node)
        if isinstance(node, exp.Paren):
            return done[id(node.this)]
        parts = []
        for key, value in node.args.items():
            if key in _SILENT or value is None or value is False or value == []:
                continue
            for one in value if isinstance(value, list) else (value,):
                text = done.get(id(one), "") if isinstance(one, exp.Expr) else _scalar(key, one)
                if text:
                    parts.append(text)
        return f"{node.key}({', '.join(parts)})"

    def _leaf(self, node: exp.Expr) -> str:
        match node:
            case exp.Column():
                return self._column(node)
            case exp.Literal():
                return f"'{node.this}'" if node.args.get("is_string") else str(node.this)
            case exp.Table():
                return ".".join(self.walk.folder.parts(node))
            case exp.Identifier():
                return self.walk.folder.name(node)
            case _:
                return ""

    def _column(self, node: exp.Column) -> str:
        if len(self._refs) < len(self.walk.refs):
            self._refs = {id(ref.node): n for n, ref in enumerate(self.walk.refs)}
        n = self._refs.get(id(node))
        if n is None:
            return "*" if isinstance(node.this, exp.Star) else self.walk.folder.name(node.this)
        ref, found = self.walk.refs[n], self.resolver.found(n)
        if found.row is not None and not found.field and not any(hit.certain for hit in found.hits):
            return _rows(found.row)
        if not found.hits:
            return ".".join(ref.parts)
        traced = self.hits(found.hits)
        columns = {hit.origin.column if isinstance(hit.origin, TableColumn) else hit.origin.name for hit in found.hits}
        return traced if ref.parts[-1] in columns else f"{traced}.{ref.parts[-1]}"


def _rows(source: Source) -> str:
    """A whole row, by the tables that it is made of; one of a computed source goes by its alias."""
    return " ".join(f"{relation}.*" for relation in find_tables(source)) or source.name


def _scalar(key: str, value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    return key if value is True else f"{value}"
