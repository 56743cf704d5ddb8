"""Functions, procedures, triggers and the like whose text changes: what that does to those who use them.

A function computes for its readers: another body is another meaning, no function is no result. What else a body does (a
procedure or a task that fills tables) is not read; one that changed and writes anything is an unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.change.order import order_migrations
from app.change.removal import ParsedFile, Removal
from app.change.sources import Sources
from app.change.steps import Routine
from app.change.world import Place
from app.reads import Statement
from app.words import Side, Unknown

_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_WRITES = re.compile(
    r"\b(insert|update|delete|merge|create|alter|drop|truncate|copy|execute|exec|call|rename)\b", re.IGNORECASE
)
#: what runs by itself or guards reads, whatever words are in it
_ALWAYS = frozenset({"policy", "rule", "package"})


@dataclass(frozen=True, slots=True)
class _Code:
    step: Routine
    place: Place
    text: str


def find_routine_changes(base: Sequence[ParsedFile], head: Sequence[ParsedFile], sources: Sources) -> list[Removal]:
    """What users of changed and dropped functions lose, and what triggers now write otherwise."""
    before, after = _find_code(base), _find_code(head)
    found: list[Removal] = []
    for key, old in sorted(before.items()):
        now = after.get(key)
        if now is None or now.text != old.text:
            found += _changed(old, now, after, head, sources)
    found += [
        _trigger(code, sources) for key, code in sorted(after.items()) if key not in before and code.step.relation
    ]
    return found


def find_unread_routines(base: Sequence[ParsedFile], head: Sequence[ParsedFile]) -> Iterator[Unknown]:
    """Changed bodies that write something, and nobody reads what."""
    before, after = _find_code(base), _find_code(head)
    for key, now in sorted(after.items()):
        old = before.get(key)
        if old is None or old.text == now.text:
            continue
        if now.step.kind in _ALWAYS or _WRITES.search(_body(now.text)) or _WRITES.search(_body(old.text)):
            what = f"the {now.step.kind} {now.step.name} in {now.place.path} changes"
            yield Unknown(what, "what its body does is not read", now.place.path, now.place.line)


def _body(text: str) -> str:
    """Behind the head, whose CREATE OR REPLACE says nothing."""
    return re.sub(r"^\s*(create(\s+or\s+(replace|alter))?|alter)\b", "", text, flags=re.IGNORECASE)


def _find_code(files: Sequence[ParsedFile]) -> dict[str, _Code]:
    """What stands at the end, migrations in order, then all other files."""
    found: dict[str, _Code] = {}
    migrations = order_migrations(f for f in files if f.kind == "migration")
    others = sorted((f for f in files if f.kind != "migration"), key=lambda f: f.path)
    for file in (*migrations, *others):
        for step in file.steps:
            if not isinstance(step, Routine):
                continue
            key = f"{file.path if step.temporary else ''} {step.kind} {step.name} {step.relation or ''}"
            if step.dropped:
                found.pop(key, None)
            else:
                found[key] = _Code(step, Place(file.path, step.line), _find_text(file, step))
    return found


def _find_text(file: ParsedFile, step: Routine) -> str:
    """The statement's lines without comments and layout; a body may go on behind its first semicolon."""
    ends = [s.end_line for s in file.statements if s.line <= step.line <= s.end_line]
    text = "\n".join(file.source[step.line - 1 : max(ends, default=step.line)])
    return " ".join(_COMMENT.sub(" ", text).split())


def _changed(
    old: _Code, now: _Code | None, after: dict[str, _Code], head: Sequence[ParsedFile], sources: Sources
) -> Iterator[Removal]:
    if old.step.relation is not None:
        yield _trigger(now or old, sources, "head" if now is not None else "base")
    if old.step.kind != "function":
        return
    for code in after.values():
        if code.step.function and _last(code.step.function) == _last(old.step.name):
            yield _trigger(code, sources)
    for file in head:
        for statement in file.statements:
            relation = statement.target or file.relation
            if relation is not None and _uses(file, statement, old.step.name):
                yield from _of_user(relation, statement, old, now, sources)


def _of_user(relation: str, statement: Statement, old: _Code, now: _Code | None, sources: Sources) -> Iterator[Removal]:
    """What a relation loses whose statement calls the function."""
    if now is None:
        detail = f"it calls {old.step.name}, which is dropped"
        yield Removal("view_invalidated", relation, None, sources.at(old.place, "base"), detail=detail)
        return
    detail = f"{old.step.name}, which computes it, has another body"
    evidence = sources.at(now.place, "head")
    for column in _find_outputs(statement, old.step.name):
        yield Removal("meaning_changed", relation, column, evidence, "values", "warn", detail=detail)


def _trigger(code: _Code, sources: Sources, side: Side = "head") -> Removal:
    detail = f"the {code.step.kind} {code.step.name} changes what is written to it"
    relation = code.step.relation or ""
    return Removal("meaning_changed", relation, None, sources.at(code.place, side), "values", "warn", detail=detail)


def _last(name: str) -> str:
    return name.rpartition(".")[2].strip('"').lower()


def _uses(file: ParsedFile, statement: Statement, name: str) -> bool:
    """The statement calls the function, in its own text or in what a template made of it."""
    if statement.kind in {"opaque", "inert", "ddl"}:
        return False
    text = _COMMENT.sub(" ", "\n".join(file.source[statement.line - 1 : statement.end_line]))
    called = re.search(rf"(?<![\w$]){re.escape(_last(name))}\s*\(", text, re.IGNORECASE)
    made = (*(output.expression for output in statement.outputs), statement.meaning)
    return called is not None or any(_calls(part, name) for part in made)


def _calls(text: str, name: str) -> bool:
    return re.search(rf"\banonymous\({re.escape(_last(name))}[,)]", text, re.IGNORECASE) is not None


def _find_outputs(statement: Statement, name: str) -> list[str | None]:
    """Outputs that the function computes; [None] where it does more than that (a filter, a table function)."""
    found: list[str | None] = [o.name for o in statement.outputs if _calls(o.expression, name)]
    return [None] if not found or _calls(statement.meaning, name) else found
