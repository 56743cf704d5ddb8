"""What a string expression of a Python file is worth, put together from its constants; what is not constant is a hole.

Concatenation, f-strings, `%`, `.format`, `join` of a display, `dedent` and names with known values are followed. Anything
else that changes a string makes it unknown. Nothing is executed: this reads the syntax tree.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import TypeAlias

from app.render.code_literals import Atom, Hole, Part, Source
from app.render.code_scopes import Scopes

Parts: TypeAlias = tuple[Part, ...]
Literal: TypeAlias = ast.Constant | ast.JoinedStr

MOST_ALTERNATIVES = 8  # texts that one expression may stand for; more make it unknown
MOST_HOPS = 12  # names that stand for names that stand for names
MOST_PARTS = 20_000  # a name that is used twice in a name that is used twice ... doubles

_KEEPS = frozenset({"strip", "lstrip", "rstrip", "expandtabs"})  # white space alone, and SQL does not mind
_CLEANS = frozenset({"dedent", "cleandoc"})
_CHANGES = frozenset({
    "replace", "format_map", "substitute", "safe_substitute", "translate", "lower", "upper", "removeprefix",
    "removesuffix", "render", "encode", "ljust", "rjust", "zfill", "center", "title", "casefold", "capitalize",
})  # fmt: skip
_FIELD = re.compile(r"\{\{|\}\}|\{(?P<name>[^{}!:.\[]*)(?P<rest>[^{}]*)\}")
_PERCENT = re.compile(r"%%|%(?:\((?P<name>[^()]*)\))?(?P<spec>[-#0 +]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[a-zA-Z])")


@dataclass(frozen=True, slots=True)
class Folded:
    """One thing that the expression may be. `borrowed`: literals that it takes from elsewhere, through a name."""

    parts: Parts
    borrowed: frozenset[Literal] = frozenset()

    @property
    def holes(self) -> tuple[Hole, ...]:
        return tuple(part for part in self.parts if isinstance(part, Hole))


@dataclass(slots=True)
class Folder:
    """Folds the expressions of one file. `fold` answers () for what is no string, as far as can be seen."""

    source: Source
    scopes: Scopes
    is_statement: Callable[[Parts], bool]
    _busy: set[ast.expr] = field(default_factory=set)
    _known: dict[ast.expr, tuple[Folded, ...]] = field(default_factory=dict)

    def fold(self, node: ast.expr) -> tuple[Folded, ...]:  # noqa: PLR0911 - one return for each kind of expression
        """Every text that the expression may stand for."""
        match node:
            case ast.Constant(value=str()) | ast.JoinedStr():
                return self._literal(node)
            case ast.Name():
                return self._name(node)
            case ast.BinOp(op=ast.Add()):
                return self._joined(find_operands(node), ())
            case ast.BinOp(left=left, op=ast.Mod(), right=right):
                return self._each(left, lambda parts: self._percent(parts, right))
            case ast.Call():
                return self._call(node)
            case ast.IfExp(body=body, orelse=orelse):
                first, second = self.fold(body), self.fold(orelse)
                return _capped((*first, *second)) if first and second else ()
            case ast.NamedExpr(value=value):
                return self.fold(value)
        return ()

    def _literal(self, node: Literal) -> tuple[Folded, ...]:
        try:
            pieces = self.source.parts(node)
        except ValueError:
            if isinstance(node, ast.Constant):
                return (Folded((Atom(str(node.value), node.lineno),)),)
            texts = [v.value for v in node.values if isinstance(v, ast.Constant) and isinstance(v.value, str)]
            hole = Hole(node.lineno, "it is an f-string that could not be taken apart", loose=True)
            return (Folded((Atom("".join(texts), node.lineno), hole)),)
        return self._product([self._placeholder(one) if isinstance(one, ast.FormattedValue) else one for one in pieces])

    def _placeholder(self, value: ast.FormattedValue) -> tuple[Folded, ...]:
        if value.conversion == -1 and value.format_spec is None:
            return self._value(value.value)
        return (Folded((_hole(value.value),)),)

    def _value(self, node: ast.expr) -> tuple[Folded, ...]:
        """What stands in a placeholder: a constant, else a hole."""
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return (Folded((Atom(str(node.value), node.lineno),)),)
        return self.fold(node) or (Folded((_hole(node),)),)

    def _name(self, node: ast.Name) -> tuple[Folded, ...]:
        """What every value of the name may be; () when one is not known, or is made of itself."""
        found: list[Folded] = []
        for value in self.scopes.resolve(node):
            folded = self._value_of_name(value)
            if not folded:
                return ()
            found += [Folded(self._kept(one.parts), one.borrowed | find_literals(value)) for one in folded]
        return _capped(tuple(found))

    def _kept(self, parts: Parts) -> Parts:
        """A table's name in a constant may be used by other code too: only a whole statement is read for good with its text."""
        if self.is_statement(parts):
            return parts
        return tuple(replace(part, start=0, end=0) if isinstance(part, Atom) else part for part in parts)

    def _value_of_name(self, value: ast.expr) -> tuple[Folded, ...]:
        if value in self._busy or len(self._busy) >= MOST_HOPS:
            return ()
        known = self._known.get(value)
        if known is None:
            self._busy.add(value)
            known = self._known[value] = self.fold(value)
            self._busy.discard(value)
        return known

    def _call(self, call: ast.Call) -> tuple[Folded, ...]:  # noqa: PLR0911 - one return for each kind of call
        match call:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[only], keywords=[]) if (
                name in _CLEANS
            ):
                return self.fold(only)
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=[], keywords=[]) if name in _KEEPS:
                return self.fold(value)
            case ast.Call(func=ast.Attribute(value=value, attr="format")):
                return self._each(value, lambda parts: self._format(parts, call))
            case ast.Call(func=ast.Attribute(value=value, attr="join"), args=[ast.List() | ast.Tuple() as items]):
                between = self.fold(value)
                if len(between) != 1:
                    return ()
                return self._joined(items.elts, between[0].parts)
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in _CHANGES:
                hole = Hole(call.lineno, f".{name}() changes it", loose=True)
                return tuple(replace(one, parts=(*one.parts, hole)) for one in self.fold(value))
        return ()

    def _each(self, node: ast.expr, change: Callable[[Parts], tuple[Folded, ...]]) -> tuple[Folded, ...]:
        found = [
            replace(new, borrowed=new.borrowed | old.borrowed) for old in self.fold(node) for new in change(old.parts)
        ]
        return _capped(tuple(found))

    def _joined(self, items: Sequence[ast.expr], between: Parts) -> tuple[Folded, ...]:
        """The items one after the other; () when none of them is a string."""
        folded = [() if isinstance(item, ast.Starred) else self.fold(item) for item in items]
        if not any(folded):
            return ()
        pieces: list[Atom | tuple[Folded, ...]] = []
        for item, one in zip(items, folded, strict=True):
            if pieces and between:
                pieces.append((Folded(between),))
            pieces.append(one or (Folded((_hole(item),)),))
        return self._product(pieces)

    def _product(self, pieces: Sequence[Atom | tuple[Folded, ...]]) -> tuple[Folded, ...]:
        """Every combination of what the pieces may be."""
        choices = [(Folded((piece,)),) if isinstance(piece, Atom) else piece for piece in pieces]
        if prod(len(choice) for choice in choices) > MOST_ALTERNATIVES:
            return _unsure(choices)
        return _capped(tuple(_together(combination) for combination in product(*choices)))

    # --- %, .format ------------------------------------------------------------------------------------------------

    def _percent(self, parts: Parts, right: ast.expr) -> tuple[Folded, ...]:
        named: dict[str, ast.expr] = {}
        listed: list[ast.expr] = []
        match right:
            case ast.Tuple(elts=elts):
                listed = list(elts)
            case ast.Dict(keys=keys, values=values):
                named = {str(k.value): v for k, v in zip(keys, values, strict=True) if isinstance(k, ast.Constant)}
            case _:
                listed = [right]
        waiting = iter(listed)

        def find(match: re.Match[str]) -> tuple[Folded, ...] | str:
            if match[0] == "%%":
                return "%"
            given = named.get(match["name"]) if match["name"] is not None else next(waiting, None)
            plain = match["spec"] in ("s", "d", "i")
            return self._value(given) if given is not None and plain else (Folded((_hole(given or right),)),)

        return self._substitute(parts, _PERCENT, find)

    def _format(self, parts: Parts, call: ast.Call) -> tuple[Folded, ...]:
        if any(isinstance(one, ast.Starred) for one in call.args):
            return (Folded((*parts, Hole(call.lineno, "its .format() takes unknown arguments", loose=True))),)
        named = {one.arg: one.value for one in call.keywords if one.arg}
        listed = dict(enumerate(call.args))
        waiting = iter(range(len(listed)))

        def find(match: re.Match[str]) -> tuple[Folded, ...] | str:
            if match["name"] is None:
                return match[0][0]
            name = match["name"].strip() or str(next(waiting, ""))
            given = listed.get(int(name)) if name.isdecimal() else named.get(name)
            return self._value(given) if given is not None and not match["rest"] else (Folded((_hole(given or call),)),)

        return self._substitute(parts, _FIELD, find)

    def _substitute(
        self, parts: Parts, pattern: re.Pattern[str], find: Callable[[re.Match[str]], tuple[Folded, ...] | str]
    ) -> tuple[Folded, ...]:
        pieces: list[Atom | tuple[Folded, ...]] = []
        for part in parts:
            if isinstance(part, Hole):
                pieces.append((Folded((part,)),))
            else:
                pieces.extend(_split(part, pattern, find))
        return self._product(pieces)


