"""The columns that one statement's output is computed from, each with the lines that say so; and what could not be proven.

No line, no proof: a reference counts only where a certain read of that table's column stands on a line that names it. What
comes through a star, a macro or a hole has no such line and is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from app.reads import Read
from app.repair.definitions import Definition, Definitions
from app.repair.edge import Refusal
from app.trail import bare, find_path
from app.words import Evidence

MOST_LINES: Final = 5  # of one reference
MOST_DEPTH: Final = 20  # relations that the catalog does not know, one behind the other

PROJECTION: Final = frozenset({"select", "set", "insert", "replace", "rename"})
OPERATIONS: Final[Mapping[str, str]] = {
    "where": "FILTER",
    "having": "FILTER",
    "qualify": "FILTER",
    "join": "JOIN",
    "on": "JOIN",
    "using": "JOIN",
    "merge": "JOIN",
    "group": "GROUP",
    "order": "ORDER",
    "window": "WINDOW",
    "over": "WINDOW",
    "partition": "WINDOW",
}


@dataclass(frozen=True, slots=True)
class Source:
    """A column of a dataset of the catalog, spelled as there, that an output is computed from."""

    dataset: str
    relation: str
    path: str
    evidence: tuple[Evidence, ...]
    direct: bool = True
    operation: str = ""


@dataclass(frozen=True, slots=True)
class _Use:
    relation: str
    column: str
    certain: bool
    line: int
    direct: bool
    dialect: str
    operation: str = ""


def find_sources(definition: Definition, definitions: Definitions, feature: str) -> Iterator[Source | Refusal]:
    """Columns of catalog datasets behind one output. Relations that the catalog does not know are looked through."""
    yield from _find_sources(definition, definitions, feature, frozenset())


def _find_sources(
    definition: Definition, definitions: Definitions, feature: str, seen: frozenset[tuple[str, str]]
) -> Iterator[Source | Refusal]:
    for use in _find_uses(definition):
        where = definition.reader.evidence(use.line)
        if use.column == "*":
            yield Refusal(
                feature, f"a star over {use.relation}, whose columns nobody knows, hides what it reads", where
            )
            continue
        if not use.certain:
            yield Refusal(feature, f"{bare(use.column)} is written without its table and may belong to several", where)
            continue
        lines = _find_lines(definition, use)
        if not lines:
            reason = f"{bare(use.column)} of {use.relation} comes through a star or a template, and no line names it"
            yield Refusal(feature, reason, where)
            continue
        yield from _resolve(use, lines, definitions, feature, seen)


def _resolve(
    use: _Use,
    lines: tuple[Evidence, ...],
    definitions: Definitions,
    feature: str,
    seen: frozenset[tuple[str, str]],
) -> Iterator[Source | Refusal]:
    named = definitions.naming.resolve(use.relation)
    if named.urn is not None:
        dataset = definitions.naming.canonical(named.urn)
        path = find_path(use.column, definitions.paths(dataset), dialect=use.dialect)
        if path is None:
            reason = f"the catalog does not know a column {bare(use.column)} of {use.relation}"
            yield Refusal(feature, reason, lines[0])
        else:
            yield Source(dataset, use.relation, path, lines, use.direct, use.operation)
        return
    key = (definitions.naming.key(use.relation), use.column)
    behind = definitions.of_column(*key) if key not in seen and len(seen) < MOST_DEPTH else ()
    if not behind:
        yield Refusal(feature, f"{named.why}", lines[0])
    for definition in behind:
        for found in _find_sources(definition, definitions, feature, seen | {key}):
            if isinstance(found, Refusal):
                yield found
            else:
                yield replace(
                    found,
                    evidence=(*found.evidence, *lines),
                    direct=found.direct and use.direct,
                    operation=found.operation or use.operation,
                )


def _find_uses(definition: Definition) -> Iterator[_Use]:
    """What the output is computed from, then what filters, joins and groups the rows it is computed over."""
    dialect = definition.reader.dialect
    direct = dict.fromkeys((ref.relation, ref.column) for ref in definition.output.sources)
    certain = {(ref.relation, ref.column) for ref in definition.output.sources if ref.certain}
    for relation, column in direct:
        line = definition.output.line
        yield _Use(relation, column, (relation, column) in certain, line, direct=True, dialect=dialect)
    indirect: dict[tuple[str, str], Read] = {}
    for read in definition.statement.reads:
        key = (read.relation, read.column)
        if read.kind != "width" and read.clause != "exclude" and not is_projection(read.clause) and key not in direct:
            held = indirect.get(key)
            if held is None or (read.certain and not held.certain):
                indirect[key] = read
    for read in indirect.values():
        operation = find_operation(read.clause)
        place = read.relation, read.column, read.certain, read.line
        yield _Use(*place, direct=False, dialect=dialect, operation=operation)


def _find_lines(definition: Definition, use: _Use) -> tuple[Evidence, ...]:
    """Lines with a certain read of the column that name it."""
    lines = dict.fromkeys(
        read.line
        for read in definition.statement.reads
        if read.certain and read.kind != "width" and (read.relation, read.column) == (use.relation, use.column)
        if not use.direct or is_projection(read.clause) or not _is_read_in_projection(definition, use)
    )
    found = (definition.reader.evidence(line) for line in lines)
    return tuple(evidence for evidence in found if names(evidence.text, use.column))[:MOST_LINES]


def _is_read_in_projection(definition: Definition, use: _Use) -> bool:
    return any(
        read.certain and is_projection(read.clause) and (read.relation, read.column) == (use.relation, use.column)
        for read in definition.statement.reads
    )


def is_projection(clause: str) -> bool:
    return clause.lower() in PROJECTION


def find_operation(clause: str) -> str:
    """DataHub's transformOperation for a clause: FILTER, JOIN, GROUP ...; the clause itself where there is no such word."""
    words = re.findall(r"[a-z]+", clause.lower())
    return next((OPERATIONS[word] for word in words if word in OPERATIONS), clause.upper())


def names(text: str, column: str) -> bool:
    """Whether a line of source names the column, as a word of its own."""
    return re.search(rf"(?<![\w$]){re.escape(bare(column))}(?![\w$])", text, re.IGNORECASE) is not None
