"""Parsed files -> the index of readers that the walk goes through, and the files that nobody could read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.change import ParsedFile
from app.job.parsing import ParsedTree
from app.reads import Statement, find_words
from app.trail import OpaqueFile, Reader, SqlIndex
from app.words import Repo, Unknown

#: what a migration file may leave behind that runs again: the rest of it ran once
LASTING = ("create_view", "create_table_as", "create_model")


def build_index(repo: Repo, parsed: ParsedTree, unread: Iterable[str] = ()) -> SqlIndex:
    """Readers and opaque files of one tree. `unread`: paths left out of the opaque files (said elsewhere)."""
    left_out = set(unread)
    readers: list[Reader] = []
    opaque: list[OpaqueFile] = []
    for file in parsed.files:
        readers.extend(_readers(repo, parsed.tree.commit, file))
        if file.path not in left_out:
            opaque.extend(_opaque(repo, file))
    seen = {file.path for file in parsed.files}
    for path, text in sorted(parsed.tree.files.items()):
        if path.endswith((".py", ".ipynb")) and path not in seen:
            words, has_star = find_words(text, language="python")
            opaque.append(OpaqueFile(repo, path, "it is Python; Tether reads constant SQL alone", words, has_star))
    return SqlIndex(tuple(readers), tuple(opaque))


def join_indexes(indexes: Sequence[SqlIndex]) -> SqlIndex:
    return SqlIndex(
        tuple(reader for index in indexes for reader in index.readers),
        tuple(file for index in indexes for file in index.opaque),
    )


def _readers(repo: Repo, commit: str, file: ParsedFile) -> Iterable[Reader]:
    for statement in file.statements:
        if statement.kind in ("opaque", "inert", "ddl", "create_table"):
            continue
        if file.kind == "migration" and statement.kind not in LASTING:
            continue
        target = statement.target or file.relation
        yield Reader(repo, commit, file.path, file.dialect, replace(statement, target=target), file.source)


def _opaque(repo: Repo, file: ParsedFile) -> Iterable[OpaqueFile]:
    """One entry for each thing in the file that could not be understood; a migration that ran is nobody's reader."""
    if file.kind == "migration":
        return
    for statement in file.statements:
        if statement.kind == "opaque":
            words, has_star = find_words(_text_of(file, statement), language="sql")
            yield OpaqueFile(repo, file.path, statement.why, words, has_star, statement.line, file.relation)
    for unknown in file.unknowns:
        if not _is_said(file, unknown):
            words, has_star = find_words("\n".join(file.source), language="sql")
            yield OpaqueFile(repo, file.path, unknown.why, words, has_star, unknown.line, file.relation)


def _text_of(file: ParsedFile, statement: Statement) -> str:
    return "\n".join(file.source[statement.line - 1 : statement.end_line])


def _is_said(file: ParsedFile, unknown: Unknown) -> bool:
    """An opaque statement stands in the file's unknowns as well."""
    return any(s.kind == "opaque" and s.line == unknown.line for s in file.statements)
