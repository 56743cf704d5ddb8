"""What an output is called whose author gave it no name: Postgres and Spark make one of the expression, others make nothing
that anybody would write down.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from app.reads.fold import Folder

_POSTGRES: Final = frozenset({"postgres", "redshift"})
_SPARK: Final = frozenset({"spark", "spark2", "databricks", "hive"})
#: what stands around a value and leaves it its name
_POSTGRES_AROUND: Final = (
    exp.Paren, exp.Cast, exp.Collate, exp.Bracket, exp.Window, exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls,
)  # fmt: skip
_SPARK_AROUND: Final = (exp.Paren, exp.Cast)
#: functions that both sides spell alike
_FUNCTIONS: Final = (
    exp.Abs, exp.ArrayAgg, exp.Avg, exp.Ceil, exp.Coalesce, exp.Concat, exp.Count, exp.DenseRank, exp.FirstValue, exp.Floor,
    exp.Greatest, exp.Lag, exp.LastValue, exp.Lead, exp.Least, exp.Length, exp.Lower, exp.Max, exp.Min, exp.Nullif, exp.Rank,
    exp.Round, exp.RowNumber, exp.Sum, exp.Upper,
)  # fmt: skip


def find_own_name(node: exp.Expr, dialect: str, folder: Folder) -> str:
    """Folded; "" where the database makes up a name."""
    if isinstance(node, exp.Column):
        return folder.name(node)
    if isinstance(node, exp.Dot):
        return folder.name(node.expression)
    if dialect in _SPARK:
        return _of_spark(node, dialect, folder)
    return _of_postgres(node, dialect, folder) if dialect in _POSTGRES else ""


def _of_spark(node: exp.Expr, dialect: str, folder: Folder) -> str:
    if isinstance(node, _SPARK_AROUND):
        return find_own_name(node.this, dialect, folder)
    path = node.args.get("expression") if isinstance(node, exp.JSONExtract) else None
    last = path.expressions[-1] if isinstance(path, exp.JSONPath) and path.expressions else None
    return folder.name(str(last.this)) if isinstance(last, exp.JSONPathKey) else ""


def _of_postgres(node: exp.Expr, dialect: str, folder: Folder) -> str:
    if isinstance(node, _POSTGRES_AROUND):
        return find_own_name(node.this, dialect, folder)
    if isinstance(node, exp.Case):
        default = node.args.get("default")
        return (find_own_name(default, dialect, folder) if isinstance(default, exp.Expr) else "") or "case"
    if isinstance(node, exp.Subquery):
        inner = node.this.selects[0] if isinstance(node.this, exp.Query) and node.this.selects else None
        if isinstance(inner, exp.Alias):
            return folder.name(inner)
        return find_own_name(inner, dialect, folder) if isinstance(inner, exp.Expr) else ""
    if isinstance(node, exp.Anonymous):
        return folder.name(str(node.this))
    return node.sql_name().lower() if isinstance(node, exp.Func) and type(node) in _FUNCTIONS else ""
