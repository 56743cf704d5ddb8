"""Where a bare name may mean an alias of the same SELECT, by clause and dialect.

Everywhere but in ORDER BY an input column of that name comes first; there the output column does.
"""

from __future__ import annotations

#: the SELECT list sees aliases before it (lateral column aliases)
_LATERAL = frozenset({"snowflake", "redshift", "databricks", "spark", "duckdb", "clickhouse", "teradata"})
_WHERE = frozenset({"duckdb", "snowflake", "clickhouse", "teradata"})
_NOT_GROUP = frozenset({"tsql", "fabric", "trino", "presto", "athena", "oracle"})
_NOT_HAVING = frozenset({"postgres", "tsql", "fabric", "trino", "presto", "athena", "oracle", "redshift"})
_NOT_ORDER_EXPRESSION = frozenset({"postgres", "redshift"})

_ONLY_IN = {"select": _LATERAL, "window": _LATERAL, "where": _WHERE}
_NOT_IN: dict[str, frozenset[str]] = {
    "group by": _NOT_GROUP,
    "having": _NOT_HAVING,
    "order by": _NOT_ORDER_EXPRESSION,
    "qualify": frozenset(),
    "distinct": frozenset(),
    "limit": frozenset(),
}


def alias_wins(clause: str, *, key: bool) -> bool:
    """A whole ORDER BY key that is a bare name is the output column of that name, in every dialect."""
    return clause == "order by" and key


def may_be_alias(clause: str, dialect: str) -> bool:
    """The clause may name an alias of its own SELECT when no input column has the name."""
    if clause in _ONLY_IN:
        return dialect in _ONLY_IN[clause]
    return clause in _NOT_IN and dialect not in _NOT_IN[clause]
