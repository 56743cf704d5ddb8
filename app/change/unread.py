"""Changed SQL that could not be read: each piece makes the pull request unassessable, wherever it is not the same as before.

What was unreadable before and did not change is nobody's news here; the trail looks at it as a possible reader.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from app.change.files import find_home, find_sequence
from app.change.foreign import is_code_migration
from app.change.order import find_heads, find_included
from app.change.paths import is_migration_root
from app.change.removal import ParsedFile
from app.change.routines import find_unread_routines
from app.change.steps import Opaque
from app.words import Config, Schema, Unknown


def find_unread(
    base: Sequence[ParsedFile],
    head: Sequence[ParsedFile],
    changed: frozenset[str],
    catalog: Schema,
    config: Config,
) -> tuple[Unknown, ...]:
    """Reasons with path and line, in the order of the files, each once."""
    base, head = ([file for file in files if not _is_pattern(file)] for files in (base, head))
    found = [
        *_files(base, head, changed),
        *_base_files(base, head, changed, catalog),
        *_statements(base, head, changed, "is not understood"),
        *_statements(head, base, changed, "was taken out or changed, and what it did is not understood"),
        *_unparsed(base, head, changed, config),
        *find_unread_routines(base, head),
        *find_conflicts(base, head, changed),
    ]
    return tuple(dict.fromkeys(found))


def _is_pattern(file: ParsedFile) -> bool:
    """A template in the folder of a tool (`.dbt_coves/templates/x.sql`): people's files are made from it, and no table is."""
    hidden = any(folder.startswith(".") for folder in file.path.split("/")[:-1])
    return hidden and not file.templated and any("{%" in line or "{{" in line for line in file.source)


def find_conflicts(
    base: Sequence[ParsedFile], head: Sequence[ParsedFile], changed: frozenset[str]
) -> tuple[Unknown, ...]:
    """Migrations of the change whose place nobody knows, beside those of `head`: of the change itself, or of what was merged
    meanwhile (then `base` is that)."""
    return (*_conflicts(head, changed), *_forks(base, head, changed))


def _reasons(file: ParsedFile) -> frozenset[tuple[str, str]]:
    return frozenset((unknown.what, unknown.why) for unknown in file.unknowns)


def _files(base: Sequence[ParsedFile], head: Sequence[ParsedFile], changed: frozenset[str]) -> Iterator[Unknown]:
    before = {(file.path, reason) for file in base for reason in _reasons(file)}
    texts = {file.source for file in base if file.unknowns}
    for file in head:
        for unknown in file.unknowns:
            is_news = file.path in changed or (file.path, (unknown.what, unknown.why)) not in before
            if is_news and not (file.source and file.source in texts):
                yield unknown


def _base_files(
    base: Sequence[ParsedFile], head: Sequence[ParsedFile], changed: frozenset[str], catalog: Schema
) -> Iterator[Unknown]:
    """The old version could not be read: what it gave is known only where the catalog or its name tells."""
    texts = {file.source for file in head}
    for file in base:
        if not file.unknowns or file.path not in changed or file.source in texts:
            continue
        if file.relation is not None and file.relation in catalog:
            continue
        still_unread = any(other.path == file.path and other.unknowns for other in head)
        if not still_unread:
            why = f"its version before this change could not be read: {file.unknowns[0].why}"
            yield Unknown(f"what {file.path} gave before", why, file.path, file.unknowns[0].line)


def _opaque(files: Sequence[ParsedFile]) -> list[tuple[ParsedFile, Opaque]]:
    return [(file, step) for file in files if file.kind != "other" for step in file.steps if isinstance(step, Opaque)]


def _statements(
    before: Sequence[ParsedFile], after: Sequence[ParsedFile], changed: frozenset[str], what: str
) -> Iterator[Unknown]:
    known = Counter(step.text for _, step in _opaque(before))
    there = {(file.path, step) for file, step in _opaque(before) if file.path not in changed}
    for file, step in _opaque(after):
        if known[step.text] > 0 and step.text:
            known[step.text] -= 1
        elif (file.path, step) not in there:
            yield Unknown(f"a statement in {file.path} {what}", step.why, file.path, step.line)


def _unparsed(
    base: Sequence[ParsedFile], head: Sequence[ParsedFile], changed: frozenset[str], config: Config
) -> Iterator[Unknown]:
    """Python in a folder of migrations whose text nobody handed over: silence would be a false pass."""
    parsed = {file.path for file in (*base, *head)}
    for path in sorted(changed - parsed):
        placed = is_code_migration(path) or (path.endswith(".py") and is_migration_root(path, config))
        if placed:
            yield Unknown(f"the migration {path}", "it is not SQL, and its operations were not read", path, 1)


def _conflicts(head: Sequence[ParsedFile], changed: frozenset[str]) -> Iterator[Unknown]:
    """Two migrations with one number: which comes first depends on the tool, or it refuses both."""
    numbers: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    ordered = {file.path for file in head if file.revision} | find_included(f for f in head if f.kind == "migration")
    for path in sorted({file.path for file in head if file.kind == "migration"}):
        sequence = find_sequence(path) if path not in ordered else None
        if sequence is not None:
            numbers.setdefault(sequence, []).append(path)
    for paths in numbers.values():
        mine = [path for path in paths if path in changed]
        if len(paths) > 1 and mine:
            others = ", ".join(path for path in paths if path != mine[0])
            yield Unknown(f"the order of {mine[0]}", f"it has the same number as {others}", mine[0], 1)


def _forks(base: Sequence[ParsedFile], head: Sequence[ParsedFile], changed: frozenset[str]) -> Iterator[Unknown]:
    """Alembic: two revisions that nothing follows. Which comes last is not told, and the tool refuses to upgrade."""
    before = {path for paths in _heads(base).values() if len(paths) > 1 for path in paths}
    for paths in _heads(head).values():
        if len(paths) > 1 and not set(paths) <= before:
            first = min((path for path in paths if path not in before), key=lambda path: (path not in changed, path))
            others = ", ".join(path for path in paths if path != first)
            yield Unknown(f"the order of {first}", f"no revision follows it, nor {others}", first, 1)


def _heads(files: Sequence[ParsedFile]) -> dict[str, list[str]]:
    homes: dict[str, list[ParsedFile]] = {}
    for file in files:
        if file.revision:
            homes.setdefault(find_home(file.path), []).append(file)
    return {home: sorted(file.path for file in find_heads(group)) for home, group in homes.items()}
