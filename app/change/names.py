"""Relation names as written -> as the catalog knows them: missing leading parts from the configuration or the dialect."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from app.reads import ColumnRef, Output, Statement
from app.words import CatalogNaming

#: the schema an unqualified name means where nobody says otherwise
_DEFAULT_SCHEMA = {"postgres": "public", "redshift": "public", "tsql": "dbo", "duckdb": "main", "fabric": "dbo"}
#: engines whose names have two levels: what other engines call schema is their database
_TWO_LEVELS = frozenset({"mysql", "clickhouse", "hive", "oracle", "teradata", "doris", "starrocks", "sqlite", "athena"})


def split_name(relation: str) -> list[str]:
    """The parts of a dotted name; dots inside double quotes do not part it."""
    parts, current, quoted = [], "", False
    for char in relation:
        quoted ^= char == '"'
        if char == "." and not quoted:
            parts.append(current)
            current = ""
        else:
            current += char
    return [*parts, current]


def complete(relation: str, *, dialect: str, naming: CatalogNaming) -> str:
    """`orders` -> `shop.raw.orders`. A part that nobody names is left out, never guessed."""
    parts = split_name(relation)
    schema = naming.schema or (naming.database if dialect in _TWO_LEVELS else None) or _DEFAULT_SCHEMA.get(dialect)
    if len(parts) == 1 and schema:
        parts = [*split_name(schema.lower()), *parts]
    if len(parts) == 2 and naming.database and dialect not in _TWO_LEVELS:
        parts = [naming.database.lower(), *parts]
    return ".".join(parts)


def rename_relations(statement: Statement, name: Callable[[str], str]) -> Statement:
    """The same statement with every relation's name replaced."""
    return dataclasses.replace(
        statement,
        target=None if statement.target is None else name(statement.target),
        outputs=tuple(_rename_output(output, name) for output in statement.outputs),
        reads=tuple(dataclasses.replace(read, relation=name(read.relation)) for read in statement.reads),
        relations=tuple(name(relation) for relation in statement.relations),
    )


def _rename_output(output: Output, name: Callable[[str], str]) -> Output:
    sources = tuple(ColumnRef(name(s.relation), s.column, s.certain) for s in output.sources)
    return dataclasses.replace(output, sources=sources)
