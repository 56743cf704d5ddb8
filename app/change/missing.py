"""Definitions of the head that cannot be built: they read a column which their source (a relation, a query of their own text) is
known not to have, or name a model or source that no file has any more.

Nothing left the source, so no removal stands there; the definition itself took up a name that is nowhere (a typo, another
relation, a version that lacks it). Only where files tell the whole list of the source's columns, and the catalog none more. The
catalog alone is believed where a definition turns to another relation for a column: it lags behind one that is merely new.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence, Set
from typing import Final

from app.change.removal import ParsedFile, Removal
from app.change.schema import Worlds
from app.change.sources import Sources
from app.change.world import Place
from app.reads import Read
from app.render import PACKAGES
from app.words import Schema

_DEFINES: Final = frozenset({"query", "create_view", "create_table_as", "insert", "merge", "create_model"})
#: names that engines and tools answer without a column: no list of columns has them
_PSEUDO: Final = frozenset({
    "rowid", "rownum", "rowversion", "level", "ctid", "oid", "xmin", "xmax", "tableoid", "ora_rowscn", "sysdate", "systimestamp",
    "user", "current_user", "session_user", "localtime", "localtimestamp", "value", "true", "false", "nextval", "currval",
})  # fmt: skip
#: clauses whose own output names are not told from columns of the table beneath
_NAMES_ANEW: Final = re.compile(r"\bmatch_recognize\b", re.IGNORECASE)
_PSEUDO_STARTS: Final = ("_", "$", "metadata$", "dbt_", "input__", "block__", "row__", "@", ":")


def find_missing(
    base: Sequence[ParsedFile],
    head: Sequence[ParsedFile],
    after: Worlds,
    sources: Sources,
    catalog: Schema,
) -> Iterator[Removal]:
    """Each relation that can no longer be built, once, at the first line that reads what is not there."""
    reads = list(_find_reads(head))
    known = {(target, read.relation, read.column) for target, read, _ in _find_reads(base)}
    kept = {(target, relation) for target, relation, _ in known} & {
        (target, read.relation) for target, read, _ in reads
    }
    left = {(target, column) for target, relation, column in known if (target, relation) not in kept}
    targets = {target for target, _, _ in known}
    seen: set[str] = set()
    for target, read, path in reads:
        if target in seen or target not in targets or (target, read.relation, read.column) in known:
            continue
        turned = (target, read.relation) not in kept and (target, read.column) in left
        nowhere = not read.relation and not _is_pseudo(read)
        if nowhere or _is_missing(after, read, catalog) or (turned and _lacks(after, read, catalog)):
            seen.add(target)
            whose = f"of {read.relation}, which has" if read.relation else "of its own queries, which have"
            detail = f"it reads {read.column} {whose} no such column"
            yield Removal("view_invalidated", target, None, sources.at(Place(path, read.line), "head"), detail=detail)


def find_unresolved(
    base: Sequence[ParsedFile],
    head: Sequence[ParsedFile],
    worlds: tuple[Worlds, Worlds],
    sources: Sources,
    changed: Collection[str],
) -> Iterator[Removal]:
    """Models whose `ref` or `source` leads nowhere any more. What never led anywhere counts only where the repository has
    everything else that is named, so that no package can have it.

    Where the relation that is read fell away itself, that is the removal.
    """
    before, after = worlds
    moved = any(path.endswith(PACKAGES) for path in changed)
    closed = all(state == "found" for file in base for _, state in file.refs)
    had = {name for file in base for name, state in file.refs if state == "found"}
    were = {(file.relation, name) for file in base for name, state in file.refs if state != "found"}
    built = {file.relation for file in base if file.relation is not None}
    gone = before.definitions.relations.keys() - after.definitions.relations.keys()
    for file in head:
        target = file.relation
        if target is None or target not in built:
            continue
        for name, state in file.refs:
            lost = (closed and state == "absent") or (name in had and state != "found" and not moved)
            if lost and (target, name) not in were and not _reads_any(file, gone):
                place = sources.at(Place(file.path, _find_line(file, name)), "head")
                yield Removal("view_invalidated", target, None, place, detail=f"nothing is called {name} any more")
                break


def _reads_any(file: ParsedFile, relations: Set[str]) -> bool:
    return any(read.relation in relations for statement in file.statements for read in statement.reads)


def _find_line(file: ParsedFile, name: str) -> int:
    """Where the template writes the last part of the name."""
    word = name.rpartition("', '")[2].split("'")[-2]
    pattern = re.compile(rf"""["']{re.escape(word)}["']""")
    return next((number for number, line in enumerate(file.source, 1) if pattern.search(line)), 1)


def _find_reads(files: Sequence[ParsedFile]) -> Iterator[tuple[str, Read, str]]:
    for file in files:
        if file.kind != "definition" or any(_NAMES_ANEW.search(line) for line in file.source):
            continue
        for statement in file.statements:
            if statement.kind in _DEFINES and statement.target is not None and not statement.temporary:
                for read in (*statement.reads, *statement.nowhere):
                    if read.certain and read.kind == "read" and read.column != "*" and not _is_dotted(read, file):
                        yield statement.target, read, file.path


def _is_dotted(read: Read, file: ParsedFile) -> bool:
    """Something hangs on the name: a field of it, or it is no column at all but a sequence or a row of another clause."""
    name = re.escape(read.column.strip('"'))
    return any(re.search(rf"(?<![\w$]){name}[\"`\]]?\s*\.", line, re.IGNORECASE) for line in file.source)


def _lacks(after: Worlds, read: Read, catalog: Schema) -> bool:
    """The catalog lists the relation's columns without this one, and no file speaks of the relation."""
    worlds = (after.definitions.relations, after.migrations.relations)
    spoken = any(world.get(read.relation) is not None for world in worlds)
    return not spoken and bool(catalog.get(read.relation)) and not _may_have(catalog, read)


def _may_have(catalog: Schema, read: Read) -> bool:
    """The catalog has the column, or engines answer the name without one."""
    name = read.column.strip('"').lower()
    return _is_pseudo(read) or any(name == other.strip('"').lower() for other in catalog.get(read.relation, {}))


def _is_pseudo(read: Read) -> bool:
    name = read.column.strip('"').lower()
    return name in _PSEUDO or name.startswith(_PSEUDO_STARTS)


def _is_missing(after: Worlds, read: Read, catalog: Schema) -> bool:
    if _may_have(catalog, read):
        return False
    name = read.column.strip('"').lower()
    worlds = (after.definitions.relations, after.migrations.relations)
    states = [state for world in worlds if (state := world.get(read.relation)) is not None]
    return bool(states) and all(
        state.declared
        and state.known
        and not state.unread
        and not state.open_fill
        and all(name != other.strip('"').lower() for other in state.columns)
        for state in states
    )
