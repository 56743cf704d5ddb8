"""One rendered file -> a ParsedFile. Runs in a killable child process and never raises: what cannot be read is an Unknown.

The SQL engine reads queries and DML, `app.change.ddl` reads DDL; both see the same text, so a line that neither understands
stands out. Names are completed here, once, so that everything later compares whole names.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field

from app.change.altered_views import make_anew
from app.change.ddl import find_pieces
from app.change.down import blank_down_parts, end_batches
from app.change.foreign import Foreign, find_foreign
from app.change.foreign_steps import read_foreign
from app.change.merge_keys import add_meta_columns, read_keys
from app.change.names import complete, place_statement
from app.change.operations import ModelStep, SqlPiece
from app.change.removal import FileKind, ParsedFile
from app.change.step_names import name_step, place_step
from app.change.steps import DdlStep, Opaque
from app.change.uncovered import DdlPiece, find_uncovered
from app.change.uses import find_namings
from app.reads import Statement, Unreadable, read_statements
from app.render import SqlText
from app.words import CatalogNaming, Schema, Unknown

_LFS = "version https://git-lfs.github.com/spec/"
_MAX_CHARACTERS = 1_000_000  # a larger text costs more time than a child process has


@dataclass(frozen=True, slots=True)
class ParseItem:
    """All that parsing one text needs; picklable. `source` are the lines of the file as it stands in the repository."""

    text: SqlText
    kind: FileKind
    dialect: str
    naming: CatalogNaming = field(default_factory=CatalogNaming)
    schema: Schema = field(default_factory=dict)
    source: tuple[str, ...] = ()


def parse_file(item: ParseItem) -> ParsedFile:
    """Statements and DDL steps at source lines, names completed; `unknowns` say what could not be read and where.

    SQL in code that cannot be read is an opaque statement instead: it is nobody's definition, so a change of it is not
    unread by itself, and the words of its file say whether it may concern a removal.
    """
    file = _parse_text(item)
    if item.text.kind == "hook":
        return _as_hook(item, file)
    if item.text.kind != "python" or not file.unknowns:
        return file
    opaque = tuple(Statement("opaque", u.line or 1, u.line or 1, why=_code_reason(item, u)) for u in file.unknowns)
    return dataclasses.replace(file, statements=(*file.statements, *opaque), unknowns=())


def _as_hook(item: ParseItem, file: ParsedFile) -> ParsedFile:
    """A hook that cannot be read is news only where its text is: it is an opaque statement, whatever else its file changes.

    What one does to the relation that is built anew after it is undone."""
    if file.unknowns:
        opaque = tuple(Statement("opaque", u.line or 1, u.line or 1, why=u.why) for u in file.unknowns)
        steps = tuple(Opaque(u.why, u.line or 1, " ".join(item.text.sql.split()) or u.why) for u in file.unknowns)
        return dataclasses.replace(file, statements=(*file.statements, *opaque), steps=steps, unknowns=())
    if item.text.rebuilt is None:
        return file
    own = complete(item.text.rebuilt, dialect=item.dialect, naming=item.naming)
    kept = tuple(step for step in file.steps if getattr(step, "relation", None) != own)
    return dataclasses.replace(file, steps=kept)


def _code_reason(item: ParseItem, unknown: Unknown) -> str:
    return unknown.why if item.text.why else f"SQL at line {unknown.line or 1} could not be read: {unknown.why}"


def _parse_text(item: ParseItem) -> ParsedFile:
    empty = ParsedFile(
        item.text.path,
        item.kind,
        item.dialect,
        item.source,
        relation=_owned(item),
        materialized=item.text.materialized,
        on_schema_change=item.text.on_schema_change,
        templated=item.text.kind in {"model", "snapshot", "seed"},
        refs=item.text.refs,
    )
    why = _unfit(item.text)
    if why is not None:
        unread = dataclasses.replace(empty, unknowns=(_unknown(item, why, item.text.why_line),))
        variants = _parse_variants(item)
        return variants[0] if _read_alike(variants) else dataclasses.replace(unread, variants=variants)
    if item.text.kind == "seed":
        return dataclasses.replace(empty, statements=(_seed(item),))
    try:
        return _parse(item, empty)
    except Exception as error:  # noqa: BLE001 - hostile text: whatever breaks on it is the reason why it stays unread
        return dataclasses.replace(empty, unknowns=(_unknown(item, f"reading it failed: {_name(error)}", 1),))


def _name(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}"


def _parse_variants(item: ParseItem) -> tuple[ParsedFile, ...]:
    texts = (dataclasses.replace(item.text, sql=way.sql, lines=way.lines, why=None) for way in item.text.variants)
    return tuple(parse_file(dataclasses.replace(item, text=dataclasses.replace(text, variants=()))) for text in texts)


def _read_alike(ways: tuple[ParsedFile, ...]) -> bool:
    """Whichever way a condition goes, the same columns come out, from the same sources, and the same are read."""
    told = {tuple(_describe(statement) for statement in way.statements) for way in ways}
    return len(told) == 1 and not any(way.unknowns or way.steps for way in ways)


def _describe(statement: Statement) -> Statement:
    """All but where it stands, and which rows it takes."""
    outputs = tuple(dataclasses.replace(output, line=0) for output in statement.outputs)
    reads = tuple(dict.fromkeys(dataclasses.replace(read, line=0) for read in statement.reads))
    rivals = tuple(dict.fromkeys(dataclasses.replace(rival, line=0) for rival in statement.rivals))
    return dataclasses.replace(
        statement, line=0, end_line=0, outputs=outputs, reads=reads, rivals=rivals, meaning=(), why_line=0
    )


def has_no_text(text: str) -> bool:
    """Something else stands in for the text: a Git LFS pointer, bytes."""
    return text.startswith(_LFS) or "\0" in text


def _unfit(text: SqlText) -> str | None:
    if text.why is not None:
        return text.why
    if text.sql.startswith(_LFS):
        return "it is a Git LFS pointer, not SQL"
    if "\0" in text.sql:
        return "it is a binary file, not SQL"
    if len(text.sql) > _MAX_CHARACTERS:
        return f"it is larger than {_MAX_CHARACTERS} characters"
    return None


def _owned(item: ParseItem) -> str | None:
    relation = item.text.relation
    return None if relation is None else complete(relation, dialect=item.dialect, naming=item.naming)


def _unknown(item: ParseItem, why: str, line: int) -> Unknown:
    what = item.text.relation or "a file"
    return Unknown(f"{what} in {item.text.path}", why, item.text.path, line)


def _seed(item: ParseItem) -> Statement:
    columns = tuple((column, "") for column in item.text.seed_columns)
    return Statement("create_table", 1, 1, target=_owned(item), columns=columns)


def _parse(item: ParseItem, empty: ParsedFile) -> ParsedFile:
    plain = item.kind == "migration" and item.text.kind == "plain"
    foreign = find_foreign(item.text.path, item.text.sql, rooted=True) if plain else None
    if foreign is not None:
        return _parse_foreign(item, empty, foreign)
    sql = end_batches(item.text.sql) if item.dialect == "tsql" else item.text.sql
    sql = blank_down_parts(sql) if item.kind == "migration" else sql
    relation = item.text.relation if item.text.kind in {"model", "snapshot"} else None
    found = _read_sql(sql, item, relation, _line_map(item.text))
    if item.text.keys:
        found.statements = tuple(read_keys(statement, item.text.keys) for statement in found.statements)
    if item.text.meta_columns:
        found.statements = tuple(add_meta_columns(statement, item.text.meta_columns) for statement in found.statements)
    return _placed(empty, found)


@dataclass(slots=True)
class _Found:
    """What stands in a piece of SQL; lines are those of the source file, names as completed."""

    statements: tuple[Statement, ...] = ()
    steps: tuple[DdlStep | ModelStep, ...] = ()
    unknowns: tuple[Unknown, ...] = ()

    def __add__(self, other: _Found) -> _Found:
        unknowns = (*self.unknowns, *other.unknowns)
        return _Found((*self.statements, *other.statements), (*self.steps, *other.steps), unknowns)


def _placed(empty: ParsedFile, found: _Found) -> ParsedFile:
    steps: list[DdlStep | ModelStep] = sorted(found.steps, key=_by_line)
    return dataclasses.replace(
        empty,
        statements=found.statements,
        steps=tuple(steps),
        unknowns=tuple(dict.fromkeys(found.unknowns)),
    )


def _parse_foreign(item: ParseItem, empty: ParsedFile, foreign: Foreign) -> ParsedFile:
    """Operations as steps; constant SQL in them is read like any other, at the lines where it stands."""
    try:
        read = read_foreign(item.text.path, item.text.sql, item.dialect, foreign)
    except Unreadable as error:
        return dataclasses.replace(empty, unknowns=(_unknown(item, error.reason, error.line or 1),))
    found = _Found()
    for operation in read.operations:
        if isinstance(operation, SqlPiece):
            found += _read_sql(operation.sql, item, None, _lines_between(operation.line, operation.end))
        else:
            found += _Found(steps=(name_step(operation, item.dialect, item.naming),))
    placed = dataclasses.replace(empty, revision=read.revision, follows=read.follows, includes=read.includes)
    return _placed(placed, found)


def _lines_between(first: int, last: int) -> Callable[[int], int]:
    return lambda line: min(first + line - 1, last)


def _read_sql(sql: str, item: ParseItem, relation: str | None, source: Callable[[int], int]) -> _Found:
    sql = make_anew(sql, dialect=item.dialect)
    unknowns: list[Unknown] = []
    statements: tuple[Statement, ...] = ()
    try:
        statements = read_statements(sql, dialect=item.dialect, schema=item.schema, relation=relation)
    except Unreadable as error:
        unknowns.append(_unknown(item, error.reason, source(error.line or 1)))
    pieces: tuple[DdlPiece, ...] = ()
    try:
        if relation is None or any(statement.kind == "opaque" for statement in statements):
            pieces = find_pieces(sql, dialect=item.dialect, ddl=relation is None)
    except Unreadable as error:
        unknowns.append(_unknown(item, error.reason, source(error.line or 1)))
    found = (step for piece in pieces for step in piece.steps)
    steps = (*found, *find_uncovered(statements, pieces, ddl=relation is None))
    naming = find_namings(sql if item.text.kind == "plain" else "", dialect=item.dialect, naming=item.naming)
    return _Found(
        tuple(place_statement(s, _namer(item, naming(s.line)), source) for s in statements),
        tuple(name_step(place_step(s, source), item.dialect, naming(s.line)) for s in steps),
        tuple(unknowns),
    )


def _by_line(step: DdlStep | ModelStep) -> int:
    return step.line


def _line_map(text: SqlText) -> Callable[[int], int]:
    lines = text.lines

    def source(line: int) -> int:
        if not lines:
            return line
        return lines[min(max(line, 1), len(lines)) - 1]

    return source


def _namer(item: ParseItem, naming: CatalogNaming) -> Callable[[str], str]:
    return lambda name: complete(name, dialect=item.dialect, naming=naming)
