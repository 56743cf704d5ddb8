"""Queries that build no relation: the bare query of a file, and the query of a Feast view. What they give is lost like a column.

Each stands for a relation of its own, under a quoted name that no database has. Which feature such a column is, is told by
`.tether.yml`, by Feast or, at least as a question, by the file's name: `app.trail.features` knows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from app.change.compare import Comparison
from app.change.context import Texts
from app.change.feast import FeastView, find_all_feast_views
from app.change.removal import ParsedFile, Query, Removal
from app.change.renames import Renames
from app.change.replay import replay
from app.change.sources import Sources
from app.change.world import World
from app.reads import Clause, Name, Output, Statement
from app.words import Config, Unknown

_NOWHERE = World({}, {}, {})


def find_query_removals(
    base: Sequence[ParsedFile],
    head: Sequence[ParsedFile],
    sources: Sources,
    changed: frozenset[str],
    config: Config,
    texts: tuple[Texts, Texts] = ({}, {}),
) -> tuple[list[Removal], dict[str, Query], tuple[Unknown, ...]]:
    """What changed queries give no longer, the queries themselves by the names in these removals, and views that are gone
    whose features nobody can name.

    `texts` are the files of both sides: a Feast view may stand in one that holds no SQL.
    """
    mapped = {entry.sql.removeprefix("./") for entry in config.features.values() if entry.sql is not None}
    before, after = _find_queries(base, changed, mapped), _find_queries(head, changed, mapped)
    views = _find_views(base, changed, texts[0]), _find_views(head, changed, texts[1])
    before |= {name: one.build() for name, one in views[0].items()}
    after |= {name: one.build() for name, one in views[1].items() if not _is_undecided(views[0].get(name), one)}
    sources = Sources({**_lines(views[0]), **sources.base}, {**_lines(views[1]), **sources.head})
    old, new = _replay(before), _replay(after)
    compared = Comparison(old, new, _NOWHERE, _NOWHERE, sources, changed, Renames(), definitional=True)
    removals = [_doubt(r, before) for r in compared.removals() if _counts(r, before, mapped)]
    queries = {removal.relation: before[removal.relation][1] for removal in removals}
    return (
        removals,
        queries,
        tuple(_nameless(one) for name, one in views[0].items() if _is_lost(one, views[1].get(name))),
    )


def _is_lost(old: _Seen, new: _Seen | None) -> bool:
    """Feast takes all columns of the source for the features of a view without fields."""
    return new is None and old.view.is_open and not old.view.columns and not old.queries


def _nameless(gone: _Seen) -> Unknown:
    why = "it is taken away, and its file does not say which features it has; leave it until no model takes one of them"
    return Unknown(f"feature view {gone.view.name}", why, gone.path, gone.view.first_line)


def _replay(found: dict[str, tuple[ParsedFile, Query]]) -> World:
    """A view without a single feature is known to have none."""
    world = replay((file for file, _ in found.values()), {}, {}, definitional=True)
    whole = {
        name: dataclasses.replace(state, known=True)
        for name, state in world.relations.items()
        if state is not None and not state.columns and not state.stars
    }
    return dataclasses.replace(world, relations={**world.relations, **whole})


def _counts(removal: Removal, before: dict[str, tuple[ParsedFile, Query]], mapped: set[str]) -> bool:
    """By its name alone, a file is only asked for what is gone."""
    query = before[removal.relation][1]
    return query.certain or query.path in mapped or removal.level == "block"


def _doubt(removal: Removal, before: dict[str, tuple[ParsedFile, Query]]) -> Removal:
    """A whole view that is not found any more may have a source that is no constant query now."""
    is_view = before[removal.relation][1].certain
    is_gone = removal.column is None and removal.level == "block"
    return dataclasses.replace(removal, certain=False) if is_view and is_gone else removal


def _find_queries(
    files: Sequence[ParsedFile], changed: frozenset[str], mapped: set[str]
) -> dict[str, tuple[ParsedFile, Query]]:
    """By the name of each: a file of its own, with one statement that builds this name."""
    found: dict[str, tuple[ParsedFile, Query]] = {}
    for path in sorted({file.path for file in files if file.path in changed}):
        own = [file for file in files if file.path == path]
        if not path.endswith(".py") and own[0].kind == "definition" and (queries := _bare_queries(own)):
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
    meaning = tuple(clause for query in queries for clause in query.meaning)
    return dataclasses.replace(queries[0], outputs=outputs, meaning=meaning)


def _file_of(file: ParsedFile, name: str, statement: Statement) -> ParsedFile:
    statements = (dataclasses.replace(statement, target=name),)
    return ParsedFile(file.path, "definition", file.dialect, file.source, statements)


# --- Feast ---------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class _Seen:
    """A view, and those of its queries that could be read."""

    path: str
    lines: tuple[str, ...]
    view: FeastView
    queries: tuple[Statement, ...]

    @property
    def is_read(self) -> bool:
        """Each of them, and they give the same columns: which one it is makes no difference then."""
        given = {frozenset(output.name.lower() for output in query.outputs) for query in self.queries}
        return len(self.queries) >= self.view.queries and len(given) <= 1

    def build(self) -> tuple[ParsedFile, Query]:
        statement = _features_of(self.view, _join(self.queries) if self.queries and self.is_read else None)
        name = f'"feature view {self.view.name}"'
        file = ParsedFile(self.path, "definition", "", self.lines, (dataclasses.replace(statement, target=name),))
        columns = tuple(output.name for output in statement.outputs)
        return file, Query(self.path, self.view.name, columns, certain=True)


def _find_views(files: Sequence[ParsedFile], changed: frozenset[str], texts: Texts) -> dict[str, _Seen]:
    """The views of the changed Python files, by the name that stands for each."""
    found: dict[str, _Seen] = {}
    for path in sorted(path for path in changed if path.endswith(".py")):
        own = [file for file in files if file.path == path]
        lines = own[0].source if own else tuple(texts.get(path, "").split("\n"))
        queries = _bare_queries(own)
        for view in find_all_feast_views("\n".join(lines)):
            inside = tuple(q for q in queries if view.queries and view.first_line <= q.line <= view.last_line)
            found[f'"feature view {view.name}"'] = _Seen(path, lines, view, inside)
    return found


def _lines(views: dict[str, _Seen]) -> dict[str, tuple[str, ...]]:
    return {one.path: one.lines for one in views.values()}


def _is_undecided(before: _Seen | None, after: _Seen) -> bool:
    """Whether the view is another one now, and what it gives could not be told: nobody knows that it gives what it gave."""
    if before is None:
        return False
    old, new = before.view, after.view
    unknown_source = not after.is_read or bool(old.queries) != bool(new.queries)
    if old.source != new.source and unknown_source:
        return True
    is_known = after.is_read and bool(new.queries)
    return old.fields != new.fields and new.is_open and not (new.is_told and is_known)


def _features_of(view: FeastView, query: Statement | None) -> Statement:
    """The view's features as outputs. Behind a source that is not read, or a star, each may be there as it was."""
    given = {output.name.lower(): output for output in query.outputs} if query is not None else {}
    outputs: list[Output] = []
    for feature, column in _columns_of(view, query).items():
        output = given.get(column.lower())
        if output is not None:
            outputs.append(dataclasses.replace(output, name=feature))
        elif query is None or "*" in given:
            outputs.append(Output(feature, (), Name(column), view.first_line))
    line = view.first_line if query is None else query.line
    meaning = (Clause("from", (Name(view.source),)),) if query is None else query.meaning
    return Statement("query", line, view.last_line, outputs=tuple(outputs), meaning=meaning)


def _columns_of(view: FeastView, query: Statement | None) -> dict[str, str]:
    """Feature -> column; where the fields do not tell, every column of the query is one."""
    if query is None or not view.is_open:
        return dict(view.columns)
    features = {column.lower(): feature for feature, column in view.mapping.items()}
    names = [output.name for output in query.outputs if output.name != "*"]
    return {**{features.get(name.lower(), name): name for name in names}, **view.columns}
