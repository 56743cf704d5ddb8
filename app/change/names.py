"""Relation names as written -> as the catalog knows them: missing leading parts from the configuration or the dialect."""

from __future__ import annotations

import dataclasses
import re
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
    written = {relation: name(relation) for relation in statement.relations}
    texts = _TextNames({old: new for old, new in written.items() if old != new})
    return dataclasses.replace(
        statement,
        target=None if statement.target is None else name(statement.target),
        outputs=tuple(_rename_output(output, name, texts) for output in statement.outputs),
        reads=tuple(dataclasses.replace(read, relation=name(read.relation)) for read in statement.reads),
        relations=tuple(name(relation) for relation in statement.relations),
        rivals=tuple(dataclasses.replace(rival, relation=name(rival.relation)) for rival in statement.rivals),
        wide=tuple(map(name, statement.wide)),
        starred=tuple(map(name, statement.starred)),
        unions=tuple(tuple(tuple(map(name, branch)) for branch in union) for union in statement.unions),
        meaning=texts.replace(statement.meaning),
    )


def _rename_output(output: Output, name: Callable[[str], str], texts: _TextNames) -> Output:
    sources = tuple(ColumnRef(name(s.relation), s.column, s.certain) for s in output.sources)
    return dataclasses.replace(output, sources=sources, expression=texts.replace(output.expression))


class _TextNames:
    """Relation names inside canonical texts: before a column's name, or behind `from` at the end of a line."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names
        longest_first = sorted(map(re.escape, names), key=len, reverse=True)
        self._pattern = re.compile(rf'(?<![\w."$])({"|".join(longest_first)})(?=\.[\w"*]|$)', re.MULTILINE)

    def replace(self, text: str) -> str:
        if not self._names or not text:
            return text
        return self._pattern.sub(lambda match: self._names[match.group(1)], text)
