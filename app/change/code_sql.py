"""Constant SQL in Python: what it fills is compared like a definition, what it takes away may happen.

A program that loads a table runs again and again, as a definition does. Whether and when its DDL runs nobody can tell, so what
that takes away is uncertain. SQL of tests is left out: their tables only share names with those of others.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from app.change import steps as ddl
from app.change.compare import UNFILLED, Comparison
from app.change.context import Texts
from app.change.removal import ParsedFile, Removal
from app.change.renames import Renames
from app.change.replay import replay
from app.change.sources import Sources
from app.change.world import World
from app.reads import find_words
from app.words import Schema

_LOADS = frozenset({"insert", "merge", "update", "create_table_as", "create_view"})
_MAKES = frozenset({"create_table", "create_table_as", "create_view"})
_TAKES = (
    ddl.DropTable
    | ddl.DropView
    | ddl.DropSchema
    | ddl.RenameSchema
    | ddl.RenameTable
    | ddl.SwapTables
    | ddl.DropColumn
    | ddl.RenameColumn
    | ddl.ReplaceColumns
    | ddl.AlterType
)
_MAY_RUN = "SQL in code: whether and when it runs cannot be told"
_WRITES = frozenset({"insert", "merge", "update", "overwrite"})


def is_code(file: ParsedFile) -> bool:
    """SQL out of a Python file that is neither a migration nor a test."""
    pure = PurePosixPath(file.path)
    if file.kind != "other" or pure.suffix != ".py":
        return False
    tested = pure.name.startswith("test_") or pure.stem.endswith("_test") or pure.name == "conftest.py"
    return not tested and not {"test", "tests"} & {part.lower() for part in pure.parts[:-1]}


def take_in_code(files: Sequence[ParsedFile]) -> list[ParsedFile]:
    """The same files; SQL in code that fills tables, or makes them from a query, counts as a definition."""
    return [_as_definition(file) if is_code(file) else file for file in files]


def _as_definition(file: ParsedFile) -> ParsedFile:
    statements = tuple(s for s in file.statements if s.kind in _LOADS and s.target is not None)
    if not statements:
        return file
    made = {s.target for s in statements if s.kind not in {"insert", "merge", "update"}}
    steps = tuple(s for s in file.steps if isinstance(s, ddl.CreateTable | ddl.CreateView) and _is_kept(s, made))
    return dataclasses.replace(file, kind="definition", statements=statements, steps=steps)


def _is_kept(step: ddl.CreateTable | ddl.CreateView, made: set[str | None]) -> bool:
    return step.temporary or step.relation in made


def find_code_removals(
    base: Sequence[ParsedFile], head: Sequence[ParsedFile], schema: Schema, sources: Sources, changed: frozenset[str]
) -> Iterator[Removal]:
    """What new DDL in changed code would take from relations that are known. `schema`: all of the head's."""
    known = Counter(_key(step) for file in base if is_code(file) for step in file.steps)
    files = [_new_steps(file, known, schema) for file in head if is_code(file) and file.path in changed]
    if not any(isinstance(step, _TAKES) for file in files for step in file.steps):
        return
    before, after = World({}, {}, schema), replay(files, schema, {}, definitional=True)
    nowhere = World({}, {}, {})
    compared = Comparison(before, after, nowhere, nowhere, sources, changed, Renames(), definitional=False)
    for removal in compared.removals():
        if removal.level == "block":
            yield dataclasses.replace(removal, certain=False, detail=removal.detail or _MAY_RUN)


def _key(step: object) -> str:
    return repr(dataclasses.replace(step, line=0)) if dataclasses.is_dataclass(step) else ""  # type: ignore[type-var]


def _new_steps(file: ParsedFile, known: Counter[str], schema: Schema) -> ParsedFile:
    """What the base does as well is no news. Tables that the code makes anew are there again, so their CREATEs stay."""
    kept: list[object] = []
    for step in file.steps:
        if isinstance(step, ddl.CreateTable | ddl.CreateView):
            kept.append(step)
        elif isinstance(step, _TAKES) and known[_key(step)] > 0:
            known[_key(step)] -= 1
        elif isinstance(step, _TAKES) and _is_known(step, schema):
            kept.append(step)
    statements = tuple(s for s in file.statements if s.kind in _MAKES)
    return dataclasses.replace(file, kind="definition", steps=tuple(kept), statements=statements)


def _is_known(step: object, schema: Schema) -> bool:
    names = [getattr(step, name, None) for name in ("relation", "old", "first", "second", "schema")]
    return any(name in schema or any(r.startswith(f"{name}.") for r in schema) for name in names if name)


# --- who else may fill it ------------------------------------------------------------------------------------------


def doubt_unfilled(
    removals: Sequence[Removal], head: Sequence[ParsedFile], texts: Texts, changed: frozenset[str]
) -> list[Removal]:
    """A loader that is gone may have become code without constant SQL, or the body of a routine: then nobody can tell."""
    return [
        dataclasses.replace(r, certain=False) if _was_filled(r) and _may_be_filled(r, head, texts, changed) else r
        for r in removals
    ]


def _was_filled(removal: Removal) -> bool:
    return removal.detail == UNFILLED or (removal.evidence.path.endswith(".py") and removal.evidence.side == "base")


def _may_be_filled(removal: Removal, head: Sequence[ParsedFile], texts: Texts, changed: frozenset[str]) -> bool:
    name = removal.relation.rpartition(".")[2].strip('"').lower()
    filling = {file.path for file in head for s in file.statements if s.target == removal.relation}
    for path in sorted(changed & texts.keys()):
        if path.endswith(".py") and path not in filling and name in find_words(texts[path], language="python")[0]:
            return True
    for file in head:
        if file.path in changed and any(isinstance(step, ddl.Routine | ddl.Opaque) for step in file.steps):
            words, _ = find_words("\n".join(file.source), language="sql")
            if name in words and words & _WRITES:
                return True
    return False
