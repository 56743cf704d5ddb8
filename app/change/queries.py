"""Queries that build no relation: the bare query of a file, and the query of a Feast view. What they give is lost like a column.

Each stands for a relation of its own, under a quoted name that no database has. Which feature such a column is, is told by
`.tether.yml`, by Feast or, at least as a question, by the file's name: `app.trail.features` knows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from app.change.compare import Comparison
from app.change.feast import FeastView, find_feast_views
from app.change.removal import ParsedFile, Query, Removal
from app.change.renames import Renames
from app.change.replay import replay
from app.change.sources import Sources
from app.change.world import World
from app.reads import Output, Statement
from app.words import Config

_NOWHERE = World({}, {}, {})


def find_query_removals(
    base: Sequence[ParsedFile],
    head: Sequence[ParsedFile],
    sources: Sources,
    changed: frozenset[str],
    config: Config,
) -> tuple[list[Removal], dict[str, Query]]:
    """What changed queries give no longer, and the queries themselves by the names in these removals."""
    mapped = {entry.sql.removeprefix("./") for entry in config.features.values() if entry.sql is not None}
    before = _find_queries(base, changed, mapped)
    after = _find_queries(head, changed, mapped)
    old, new = _replay(before), _replay(after)
    compared = Comparison(old, new, _NOWHERE, _NOWHERE, sources, changed, Renames(), definitional=True)
    removals = [_doubt(r, before) for r in compared.removals() if _counts(r, before, mapped)]
    return removals, {removal.relation: before[removal.relation][1] for removal in removals}


def _replay(found: dict[str, tuple[ParsedFile, Query]]) -> World:
    """A view without a single feature is known to have none."""
    world = replay((file for file, _ in found.values()), {}, {}, definitional=True)
    whole = {
        name: dataclasses.replace(state, known=True)
        for name, state in world.relations.items()
        if state is not None and not state.columns and not state.star_texts
    }
    return dataclasses.replace(world, relations={**world.relations, **whole})


def _counts(removal: Removal, before: dict[str, tuple[ParsedFile, Query]], mapped: set[str]) -> bool:
    """By its name alone, a file is only asked for what is gone."""
    query = before[removal.relation][1]
    return query.certain or query.path in mapped or removal.level == "block"


def _doubt(removal: Removal, before: dict[str, tuple[ParsedFile, Query]]) -> Removal:
    """A whole view that is not found any more may have a source that is no constant query now."""
    is_view = before[removal.relation][1].certain
    return dataclasses.replace(removal, certain=False) if is_view and removal.column is None else removal


def _find_queries(
    files: Sequence[ParsedFile], changed: frozenset[str], mapped: set[str]
) -> dict[str, tuple[ParsedFile, Query]]:
    """By the name of each: a file of its own, with one statement that builds this name."""
    found: dict[str, tuple[ParsedFile, Query]] = {}
    for path in sorted({file.path for file in files if file.path in changed}):
        own = [file for file in files if file.path == path]
        if path.endswith(".py"):
            found |= _of_feast(own)
        elif own[0].kind == "definition" and (queries := _bare_queries(own)):
            stem = PurePosixPath(path).name.partition(".")[0]
            name = f'"{path}"' if path in mapped else f'"query {stem}"'
            columns = tuple(output.name for query in queries for output in query.outputs)
            found[name] = _file_of(own[0], name, _join(queries)), Query(path, stem, columns)
    return found


def _bare_queries(files: Iterable[ParsedFile]) -> list[Statement]:
    return [
        s for file in files if file.relation is None for s in file.statements if s.kind == "query" and s.target is None
    ]


def _join(queries: Sequence[Statement]) -> Statement:
    """One query for several of a file: who maps a feature to the file does not say which."""
    outputs = tuple(output for query in queries for output in query.outputs)
    meaning = "\n;\n".join(query.meaning for query in queries)
    return dataclasses.replace(queries[0], outputs=outputs, meaning=meaning)


def _file_of(file: ParsedFile, name: str, statement: Statement) -> ParsedFile:
    statements = (dataclasses.replace(statement, target=name),)
    return ParsedFile(file.path, "definition", file.dialect, file.source, statements)


# --- Feast ---------------------------------------------------------------------------------------------------------


def _of_feast(files: Sequence[ParsedFile]) -> dict[str, tuple[ParsedFile, Query]]:
    found: dict[str, tuple[ParsedFile, Query]] = {}
    queries = _bare_queries(files)
    for view in find_feast_views("\n".join(files[0].source)):
        name = f'"feature view {view.name}"'
        query = next((q for q in queries if view.first_line <= q.line <= view.last_line), None)
        statement = _features_of(view, query)
        columns = tuple(output.name for output in statement.outputs)
        found[name] = _file_of(files[0], name, statement), Query(files[0].path, view.name, columns, certain=True)
    return found


def _features_of(view: FeastView, query: Statement | None) -> Statement:
    """The view's features as outputs. Behind a query that is not read, or a star, each may be there as it was."""
    given = {output.name.lower(): output for output in query.outputs} if query is not None else {}
    is_open = query is None or "*" in given
    outputs: list[Output] = []
    for feature, column in view.columns.items():
        output = given.get(column.lower())
        if output is not None:
            outputs.append(dataclasses.replace(output, name=feature))
        elif is_open:
            outputs.append(Output(feature, (), column, view.first_line))
    line = view.first_line if query is None else query.line
    meaning = "" if query is None else query.meaning
    return Statement("query", line, view.last_line, outputs=tuple(outputs), meaning=meaning)
