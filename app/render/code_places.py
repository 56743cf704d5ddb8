"""The expressions of a Python file where SQL stands: arguments of calls that run or declare SQL, and constants of statements.

A string that is an argument of anything else (a message, a label) is no SQL here, and a docstring never is. Which calls
count: pandas, Spark, Snowpark, DB-API, SQLAlchemy, BigQuery, DuckDB, Airflow, Feast and Chronon name theirs like this.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

#: place: SQL stands here by the name of the call or argument. constant: a value that a module, class or function keeps or
#: returns. handed: an argument of a call that says nothing of SQL. other: anything else
Role: TypeAlias = Literal["place", "constant", "handed", "other"]

_KEYWORDS = frozenset({
    "sql", "query", "statement", "stmt", "hql", "bql", "sql_query", "query_string", "select_query", "sql_statement", "queries",
    "source_query", "sqls", "base_query", "training_query",
})  # fmt: skip
#: beside every name with sql, query or execute in it
_CALLS = frozenset({
    "text", "read_gbq", "read_database", "read_database_uri", "get_pandas_df", "get_df", "get_records", "get_first", "ddl",
})  # fmt: skip
#: names that say little: what they get has to look like a statement by itself
_MAY_CALL = frozenset({
    "raw", "prepare", "fetch", "fetchrow", "fetchval", "fetch_all", "fetch_one", "run", "scalar", "scalars",
})  # fmt: skip
#: calls that only look at what they get
_LOOKS = frozenset({
    "print", "len", "debug", "info", "warning", "error", "exception", "critical", "log", "isinstance", "append", "pprint", "echo",
})  # fmt: skip
_SPEAKS_OF_SQL = re.compile(r"sql|query|execute", re.I)


@dataclass(frozen=True, slots=True)
class Spot:
    node: ast.expr
    role: Role
    name: str | None = None  # the variable that it becomes, if that is all it becomes


def walk_spots(module: ast.Module) -> Iterator[tuple[Spot, list[Spot]]]:
    """Every expression of the file from the top, each with its children.

    The receiver decides: who takes an expression as a string clears the list, and nothing in it comes again.
    """
    stack = [spot for statement in reversed(module.body) for spot in reversed(_of_statement(statement))]
    while stack:
        spot = stack.pop()
        inner = _of_expression(spot)
        yield spot, inner
        stack.extend(reversed(inner))


def _of_statement(statement: ast.stmt) -> list[Spot]:
    """The expressions of a statement and of the statements in it, bare strings left out."""
    found: list[Spot] = []
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        match node:
            case ast.Expr(value=ast.Constant() | ast.JoinedStr()):
                continue  # a docstring, or a comment in quotes
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found.append(Spot(value, "constant", name))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found.append(Spot(value, "constant", name))
            case (
                ast.Assign(value=value)
                | ast.AnnAssign(value=ast.expr() as value)
                | ast.Return(value=ast.expr() as value)
            ):
                found.append(Spot(value, "constant"))
            case ast.arguments():
                found += [Spot(value, "constant") for value in (*node.defaults, *node.kw_defaults) if value is not None]
            case ast.expr():
                found.append(Spot(node, "other"))
            case _:
                stack.extend(reversed(list(ast.iter_child_nodes(node))))
    return found


def _of_expression(spot: Spot) -> list[Spot]:  # noqa: PLR0911 - one return for each kind of expression
    node, role = spot.node, spot.role
    match node:
        case ast.Call():
            return list(_of_call(node))
        case ast.Dict(keys=keys, values=values):
            known: Role = "other" if role in ("other", "handed") else "constant"
            return [Spot(value, _role_of_key(key, known)) for key, value in zip(keys, values, strict=True)]
        case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts):
            return [Spot(value, role if role == "place" else "other") for value in elts]
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return [Spot(test, "other"), Spot(body, role), Spot(orelse, role)]
        case ast.BoolOp(values=values):
            return [Spot(value, role) for value in values]
        case ast.NamedExpr(target=target, value=value):
            return [Spot(value, role if role == "place" else "constant", target.id)]
        case ast.Await(value=value) | ast.Starred(value=value):
            return [Spot(value, role)]
        case ast.Lambda(args=args, body=body):
            return [*_of_arguments(args), Spot(body, "constant")]
    return [Spot(child, "other") for child in _expressions(node)]


def _of_arguments(args: ast.arguments) -> list[Spot]:
    return [Spot(value, "constant") for value in (*args.defaults, *args.kw_defaults) if value is not None]


def _role_of_key(key: ast.expr | None, otherwise: Role) -> Role:
    match key:
        case ast.Constant(value=str(name)) if name.lower() in _KEYWORDS:
            return "place"
    return otherwise


def _of_call(call: ast.Call) -> Iterator[Spot]:
    name = find_called(call)
    runs = name.lower() in _CALLS or _SPEAKS_OF_SQL.search(name) is not None
    role: Role = "place" if runs else _of_argument(name.lower())
    yield Spot(call.func, "other")
    for value in call.args:
        yield Spot(value, role)
    for keyword in call.keywords:
        yield Spot(keyword.value, "place" if (keyword.arg or "").lower() in _KEYWORDS else _of_argument(name.lower()))


def _of_argument(name: str) -> Role:
    return "constant" if name in _MAY_CALL else "other" if name in _LOOKS else "handed"


def find_called(call: ast.Call) -> str:
    """The last part of the name that is called."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _expressions(node: ast.AST) -> Iterator[ast.expr]:
    """The nearest expressions below a node (a comprehension's, a slice's)."""
    stack = list(ast.iter_child_nodes(node))[::-1]
    while stack:
        child = stack.pop()
        if isinstance(child, ast.expr):
            yield child
        else:
            stack.extend(reversed(list(ast.iter_child_nodes(child))))
