"""Relation names as written -> as the catalog knows them: missing leading parts from the configuration or the dialect."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from app.reads import ColumnLeaf, Expression, Output, StarLeaf, Statement, change_clauses, change_leaves
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


def place_statement(statement: Statement, name: Callable[[str], str], line: Callable[[int], int]) -> Statement:
    """The same statement with every relation's name and every line replaced."""
    names = {relation: name(relation) for relation in statement.relations}

    def find(relation: str) -> str:
        if relation not in names:
            names[relation] = name(relation)
        return names[relation]

    def leaf(tree: ColumnLeaf | StarLeaf) -> Expression:
        if isinstance(tree, StarLeaf):
            return StarLeaf(tuple(map(find, tree.relations)))
        return ColumnLeaf(tree.relation and find(tree.relation), tree.column, line(tree.line))

    return dataclasses.replace(
        statement,
        line=line(statement.line),
        end_line=line(statement.end_line),
        why_line=line(statement.why_line) if statement.why_line else 0,
        target=None if statement.target is None else name(statement.target),
        outputs=tuple(_place_output(output, find, line, leaf) for output in statement.outputs),
        reads=tuple(dataclasses.replace(r, relation=find(r.relation), line=line(r.line)) for r in statement.reads),
        relations=tuple(map(find, statement.relations)),
        rivals=tuple(dataclasses.replace(rival, relation=find(rival.relation)) for rival in statement.rivals),
        wide=tuple(map(find, statement.wide)),
        starred=tuple(map(find, statement.starred)),
        unions=tuple(tuple(tuple(map(find, branch)) for branch in union) for union in statement.unions),
        meaning=change_clauses(statement.meaning, leaf),
    )


def _place_output(
    output: Output,
    name: Callable[[str], str],
    line: Callable[[int], int],
    leaf: Callable[[ColumnLeaf | StarLeaf], Expression],
) -> Output:
    sources = tuple(dataclasses.replace(s, relation=name(s.relation)) for s in output.sources)
    expression = change_leaves(output.expression, leaf)
    return Output(output.name, sources, expression, line(output.line), output.via_star)
