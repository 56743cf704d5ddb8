"""The page of this room: two parsed trees -> everything that the second takes away.

parse (child process) -> replay both trees -> compare the end states -> what stands on them (frozen views, positions) ->
what could not be read. Who is hit, and whether a reader takes a new type, is deliberately absent: `app.trail` walks on from here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from app.change.additions import find_additions, find_marks
from app.change.code_sql import doubt_unfilled, find_code_removals, take_in_code
from app.change.compare import Comparison
from app.change.context import Context, Texts
from app.change.fields import find_lost_fields
from app.change.files import is_relevant
from app.change.frozen import find_invalidated
from app.change.incremental import find_incremental
from app.change.missing import find_missing, find_unresolved
from app.change.model_tables import translate_models
from app.change.out_of_order import find_late
from app.change.paths import find_root
from app.change.positions import find_position_changes
from app.change.queries import find_query_removals
from app.change.removal import ParsedFile, Removal, RemovalReport
from app.change.renames import Renames
from app.change.routines import find_routine_changes
from app.change.schema import Worlds, find_worlds, schema_of
from app.change.scratch import set_scratch_aside
from app.change.sources import Sources
from app.change.squashed import find_lost_since
from app.change.trials import find_tried
from app.change.twins import set_twins_aside
from app.change.unread import find_unread
from app.change.ways import find_ways, join_ways
from app.words import Config, Schema


def find_removals(
    base: Sequence[ParsedFile],
    head: Sequence[ParsedFile],
    *,
    changed: frozenset[str],
    catalog: Schema,
    config: Config,
    readers: Sequence[ParsedFile] = (),
    texts: tuple[Texts, Texts] = ({}, {}),
) -> RemovalReport:
    """Both trees whole (unchanged files too); `changed` are the paths that the pull request touches, old and new names.

    `readers` is the SQL of everybody else: what is taken by position may be taken there. `texts` are all files of base and
    head as they are written: macros change what others give.
    Removals are sorted by relation and column. Every changed text that could not be read is in `unknowns`.
    """
    reports = [
        _find(*way, changed=changed, catalog=catalog, config=config, readers=readers, texts=texts)
        for way in find_ways(base, head, changed)
    ]
    return join_ways(reports, (base, head), changed)


def _doubt_unread(removals: Iterable[Removal], head: Sequence[ParsedFile], changed: frozenset[str]) -> list[Removal]:
    """What stood in a file that the change made unreadable may stand there as before: nobody saw it go. So may a relation
    whose file is there and has its name without the schema: nobody can tell any more where it is built."""
    unread = {file.path for file in head if file.unknowns} & changed
    partial = {(file.path, file.relation) for file in head if file.templated and file.relation is not None}

    def is_doubtful(removal: Removal) -> bool:
        path, parts = removal.evidence.path, removal.relation.split(".")
        shorter = (".".join(parts[first:]) for first in range(1, len(parts)))
        return removal.evidence.side == "base" and (path in unread or any((path, name) in partial for name in shorter))

    return [dataclasses.replace(one, certain=False) if is_doubtful(one) else one for one in removals]


def _find(
    base: Sequence[ParsedFile],
    head: Sequence[ParsedFile],
    *,
    changed: frozenset[str],
    catalog: Schema,
    config: Config,
    readers: Sequence[ParsedFile],
    texts: tuple[Texts, Texts],
) -> RemovalReport:
    paths = texts[0].keys() | texts[1].keys()
    base, head = (set_twins_aside(translate_models(files), paths, config) for files in (base, head))
    scratch = set_scratch_aside(base, head, paths, changed, catalog, config)
    base, head = scratch.base, scratch.head
    before, after = find_worlds(take_in_code(base), catalog), find_worlds(take_in_code(head), catalog)
    sources = Sources(_lines(base), _lines(head))
    removals = [*_compare(before, after, sources, changed, Renames())]
    if renames := Renames.of(removals):
        removals = [*_compare(before, after, sources, changed, renames)]
    removals = _doubt_unread(doubt_unfilled(removals, head, texts[1], changed), head, changed)
    removals += find_code_removals(base, head, schema_of(after, catalog), sources, changed)
    removals += find_lost_since(base, head, before.migrations, after.migrations, sources, catalog)
    added = find_additions(before, after, sources, catalog)
    removals += find_invalidated([*removals, *added], head, readers, changed)
    removals += find_missing(base, head, after, sources, catalog)
    removals += find_lost_fields(before, after, head, sources)
    unbuilt = [*find_unresolved(base, head, (before, after), sources, changed)]
    removals = [r for r in removals if r.effect == "stops" or r.relation not in {u.relation for u in unbuilt}] + unbuilt
    removals += find_incremental(before.definitions, after.definitions, sources)
    removals += find_routine_changes(base, head, readers, sources)
    late, users = find_late(base, head), (*head, *readers)
    removals += find_position_changes(before, after, users, sources, catalog, removals, changed, late)
    lost, queries, nameless = find_query_removals(base, head, sources, changed, config, texts)
    context = Context(before, after, sources, *texts, changed)
    return RemovalReport(
        removals=context.add(_strongest([*removals, *lost, *scratch.removals])),
        unknowns=(*find_unread(base, head, changed, catalog, config), *nameless),
        base_schema=schema_of(before, catalog),
        head_schema=schema_of(after, catalog),
        created=_created(before, after, catalog) | queries.keys() | _find_unbuilt(base, texts[0], catalog),
        queries=queries,
        added=added,
        marks=find_marks(before, after, removals, added, catalog),
        files=tuple(sorted(path for path in changed if is_relevant(path, config) and not _is_excluded(path, config))),
    )


def _is_excluded(path: str, config: Config) -> bool:
    root = find_root(path, config)
    return root is not None and root.kind == "ignore"


def _lines(files: Iterable[ParsedFile]) -> dict[str, tuple[str, ...]]:
    return {file.path: file.source for file in files}


def _compare(
    before: Worlds, after: Worlds, sources: Sources, changed: frozenset[str], renames: Renames
) -> Iterable[Removal]:
    old, new = before.migrations, after.migrations
    was, now = before.definitions, after.definitions
    yield from Comparison(old, new, now, was, sources, changed, renames, definitional=False).removals()
    yield from Comparison(was, now, new, old, sources, changed, renames, definitional=True).removals()


def _strongest(removals: Iterable[Removal]) -> tuple[Removal, ...]:
    """One removal for each kind, relation and column: the two worlds may say the same."""
    best: dict[tuple[str, str, str, str], Removal] = {}
    for removal in removals:
        key = (removal.relation, removal.column or "", removal.kind, removal.detail)
        known = best.get(key)
        if known is None or _weight(removal) > _weight(known):
            best[key] = removal
    return tuple(best[key] for key in sorted(best))


def _weight(removal: Removal) -> tuple[bool, bool]:
    return (removal.level == "block", removal.certain)


def _find_unbuilt(base: Sequence[ParsedFile], texts: Texts, catalog: Schema) -> frozenset[str]:
    """What dbt writes into its readers, or builds to try out a package: the warehouse has no such relation, so all that reads
    it is in the repository."""
    own = {file.relation for file in base if file.materialized == "ephemeral" and file.relation is not None}
    return frozenset((own | find_tried(base, texts)) - set(catalog))


def _created(before: Worlds, after: Worlds, catalog: Schema) -> frozenset[str]:
    def declared(worlds: Worlds) -> set[str]:
        both = (worlds.migrations.relations, worlds.definitions.relations)
        return {name for world in both for name, state in world.items() if state is not None and state.declared}

    return frozenset(declared(after) - declared(before) - set(catalog))
