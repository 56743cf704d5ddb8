"""Parsed files -> the index of readers that the walk goes through, and the files that nobody could read.

A Python file is both: its constant SQL is read like any other, and the code around it counts by its words, those of the
SQL that was read left out (`app.render.blank_read`). So SQL that proves or disproves a read decides, and code that names
the column and its table by itself is still unknown.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from app.change import (
    FeatureTable,
    ParsedFile,
    TriggerBodies,
    find_feature_tables,
    find_gone,
    find_lasting,
    find_trigger_bodies,
)
from app.reads import Statement, find_by_place, find_words, has_hole
from app.render import SqlText, blank_read
from app.source.parsing import ParsedTree
from app.trail import OpaqueFile, Reader, SqlIndex
from app.words import Repo, Unknown


def build_index(repo: Repo, parsed: ParsedTree, unread: Iterable[str] = ()) -> SqlIndex:
    """Readers and opaque files of one tree. `unread`: paths left out of the opaque files (said elsewhere)."""
    left_out = set(unread)
    readers: list[Reader] = []
    opaque: list[OpaqueFile] = []
    code: dict[str, list[tuple[SqlText, ParsedFile]]] = {}
    bodies = find_trigger_bodies(parsed.files)
    migrations = any(file.kind == "migration" for file in parsed.files)
    gone = find_gone(parsed.files) if migrations else frozenset()
    lasting = find_lasting(parsed.files) if migrations else {}
    for text, file in zip(parsed.texts, parsed.files, strict=True):
        readers.extend(_readers(repo, parsed.tree.commit, file, lasting))
        if text.kind == "python":
            code.setdefault(file.path, []).append((text, file))
        elif file.path not in left_out:
            opaque.extend(_opaque(repo, file, bodies, gone))
    seen = {file.path for file in parsed.files} - code.keys()
    for path, source in sorted(parsed.tree.files.items()):
        if path.endswith((".py", ".ipynb")) and path not in seen:
            opaque.append(_opaque_code(repo, path, source, code.get(path, ())))
    return SqlIndex(tuple(readers), tuple(opaque), tuple(_find_views(repo, parsed)))


def _find_views(repo: Repo, parsed: ParsedTree) -> Iterable[FeatureTable]:
    for view in find_feature_tables(parsed.tree.files):
        placed = replace(view.evidence, repo=repo.full_name, commit=parsed.tree.commit)
        yield replace(view, evidence=placed)


def _opaque_code(repo: Repo, path: str, source: str, sql: Sequence[tuple[SqlText, ParsedFile]]) -> OpaqueFile:
    """What of a file of code nobody read, SQL that was refused or is unreadable included; the first reason is named."""
    unread = [s for _, file in sql for s in file.statements if s.kind == "opaque"]
    read = [text for text, file in sql if not any(s.kind == "opaque" for s in file.statements) and not file.unknowns]
    left = blank_read(source, read) if read else source
    words, has_star = find_words(left, language="python")
    first = min(unread, key=lambda s: s.line, default=None)
    why = first.why if first else "it is Python; Tether reads constant SQL alone"
    return OpaqueFile(
        repo,
        path,
        why,
        words,
        has_star,
        (first.why_line or first.line) if first else None,
        by_place=find_by_place(left, language="python"),
    )


def mark_head(index: SqlIndex, paths: Container[str], commit: str, base: Container[str]) -> SqlIndex:
    """The readers in files that the pull request changes stand at its head, and are cited there. `base`: the paths before it."""
    readers = (
        replace(r, side="head", commit=commit, new=r.path not in base) if r.path in paths else r for r in index.readers
    )
    return replace(index, readers=tuple(readers))


def join_indexes(indexes: Sequence[SqlIndex]) -> SqlIndex:
    return SqlIndex(
        tuple(reader for index in indexes for reader in index.readers),
        tuple(file for index in indexes for file in index.opaque),
        tuple(view for index in indexes for view in index.views),
    )


def _readers(repo: Repo, commit: str, file: ParsedFile, lasting: Mapping[tuple[str, int], str]) -> Iterable[Reader]:
    for place, statement in enumerate(file.statements):
        if statement.kind in ("opaque", "inert", "ddl", "create_table"):
            continue
        target = statement.target or file.relation
        if file.kind == "migration":
            if (file.path, place) not in lasting:
                continue  # it ran once, or a later migration replaced it
            target = lasting[file.path, place]
        yield Reader(repo, commit, file.path, file.dialect, replace(statement, target=target), file.source)


def _opaque(
    repo: Repo, file: ParsedFile, bodies: TriggerBodies, gone: Container[tuple[str, int]]
) -> Iterable[OpaqueFile]:
    """One entry for each thing in the file that could not be understood; a trigger with the body of its function.

    Of a migration, only what it has left behind: a routine, a trigger, a task (a CREATE that is not read), unless it is `gone`.
    """
    for statement in file.statements:
        if statement.kind == "opaque":
            text = _text_of(file, statement)
            if file.kind == "migration" and not text.lstrip().upper().startswith("CREATE"):
                continue
            lines = range(statement.line, statement.end_line + 1)
            if any((file.path, line) in gone for line in lines):
                continue
            body = next((bodies[place] for line in lines if (place := (file.path, line)) in bodies), "")
            unread = _describe(repo, file, statement.why, f"{text}\n{body or ''}", statement.why_line or statement.line)
            yield unread if body is not None else replace(unread, by_place=frozenset({""}))
    if file.kind == "migration":
        return
    for unknown in file.unknowns:
        if not _is_reported(file, unknown):
            yield _describe(repo, file, unknown.why, "\n".join(file.source), unknown.line)


def _describe(repo: Repo, file: ParsedFile, why: str, text: str, line: int | None) -> OpaqueFile:
    words, has_star = find_words(text, language="sql")
    by_place = find_by_place(text, language="sql")
    return OpaqueFile(
        repo, file.path, why, words, has_star, line, file.relation, by_place=by_place, has_hole=has_hole(text)
    )


def _text_of(file: ParsedFile, statement: Statement) -> str:
    return "\n".join(file.source[statement.line - 1 : statement.end_line])


def _is_reported(file: ParsedFile, unknown: Unknown) -> bool:
    """An opaque statement stands in the file's unknowns as well."""
    return any(s.kind == "opaque" and unknown.line in (s.line, s.why_line) for s in file.statements)
