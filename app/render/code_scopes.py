"""Which value a name has in a Python file, as far as every place that sets it is a plain assignment. Never run.

A name that anything else may set (an argument, an import, a loop, `global`, `+=`) has no known value. Nothing is concluded
across files.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Scope: TypeAlias = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(slots=True)
class Scopes:
    """`homes`: node -> the scope it stands in. `bound`: scope -> name -> what sets it, None where that is no plain value.
    `composed`: attributes and functions whose value is made a part of a longer string somewhere in the file.
    """

    homes: dict[ast.AST, Scope] = field(default_factory=dict)
    outer: dict[Scope, Scope] = field(default_factory=dict)
    bound: dict[Scope, dict[str, list[ast.expr | None]]] = field(default_factory=dict)
    unstable: set[str] = field(default_factory=set)
    composed: set[str] = field(default_factory=set)

    @staticmethod
    def of(module: ast.Module) -> Scopes:
        found = Scopes()
        stack: list[tuple[ast.AST, Scope]] = [(module, module)]
        values: dict[ast.AST, ast.expr] = {}
        while stack:
            node, home = stack.pop()
            found.homes[node] = home
            values |= _values(node)
            for name in _names(node):
                found._bind(home, name, values.get(node))
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                found.unstable.update(node.names)
            found.composed.update(_composed(node))
            inner = home
            if isinstance(node, _SCOPES):
                found.outer[node] = home
                inner = node
            stack.extend(
                (child, inner) for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr_context)
            )
        return found

    def _bind(self, scope: Scope, name: str, value: ast.expr | None) -> None:
        self.bound.setdefault(scope, {}).setdefault(name, []).append(value)

    def resolve(self, name: ast.Name) -> tuple[ast.expr, ...]:
        """Every value that the name may have here; () when one of them is not known."""
        return self.values(self.homes[name], name.id)

    def values(self, scope: Scope, name: str) -> tuple[ast.expr, ...]:
        """Class bodies are seen from themselves alone, as Python does."""
        if name in self.unstable:
            return ()
        here: Scope | None = scope
        while here is not None:
            bound = self.bound.get(here, {}).get(name)
            if bound is not None and (here is scope or not isinstance(here, ast.ClassDef)):
                return tuple(v for v in bound if v is not None) if self._is_settled(here, name) else ()
            here = self.outer.get(here)
        return ()

    def is_whole(self, scope: Scope, name: str | None) -> bool:
        """Whether a constant of this scope is all there is to it: nothing adds to the name, or to what the function returns."""
        if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)) and scope.name in self.composed:
            return False
        return name is None or (name not in self.composed and self._is_settled(scope, name))

    def _is_settled(self, scope: Scope, name: str) -> bool:
        """Whether whatever sets the name in this scope is a plain assignment that does not build on its old value."""
        bound = self.bound.get(scope, {}).get(name, [])
        return name not in self.unstable and not any(value is None or _loads(value, name) for value in bound)


def _loads(value: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(value))


def _values(node: ast.AST) -> Mapping[ast.AST, ast.expr]:
    """Name nodes that get this very value. They are visited after the statement that sets them."""
    match node:
        case ast.Assign(targets=targets, value=value):
            return {target: value for target in targets if isinstance(target, ast.Name)}
        case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
            return {target: value}
        case ast.NamedExpr(target=target, value=value):
            return {target: value}
    return {}


def _names(node: ast.AST) -> Iterator[str]:
    """The names that this node sets in its scope."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.alias():
            yield node.asname or node.name.partition(".")[0]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name


def _composed(node: ast.AST) -> Iterator[str]:
    """Attributes and calls (by the last part of their name) that become a part of something longer here."""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Mod(), right=right):
            pieces = [left, right]
        case ast.FormattedValue(value=value) | ast.AugAssign(target=value) | ast.Call(func=ast.Attribute(value=value)):
            pieces = [value]
        case ast.List(elts=elts) | ast.Tuple(elts=elts):
            pieces = list(elts)
        case _:
            return
    for piece in pieces:
        match piece:
            case ast.Attribute(attr=name) | ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                yield name
