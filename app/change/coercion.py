"""Does a reader still compute when a column gets a type of another class? A table: class of the new type x what is done with it.

Where a cell is missing the answer is undecided, never a guess. Sources:
PostgreSQL "Type Conversion" 10.2, 10.3 and the catalogs of its operators: text and boolean have no arithmetic, no sum, no avg;
  a number has no lower(), no LIKE; `text > integer` and `boolean = integer` do not exist; WHERE takes boolean alone.
BigQuery "Conversion rules": STRING, BOOL, INT64, DATE are never coerced to each other; only literals and parameters are.
Trino "Functions and operators" (Presto, Athena): no coercion between text, numbers, booleans and times.
DuckDB "Typecasting": VARCHAR is cast implicitly only as a literal; avg, sum and comparisons are executed in the tests.
ClickHouse: String has no arithmetic and no supertype with numbers (NO_COMMON_TYPE); Bool is a number.
Redshift "Type conversion": text is not cast to numbers for aggregates and operators; numbers are cast to VARCHAR.
T-SQL "AVG", "SUM": exact or approximate numeric, not bit; "Data type precedence": elsewhere text is converted when it runs.
Snowflake "Data type conversion": text is coerced to numbers, SUM and AVG take no BOOLEAN; numbers are coerced to text.
Databricks "SQL data type rules": text is cast to numbers, booleans are not; numbers are cast to STRING.
Arrays, JSON and UUIDs: no arithmetic, SUM or AVG in the engines of the table; DuckDB's were executed.
No casts between times and numbers or booleans, nor of a UUID: PostgreSQL's pg_cast, BigQuery, Trino; DuckDB's were executed.
MySQL 12.3: everything is converted, silently. Oracle "Data Conversion": text is converted to numbers when it runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

from app.change.column_uses import Use, find_uses
from app.change.infer import NUMERIC as _NUMERIC
from app.change.infer import FindType, find_type
from app.change.types import TypeClass, find_class, read_type
from app.reads import Cast, ColumnLeaf, Constant, Expression, Name, Statement, find_nodes, show
from app.words import Schema

Outcome: TypeAlias = Literal["computes", "rejects", "undecided"]

_TRINO = frozenset({"trino", "presto", "athena"})
_SPARK = frozenset({"databricks", "spark", "hive"})
_STRICT = frozenset({"bigquery", "postgres", "duckdb", "clickhouse", *_TRINO})
_TIMES = frozenset({"date", "time", "zoned"})
_STRANGE = frozenset({"nested", "json", "uuid"})
#: dialects in which these classes cannot be computed with at all
_NO_ARITHMETIC: dict[str, frozenset[str]] = {
    "text": _STRICT | {"redshift"},
    "boolean": frozenset({"postgres", "redshift", "bigquery", "duckdb", *_TRINO, *_SPARK}),
    "time": _STRICT | {"redshift", "snowflake", "tsql", *_SPARK},
    "nested": _STRICT | {"redshift", "snowflake", *_SPARK},
    "json": _STRICT,
    "uuid": frozenset({"postgres", "duckdb", "clickhouse", "tsql", *_TRINO}),
}
#: and for which SUM and AVG have no version
_NO_TOTAL: dict[str, frozenset[str]] = {
    "text": _STRICT | {"redshift", "tsql"},
    "boolean": frozenset({"postgres", "redshift", "bigquery", "tsql", "snowflake", *_TRINO, *_SPARK}),
    "time": frozenset({"bigquery", "postgres", "redshift", "tsql", "snowflake", "clickhouse", *_TRINO, *_SPARK}),
    "nested": _NO_ARITHMETIC["nested"],
    "json": _NO_ARITHMETIC["json"],
    "uuid": _NO_ARITHMETIC["uuid"],
}
#: and which cannot be compared with a number
_NO_NUMBER_BESIDE: dict[str, frozenset[str]] = {
    "text": _STRICT | {"redshift"},
    "boolean": frozenset({"postgres", "redshift", "bigquery", *_TRINO}),
    "time": _STRICT | {"redshift"},
    "nested": frozenset({"postgres", "bigquery", *_TRINO, *_SPARK}),
    "json": frozenset({"postgres", "bigquery", *_TRINO}),
    "uuid": frozenset({"postgres", *_TRINO}),
}
#: a column of text is not compared with a column of numbers; DuckDB casts it, and fails on the first word
_NO_TEXT_BESIDE_NUMBER = frozenset({"postgres", "bigquery", "clickhouse", *_TRINO})
_NO_TEXT_OF_OTHERS = _STRICT
#: a time that is no literal is compared with times alone
_NO_TIME_BESIDE = frozenset({"postgres", "bigquery", "duckdb", *_TRINO})
#: a literal beside a boolean has to be one
_NO_WORD_BESIDE_BOOLEAN = frozenset({"postgres", "redshift", "bigquery", "duckdb", *_TRINO})
_COERCES_TO_NUMBER = frozenset({"snowflake", "mysql", "oracle", *_SPARK})
_COERCES_TO_TEXT = frozenset({"snowflake", "mysql", "oracle", "tsql", *_SPARK})

_ARITHMETIC: Final = frozenset({
    "mul", "div", "mod", "neg", "intdiv", "abs", "round", "ceil", "floor", "ln", "log", "sqrt", "exp", "pow", "stddev",
    "stddevpop", "stddevsamp", "variance", "variancepop", "sign",
})  # fmt: skip
_SHIFTS: Final = frozenset({"add", "sub"})  # of numbers, or of dates
_TOTALS: Final = frozenset({"sum", "avg"})
_OF_TEXT: Final = frozenset({
    "lower", "upper", "length", "substring", "like", "ilike", "trim", "replace", "regexplike", "regexpextract",
    "initcap", "split",
})  # fmt: skip
_OF_TIMES: Final = frozenset({
    "datediff", "timestampdiff", "dateadd", "datesub", "datetrunc", "timestamptrunc", "extract", "timestampadd",
    "timestampsub",
})  # fmt: skip
_OF_ANY: Final = frozenset({"count", "min", "max", "cast", "trycast", "is", "anyvalue", "approxdistinct"})
_COMPARISONS: Final = frozenset({"eq", "neq", "gt", "gte", "lt", "lte", "in", "between"})
_DEFAULTS: Final = frozenset({"coalesce", "ifnull", "nullif", "branch"})
_CONDITIONS: Final = frozenset({"and", "or", "not", "if"})
#: PostgreSQL "Boolean Type" 8.6: what the longest list of these engines takes
_BOOLEAN: Final = re.compile(r"\s*(?:t(?:r|ru|rue)?|y(?:e|es)?|on|1|f(?:a|al|als|alse)?|no?|off?|0)\s*", re.IGNORECASE)
_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")


def decide_reader(
    statement: Statement, names: frozenset[str], column: str, new: str, dialect: str, types: Schema | None = None
) -> Outcome:
    """Does the statement still run when `column` of the relation that it writes as `names` has the type `new`?

    `types` are those of all columns after the change. Outputs that hand the column on as it is say nothing: their readers have
    to be asked.
    """
    trees: list[Expression] = [o.expression for o in statement.outputs if not o.via_star]
    trees = [tree for tree in trees if not isinstance(tree, ColumnLeaf)]
    outcomes = {
        decide_expression(tree, column, new, dialect, names=names, types=types) for tree in (*trees, *statement.meaning)
    }
    if "rejects" in outcomes:
        return "rejects"
    return "undecided" if "undecided" in outcomes else "computes"


def find_handed_on(statement: Statement, names: frozenset[str], column: str) -> tuple[str, ...]:
    """Outputs that are the column itself, or its smallest or last value, and so get its new type."""
    return tuple(
        column if output.name == "*" else output.name
        for output in statement.outputs
        if any(ref.relation in names and ref.column in (column, "*") for ref in output.sources)
        and (
            output.via_star
            or output.name == "*"
            or any(use.passed for use in find_uses(output.expression, column, names))
        )
    )


def decide_expression(
    tree: Expression,
    column: str,
    new: str,
    dialect: str,
    *,
    names: frozenset[str] | None = None,
    types: Schema | None = None,
) -> Outcome:
    """Does this still compute when `column` has the type `new`? What does not mention it does."""
    uses = list(find_uses(tree, column, names))
    if not uses:
        return "computes"
    after = read_type(new, dialect)
    if after is None:
        return "undecided"
    known = types or {}

    def find_beside(use: Use) -> frozenset[str]:
        told = (
            find_type(arg, dialect, lambda r, c: known.get(r, {}).get(c, "")) for arg in use.beside if _is_told(arg)
        )
        return frozenset(find_class(parsed) for native in told if (parsed := read_type(native, dialect)) is not None)

    outcomes = {_decide_use(use, find_beside(use), find_class(after), dialect) for use in uses}
    if "rejects" in outcomes:
        return "rejects"
    return "computes" if outcomes == {"computes"} else "undecided"


def find_impossible_cast(trees: Iterable[Expression], dialect: str, find: FindType) -> str:
    """The first cast that the engine has not at all, for people; "" where there is none or nobody can tell."""
    for cast in find_nodes(*trees) if dialect in _STRICT - {"clickhouse"} else ():
        if isinstance(cast, Cast) and not cast.lenient:
            old = find_type(cast.operand, dialect, find)
            before, after = read_type(old, dialect), read_type(cast.type, dialect)
            if before is not None and after is not None and _has_no_cast(find_class(before), find_class(after)):
                return f"{old} cannot be cast to {cast.type}: {show(cast)}"
    return ""


def _has_no_cast(old: TypeClass, new: TypeClass) -> bool:
    groups = ["number" if one in _NUMERIC | {"boolean"} else "time" if one in _TIMES else one for one in (old, new)]
    return groups[0] != groups[1] and {*groups} <= {"number", "time", "uuid"}


def _is_told(tree: Expression) -> bool:
    """Literals are another matter: most engines make what is needed of them."""
    return not isinstance(tree, Constant | Name)


def _decide_use(use: Use, beside: frozenset[str], kind: TypeClass, dialect: str) -> Outcome:  # noqa: PLR0911 - one return for each kind of use
    if use.condition or use.name in _CONDITIONS:
        return _decide_condition(kind, dialect)
    if use.name in _OF_ANY:
        return "computes"
    if use.name in _ARITHMETIC or use.name in _SHIFTS or use.name in _TOTALS:
        return _decide_number(use.name, kind, dialect)
    if use.name in _OF_TEXT:
        return _decide_text(kind, dialect)
    if use.name in _OF_TIMES:
        return _decide_time(kind, dialect)
    if use.name in _COMPARISONS:
        return _decide_comparison(use, beside, kind, dialect)
    if use.name in _DEFAULTS:
        return _decide_default(use, kind, dialect)
    return "undecided"


def _decide_number(name: str, kind: TypeClass, dialect: str) -> Outcome:
    if kind in _NUMERIC:
        return "computes"
    if kind == "binary":
        return "rejects" if dialect in _STRICT else "undecided"
    if name in _SHIFTS and kind in _TIMES:
        return "undecided"  # a day more or less is a sum in some dialects
    if (name, kind, dialect) == ("avg", "boolean", "duckdb"):
        return "rejects"  # which can sum them
    table = _NO_TOTAL if name in _TOTALS else _NO_ARITHMETIC
    if dialect in table.get("time" if kind in _TIMES else kind, frozenset()):
        return "rejects"
    return "computes" if kind == "text" and dialect in _COERCES_TO_NUMBER else "undecided"


def _decide_text(kind: TypeClass, dialect: str) -> Outcome:
    if kind == "text":
        return "computes"
    if kind in _NUMERIC or kind in _TIMES or kind == "boolean":
        if dialect in _NO_TEXT_OF_OTHERS:
            return "rejects"
        return "computes" if dialect in _COERCES_TO_TEXT else "undecided"
    return "rejects" if kind in _STRANGE and dialect in {"postgres", "bigquery", *_TRINO} else "undecided"


def _decide_time(kind: TypeClass, dialect: str) -> Outcome:
    if kind in _TIMES:
        return "computes"
    if kind in _NUMERIC or kind in {"boolean", "text"} or kind in _STRANGE:
        return "rejects" if dialect in _STRICT | {"redshift"} else "undecided"
    return "undecided"


def _decide_comparison(use: Use, beside: frozenset[str], kind: TypeClass, dialect: str) -> Outcome:
    """With literals beside it, or what has a type that is known."""
    numbers, texts = _literals(use)
    others = beside - {kind}
    if dialect in _NO_TIME_BESIDE and others & _TIMES and kind not in _TIMES:
        return "rejects"
    if dialect in _NO_WORD_BESIDE_BOOLEAN and kind == "boolean" and any(not _BOOLEAN.fullmatch(text) for text in texts):
        return "rejects"
    if dialect in _NO_TEXT_BESIDE_NUMBER and (
        (kind == "text" and others & _NUMERIC) or (kind in _NUMERIC and "text" in others)
    ):
        return "rejects"
    if kind in _NUMERIC:
        return _decide_number_beside(texts, dialect) if texts else ("computes" if numbers else "undecided")
    if not numbers and not (others & _NUMERIC and dialect not in {"duckdb", "redshift"}):
        return "computes" if kind == "text" and texts else "undecided"
    rejecting = _NO_NUMBER_BESIDE.get("time" if kind in _TIMES else kind, frozenset())
    return "rejects" if dialect in rejecting else "undecided"


def _literals(use: Use) -> tuple[bool, list[str]]:
    """Whether numbers stand beside it, and the texts that do."""
    constants = [arg for arg in use.beside if isinstance(arg, Constant)]
    return any(one.kind == "number" for one in constants), [one.value for one in constants if one.kind == "text"]


def _decide_number_beside(texts: list[str], dialect: str) -> Outcome:
    """A number beside texts: one that cannot be made a number is an error at once, or as soon as it runs."""
    if all(_NUMBER.fullmatch(text.strip()) for text in texts):
        return "rejects" if dialect in {"bigquery", *_TRINO} else "undecided"
    return "undecided" if dialect in {"mysql", *_SPARK} else "rejects"


def _decide_default(use: Use, kind: TypeClass, dialect: str) -> Outcome:
    """A value of one type in place of NULLs of another."""
    numbers, texts = _literals(use)
    if (kind in _NUMERIC and numbers) or (kind == "text" and texts and not numbers):
        return "computes"
    if kind in _STRANGE and numbers and dialect in {"postgres", "bigquery", *_TRINO}:
        return "rejects"
    return "rejects" if kind == "text" and numbers and dialect in _STRICT | {"redshift"} else "undecided"


def _decide_condition(kind: TypeClass, dialect: str) -> Outcome:
    if kind == "boolean":
        return "computes"
    if dialect in {"postgres", "redshift", "bigquery", "tsql", *_TRINO}:
        return "rejects"
    return "rejects" if kind in _TIMES and dialect in {"snowflake", "duckdb", *_SPARK} else "undecided"
