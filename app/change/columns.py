"""Column definitions: `name TYPE [NOT NULL] [DEFAULT expression] ...`, as CREATE TABLE, ADD and MODIFY write them.

Constraints that neither take values away nor change them (checks, keys, comments, encodings) are stepped over.
"""

from __future__ import annotations

import itertools

from app.change.cursor import Cursor
from app.change.keywords import ENDS_TYPE, NO_COLUMN_ITEMS
from app.change.steps import Column
from app.change.tokens import Word, split_list


def find_columns(cursor: Cursor, words: tuple[Word, ...]) -> tuple[Column, ...] | None:
    """The columns of a parenthesised list, table constraints left out; None where an item cannot be read."""
    columns: list[Column] = []
    for item in split_list(words):
        if not item:
            return None
        if is_constraint(item):
            continue
        column = find_column(cursor, item)
        if column is None:
            return None
        columns.append(column)
    return tuple(columns)


def is_constraint(item: tuple[Word, ...]) -> bool:
    """True for table constraints and keys (`KEY k (a)`, but not a column that is called key)."""
    first = item[0].upper
    if first == "KEY":
        return len(item) > 1 and (item[1].upper == "(" or (len(item) > 2 and item[2].upper == "("))
    return first in NO_COLUMN_ITEMS and len(item) > 1


def find_column(cursor: Cursor, item: tuple[Word, ...]) -> Column | None:
    """One definition; None where it does not start with a name."""
    reader = Cursor(cursor.chunk, cursor.dialect, item)
    name = reader.name()
    if name is None:
        return None
    type_words = _type_words(reader)
    options = reader.rest()
    return Column(
        name,
        _type_text(reader, type_words),
        not_null=_is_not_null(options),
        default=_default(reader, options),
        line=cursor.chunk.line(item[0]),
        generated=_generated(reader, options),
    )


def _type_words(reader: Cursor) -> tuple[Word, ...]:
    """Everything up to the first constraint word outside parentheses and angle brackets."""
    first, depth = reader.at, 0
    while (word := reader.word()) is not None:
        if depth == 0 and word.upper in ENDS_TYPE:
            if not _belongs_to_type(reader):
                break
            reader.at += 1
            continue
        depth += {"(": 1, "<": 1, ")": -1, ">": -1}.get(word.upper, 0)
        reader.at += 1
    return reader.words[first : reader.at]


def _belongs_to_type(reader: Cursor) -> bool:
    """`timestamp WITH TIME ZONE`, `WITH LOCAL TIME ZONE`."""
    return reader.peek() == "WITH" and reader.peek(1) in {"TIME", "LOCAL"}


def _type_text(reader: Cursor, words: tuple[Word, ...]) -> str:
    if any(word.quoted for word in words):  # T-SQL writes [int]
        return " ".join(word.text for word in words).replace(" (", "(").replace("( ", "(").replace(" )", ")")
    return reader.slice(words)


def _is_not_null(options: tuple[Word, ...]) -> bool:
    words = [word.upper for word in options]
    if "PRIMARY" in words:
        return True
    return any(a == "NOT" and b == "NULL" for a, b in itertools.pairwise(words))


def _generated(reader: Cursor, options: tuple[Word, ...]) -> str:
    """`GENERATED ALWAYS AS (expression)` or `AS (expression)`; an identity has none."""
    for index, (word, following) in enumerate(itertools.pairwise(options)):
        if word.upper == "AS" and following.upper == "(":
            return reader.slice(_group(options[index + 1 :]))
    return ""


def _group(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """What begins with a parenthesis, up to the one that closes it."""
    depth = 0
    for index, word in enumerate(words):
        depth += {"(": 1, ")": -1}.get(word.upper, 0)
        if depth == 0:
            return words[: index + 1]
    return words


def _default(reader: Cursor, options: tuple[Word, ...]) -> str:
    for index, word in enumerate(options):
        if word.upper == "DEFAULT":
            return reader.slice(_expression(options[index + 1 :]))
    return ""


def _expression(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The first expression of these words: up to the next constraint outside parentheses (`DEFAULT NULL` is one)."""
    depth = 0
    for index, word in enumerate(words):
        if index and depth == 0 and word.upper in ENDS_TYPE:
            return words[:index]
        depth += {"(": 1, ")": -1}.get(word.upper, 0)
    return words