def find_operands(node: ast.BinOp) -> list[ast.expr]:
    """`a + b + c`, in order: Python nests them to the left, thousands deep if need be."""
    found: list[ast.expr] = []
    here: ast.expr = node
    while isinstance(here, ast.BinOp) and isinstance(here.op, ast.Add):
        found.append(here.right)
        here = here.left
    return [here, *reversed(found)]


def _split(
    atom: Atom, pattern: re.Pattern[str], find: Callable[[re.Match[str]], tuple[Folded, ...] | str]
) -> Iterator[Atom | tuple[Folded, ...]]:
    """The atom cut at its placeholders. Every piece keeps the whole atom's place: blanked or kept, it is so as a whole."""
    here = 0
    for match in pattern.finditer(atom.text):
        yield replace(atom, text=atom.text[here : match.start()])
        found = find(match)
        yield replace(atom, text=found) if isinstance(found, str) else found
        here = match.end()
    yield replace(atom, text=atom.text[here:])


def _together(folded: Sequence[Folded]) -> Folded:
    parts = tuple(part for one in folded for part in one.parts if isinstance(part, Hole) or part.text)
    return Folded(parts, frozenset[Literal]().union(*(one.borrowed for one in folded)))


def _unsure(choices: Sequence[tuple[Folded, ...]]) -> tuple[Folded, ...]:
    """Too many combinations: what may be one of several things is a hole."""
    settled = [choice[0] if len(choice) == 1 else Folded(_as_hole(choice)) for choice in choices]
    return (_together(settled),)


def _as_hole(choice: Sequence[Folded]) -> Parts:
    line = next((part.line for one in choice for part in one.parts), 1)
    return (Hole(line, "it may be one of many texts", loose=True),)


def _capped(found: tuple[Folded, ...]) -> tuple[Folded, ...]:
    if len(found) > MOST_ALTERNATIVES or sum(len(one.parts) for one in found) > MOST_PARTS:
        return ()
    return found


def _hole(node: ast.expr) -> Hole:
    return Hole(node.lineno, "a part of it is computed")


def find_literals(value: ast.expr) -> frozenset[Literal]:
    """Every string that stands in the expression."""
    found = (node for node in ast.walk(value) if isinstance(node, (ast.Constant, ast.JoinedStr)))
    return frozenset(node for node in found if isinstance(node, ast.JoinedStr) or isinstance(node.value, str))
