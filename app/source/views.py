"""View definitions that the catalog holds and no repository shows: visible SQL for verdicts, never for write-back.

A definition that cannot be read is a file that was seen and not understood, as one of a repository would be: it decides where
a loss leads to it. Ingestion cuts long texts, dbt's are templates beside what they were compiled to, and business tools
store other languages than SQL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from app.change import ParsedFile, choose_dialect
from app.reads import find_words
from app.render import SqlText
from app.source.indexing import build_index
from app.source.parsing import TreeParser
from app.trail import LineageGraph, Naming, OpaqueFile, SqlIndex, parse_dataset
from app.words import Repo, Schema, Tree

#: where view definitions of the catalog stand; as private as anything, so that a public repository never shows them
CATALOG_REPO: Final = Repo(0, "catalog", visibility="private")
_TEMPLATE: Final = re.compile(r"\{\{|\{%")
_CALL: Final = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
#: what a template may call without hiding a column's name
_PLAIN_CALLS: Final = frozenset({"ref", "source", "config", "var", "is_incremental", "env_var"})
#: how DataHub's ingestion ends a text that it cut, or puts in its place
_CUT: Final = re.compile(r"\.\.\. \[truncated from \d+ to \d+ chars\]\s*\Z|\A\[removed due to size\b")
_NOT_SQL: Final = frozenset({"lookml", "m_query", "yaml", "csn", "cql", "python", "json", "dax", "unknown"})


@dataclass(frozen=True, slots=True)
class Views:
    """What was read so far. `done` are the datasets that were looked at."""

    index: SqlIndex = field(default_factory=SqlIndex)
    done: frozenset[str] = frozenset()


async def read_views(
    views: Views, graph: LineageGraph, own: SqlIndex, naming: Naming, parser: TreeParser, schema: Schema
) -> Views:
    """With the definitions of datasets that came since. `own` is what the repositories show."""
    held = {
        urn: value for urn in graph.aspects if urn not in views.done and (value := graph.aspect(urn, "viewProperties"))
    }
    if not held:
        return views
    visible = {naming.key(reader.statement.target) for reader in own.readers if reader.statement.target}
    shown = {urn: one for urn, value in held.items() if urn not in visible and (one := _choose(value))}
    texts = [_text(urn, one.sql, naming, parser) for urn, one in shown.items() if not one.why]
    parsed = await parser.parse_texts(Tree({text.path: text.sql for text in texts}, repo="catalog"), texts, schema)
    index = build_index(CATALOG_REPO, parsed)
    readers = [replace(r, statement=replace(r.statement, target=r.path)) for r in index.readers]
    opaque = [_as_opaque(urn, one.sql, one.why, whole=one.whole) for urn, one in shown.items() if one.why]
    opaque += [_as_opaque(file.path, shown[file.path].sql, file.why, file.line) for file in index.opaque]
    opaque += [_as_opaque(file.path, shown[file.path].sql, _NOTHING) for file in parsed.files if _is_empty(file)]
    joined = SqlIndex((*views.index.readers, *readers), (*views.index.opaque, *_once(opaque)))
    return Views(joined, views.done | held.keys())


_NOTHING: Final = "no statement stands in it"


@dataclass(frozen=True, slots=True)
class _Definition:
    """`why` it is no SQL that can be read, "" where it may be."""

    sql: str
    why: str = ""
    whole: bool = True


def _choose(value: Mapping[str, Any]) -> _Definition | None:
    """The text that is SQL: of a template, what it was compiled to."""
    written, compiled = (str(value.get(name) or "").strip() for name in ("viewLogic", "formattedViewLogic"))
    language = str(value.get("viewLanguage") or "").lower()
    if _TEMPLATE.search(written) and compiled and not _CUT.search(compiled):
        written = compiled
    if not written:
        return None
    if _CUT.search(written):
        return _Definition(written, "the catalog's ingestion cut it short", whole=False)
    if language in _NOT_SQL:
        return _Definition(written, f"it is not SQL but {language}", whole=False)
    if _TEMPLATE.search(written):
        calls = {name.lower() for name in _CALL.findall(written)}
        return _Definition(written, "it is a template that nobody rendered", whole=calls <= _PLAIN_CALLS)
    return _Definition(written)


def _text(urn: str, sql: str, naming: Naming, parser: TreeParser) -> SqlText:
    """In the dialect of the dataset's own platform; dbt's entities have the warehouse's."""
    dataset = parse_dataset(urn)
    dialect = None
    if dataset is not None and dataset.platform != "dbt":
        named = replace(parser.config, dialect=dataset.platform, roots=())
        dialect = choose_dialect("", named, platform=parser.config.dialect or parser.platform)
    lines = tuple(range(1, sql.count("\n") + 2))
    return SqlText(urn, sql, lines, kind="model", relation=naming.relation(urn), dialect=dialect)


def _is_empty(file: ParsedFile) -> bool:
    return not file.statements and not file.unknowns


def _as_opaque(urn: str, sql: str, why: str, line: int | None = 1, *, whole: bool = True) -> OpaqueFile:
    words, has_star = find_words(sql, language="sql")
    sentence = f"the definition that the catalog holds cannot be read: {why}"
    return OpaqueFile(CATALOG_REPO, urn, sentence, words, has_star or not whole, line, urn, whole)


def _once(files: Iterable[OpaqueFile]) -> Iterable[OpaqueFile]:
    """One for each dataset: its first reason."""
    found: dict[str, OpaqueFile] = {}
    for file in files:
        found.setdefault(file.path, file)
    return found.values()
