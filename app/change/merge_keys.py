"""What a snapshot or an incremental model reads and gives by its configuration: the columns it compares rows by, and dbt's own.

Its query may hand them on with a star and name them nowhere; without them what it builds fails all the same.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from app.reads import Call, Output, Read, Statement


def read_keys(statement: Statement, keys: tuple[tuple[str, int], ...]) -> Statement:
    """The query with a read for each key that it hands on from a relation; one that it computes, it names itself."""
    if statement.kind != "query":
        return statement
    found = [read for name, line in keys for read in _read_key(statement.outputs, name, line)]
    return dataclasses.replace(statement, reads=tuple(dict.fromkeys((*statement.reads, *found))))


def add_meta_columns(statement: Statement, columns: tuple[tuple[str, str], ...]) -> Statement:
    """The query of a snapshot with what dbt adds behind its columns. What it has by that name itself stays."""
    if statement.kind != "query":
        return statement
    own = {output.name for output in statement.outputs}
    line = statement.outputs[-1].line if statement.outputs else statement.line
    added = tuple(Output(name, (), Call(standard), line) for name, standard in columns if name not in own)
    return dataclasses.replace(statement, outputs=(*statement.outputs, *added))


def _read_key(outputs: tuple[Output, ...], name: str, line: int) -> Iterator[Read]:
    named = [out for out in outputs if out.name == name]
    if named:
        for ref in (ref for out in named if out.via_star for ref in out.sources if ref.column != "*"):
            yield Read(ref.relation, ref.column, "merge", "read", ref.certain, line)
        return
    # behind a star of unknown columns, or lost from one of known columns
    unknown = {ref.relation: ref.certain for out in outputs if out.name == "*" for ref in out.sources}
    relations = unknown or {ref.relation: ref.certain for out in outputs if out.via_star for ref in out.sources}
    for relation, certain in relations.items():
        yield Read(relation, name, "merge", "read", certain and len(relations) == 1, line)
