"""The columns of a relation, where the tree itself tells them: the header of a seed, the outputs of a model without a star.

Templates ask for them (`star`, `get_columns_in_relation`); dbt would ask the database.
"""

from __future__ import annotations

import csv

from sqlglot import exp, parse, parse_one
from sqlglot.errors import SqlglotError

from app.render.output_names import TableNames, Unlisted, find_names
from app.render.session import Session
from app.render.stubs import Relation


def read_header(text: str, delimiter: str = ",") -> tuple[str, ...]:
    """The column names of a CSV file: its first record, which may hold quoted line breaks."""
    lines = text.removeprefix("\ufeff")[:200_000].splitlines(keepends=True)
    try:
        record = next(csv.reader(lines, delimiter=delimiter), [])
    except csv.Error:
        return ()
    return tuple(name.strip() for name in record)


def find_columns(session: Session, relation: object) -> tuple[str, ...]:
    """() where the tree does not tell them. Never renders a model that is being rendered already."""
    if not isinstance(relation, Relation):
        return ()
    node = session.workspace.by_relation.get(str(relation))
    return () if node is None else session.workspace.columns_of(node)


def find_outputs(sql: str, dialect: str, tables: TableNames) -> tuple[str, ...]:
    """The output names of a query; () with a star over columns that nobody tells, an unnamed output, or SQL that does not
    parse."""
    try:
        tree = parse_one(sql, read=dialect or None)
        return find_names(tree, tables) if isinstance(tree, exp.Query) else ()
    except (SqlglotError, RecursionError, ValueError, Unlisted):
        return ()


def is_readable(sql: str, dialect: str) -> bool:
    """Whether the SQL parses."""
    try:
        return bool(parse(sql, read=dialect or None))
    except (SqlglotError, RecursionError, ValueError):
        return False
