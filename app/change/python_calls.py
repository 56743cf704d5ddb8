"""Python text -> its calls with constant arguments, as far as they are constants. The text is parsed, never run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from app.reads import Unreadable

Constant: TypeAlias = str | int | float | bool | None
#: an argument that is not a constant
UNTOLD: Final = object()
_DEEPEST = 80  # nesting of an expression that is followed; the tools' own files stay far below
_LONGEST = 100_000  # characters of one constant


@dataclass(frozen=True, slots=True)
class Scope:
    """Names that are constants where they stand: assigned once, to a constant."""

    names: Mapping[str, ast.expr] = field(default_factory=dict)

    def with_name(self, name: str, value: ast.expr) -> Scope:
        return Scope({**self.names, name: value})


@dataclass(frozen=True, slots=True)
class Call:
    """`name` is dotted as written (`op.drop_column`), "" where it is not a plain name."""

    name: str
    node: ast.Call
    scope: Scope

    @property
    def line(self) -> int:
        return self.node.lineno

    @property
    def text(self) -> str:
        return ast.unparse(self.node)

    @property
    def last(self) -> str:
        return self.name.rpartition(".")[2]

    def argument(self, position: int | None, *keywords: str) -> ast.expr | None:
        """By place, else by one of the keywords; None where it is not given."""
        if position is not None and position < len(self.node.args):
            found = self.node.args[position]
            return None if isinstance(found, ast.Starred) else found
        return next((k.value for k in self.node.keywords if k.arg in keywords), None)

    def constant(self, position: int | None, *keywords: str) -> object:
        """The argument's constant; None where it is not given (or is None), UNTOLD where it is no constant."""
        found = self.argument(position, *keywords)
        return None if found is None else find_constant(found, self.scope)

    def text_at(self, position: int | None, *keywords: str) -> str | None:
        """The argument if it is a constant text."""
        found = self.constant(position, *keywords)
        return found if isinstance(found, str) else None

    @property
    def is_open(self) -> bool:
        """`*args` or `**options` are handed on: which arguments it has cannot be told."""
        return any(isinstance(a, ast.Starred) for a in self.node.args) or any(k.arg is None for k in self.node.keywords)


def parse_python(text: str) -> ast.Module:
    """Raises Unreadable with its line."""
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise Unreadable(f"it is not Python 3: {error.msg}", line=error.lineno) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise Unreadable(f"it cannot be parsed as Python: {type(error).__name__}") from error


def find_scope(body: Iterable[ast.stmt], outer: Scope | None = None) -> Scope:
    """Names of a block that are assigned once and to a constant; a name assigned otherwise as well is none."""
    names = dict(outer.names) if outer is not None else {}
    seen: set[str] = set()
    for statement in body:
        for target, value in _assignments(statement):
            if target in seen or value is None:
                names.pop(target, None)
            else:
                names[target] = value
            seen.add(target)
    return Scope(names)


def _assignments(statement: ast.stmt) -> Iterable[tuple[str, ast.expr | None]]:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=value):
            yield name, value
        case _:
            for node in ast.walk(statement):  # assigned under a condition, in a loop, by a walrus, deleted
                if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                    yield node.id, None


def find_call(node: ast.expr, scope: Scope) -> Call | None:
    return Call(find_dotted(node.func), node, scope) if isinstance(node, ast.Call) else None


def find_dotted(node: ast.expr) -> str:
    """`op.drop_column`; a call inside of the chain is written as `()`. "" for anything else."""
    parts: list[str] = []
    while True:
        match node:
            case ast.Attribute(value=inner, attr=name):
                parts.append(name)
                node = inner
            case ast.Name(id=name):
                return ".".join((name, *reversed(parts)))
            case ast.Call(func=inner):
                parts.append("()")
                node = inner
            case _:
                return ""


def find_constant(node: ast.expr, scope: Scope, depth: int = 0) -> object:  # noqa: PLR0911 - one return for each form
    """The value of a constant expression: literals, names of constants, `+` of texts, `text(...)`; else UNTOLD."""
    if depth > _DEEPEST:
        return UNTOLD
    match node:
        case ast.Constant(value=str() | int() | float() | None as value):
            return value
        case ast.Name(id=name) if name in scope.names:
            inner = {key: value for key, value in scope.names.items() if key != name}
            return find_constant(scope.names[name], Scope(inner), depth + 1)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            first, second = find_constant(left, scope, depth + 1), find_constant(right, scope, depth + 1)
            whole = isinstance(first, str) and isinstance(second, str) and len(first) + len(second) <= _LONGEST
            return first + second if whole and isinstance(first, str) and isinstance(second, str) else UNTOLD
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            number = find_constant(operand, scope, depth + 1)
            return -number if isinstance(number, (int, float)) and not isinstance(number, bool) else UNTOLD
        case ast.Call(func=func, args=[inner_node], keywords=[]) if find_dotted(func).rpartition(".")[2] in _WRAPPERS:
            return find_constant(inner_node, scope, depth + 1)
        case ast.JoinedStr(values=values) if all(isinstance(part, ast.Constant) for part in values):
            return "".join(str(part.value) for part in values if isinstance(part, ast.Constant))
        case _:
            return UNTOLD


#: calls that hand a text on as it is
_WRAPPERS = frozenset({"text", "DDL", "dedent", "strip"})


def find_items(node: ast.expr, scope: Scope, depth: int = 0) -> tuple[ast.expr, ...] | None:
    """The items of a list or tuple that is written out, also by name or as a sum of lists; else None."""
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return None if any(isinstance(item, ast.Starred) for item in items) else tuple(items)
        case ast.Name(id=name) if name in scope.names and depth < _DEEPEST:
            return find_items(scope.names[name], scope, depth + 1)
        case _:
            return None


def find_dict(node: ast.expr | None) -> Mapping[str, ast.expr] | None:
    """The entries of a dict that is written out with constant keys; else None."""
    if not isinstance(node, ast.Dict):
        return None
    entries: dict[str, ast.expr] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            return None
        entries[key.value] = value
    return entries
