"""Functions, procedures, triggers and the like whose text changes: what that does to those who use them.

A function computes for its readers: another body is another meaning, no function is no result. What else a body does (a
procedure or a task that fills tables) is not read; one that changed and writes anything is an unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from app.change.lasting import find_lasting
from app.change.order import order_migrations
from app.change.removal import ParsedFile, Removal
from app.change.sources import Sources
from app.change.steps import Routine
from app.change.world import Place
from app.reads import Call, Expression, Statement, find_nodes
from app.words import Evidence, Unknown

_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_WRITES = re.compile(
    r"\b(insert|update|delete|merge|create|alter|drop|truncate|copy|execute|exec|call|rename)\b", re.IGNORECASE
)
#: what runs by itself or guards reads, whatever words are in it
_ALWAYS = frozenset({"policy", "rule", "package"})


#: functions of PostgreSQL's own, which name each column that they need (its documentation, "Trigger Functions")
_BUILT_IN = frozenset({
    "suppress_redundant_updates_trigger", "tsvector_update_trigger", "tsvector_update_trigger_column",
})  # fmt: skip
#: where a trigger is made -> the text of its function; None where no file has it
TriggerBodies: TypeAlias = Mapping[tuple[str, int], str | None]


@dataclass(frozen=True, slots=True)
class _Code:
    step: Routine
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class _Codes:
    """What stands at the end, by kind and name, and where what does not stand any more was dropped."""

    standing: dict[str, _Code]
    dropped: dict[str, Place]


def find_routine_changes(
    base: Sequence[ParsedFile], head: Sequence[ParsedFile], readers: Sequence[ParsedFile], sources: Sources
) -> list[Removal]:
    """What users of changed and dropped functions lose, and what triggers now write otherwise.

    `readers` is the SQL of everybody else, who may call them as well.
    """
    codes, after = _find_codes(base), _find_codes(head)
    before = codes.standing
    blind = {key: place for key, place in after.dropped.items() if key not in before and key not in codes.dropped}
    if before == after.standing and not blind:
        return []
    users = [*_find_users(head), *_find_users(readers)]
    found = [
        removal
        for key, place in sorted(blind.items())
        if key not in after.standing and key.split()[0] == "function"
        for user in users
        for removal in _of_user(user, key.split()[1], sources.at(place, "head"), gone=True)
    ]
    for key, old in sorted(before.items()):
        now = after.standing.get(key)
        if now is not None and now.text == old.text:
            continue
        place = now.place if now is not None else after.dropped.get(key)
        evidence = sources.at(old.place, "base") if place is None else sources.at(place, "head")
        if old.step.relation is not None:
            found.append(_trigger(now or old, evidence))
        if old.step.kind == "function":
            fired = [c for c in after.standing.values() if _last(c.step.function) == _last(old.step.name)]
            found += [_trigger(code, sources.at(code.place, "head")) for code in fired]
            found += [r for user in users for r in _of_user(user, old.step.name, evidence, gone=now is None)]
    new = [code for key, code in sorted(after.standing.items()) if key not in before]
    return found + [_trigger(code, sources.at(code.place, "head")) for code in new if code.step.relation]


def find_unread_routines(base: Sequence[ParsedFile], head: Sequence[ParsedFile]) -> Iterator[Unknown]:
    """Changed bodies that write something, and nobody reads what."""
    before, after = _find_codes(base).standing, _find_codes(head).standing
    for key, now in sorted(after.items()):
        old = before.get(key)
        if old is None or old.text == now.text:
            continue
        if now.step.kind in _ALWAYS or _WRITES.search(_body(now.text)) or _WRITES.search(_body(old.text)):
            what = f"the {now.step.kind} {now.step.name} in {now.place.path} changes"
            yield Unknown(what, "what its body does is not read", now.place.path, now.place.line)


def find_gone(files: Sequence[ParsedFile]) -> frozenset[tuple[str, int]]:
    """Where routines are made that something later drops or makes anew; so does what drops a trigger's function."""
    codes = _find_codes(files)
    standing = {(code.place.path, code.place.line) for code in codes.standing.values()}
    kept = {_last(code.step.name) for code in codes.standing.values() if code.step.kind == "function"}
    dropped = {_last(key.split()[1]) for key in codes.dropped if key.split()[0] == "function"} - kept
    return frozenset(
        (file.path, step.line)
        for file in files
        for step in file.steps
        if isinstance(step, Routine) and not step.dropped
        if (file.path, step.line) not in standing or _last(step.function) in dropped
    )


def find_trigger_bodies(files: Sequence[ParsedFile]) -> TriggerBodies:
    """Of triggers that call a function: all that any file ever gave it as its body, for which one stands is hard to tell
    (another may differ in its arguments alone).
    """
    routines = [(file, step) for file in files for step in file.steps if isinstance(step, Routine) and not step.dropped]
    bodies: dict[str, list[str]] = {}
    for file, step in routines:
        if step.kind == "function":
            bodies.setdefault(_last(step.name), []).append(_find_lines(file, step))
    found: dict[tuple[str, int], str | None] = {}
    for file, step in routines:
        if step.function:
            name = _last(step.function)
            found[file.path, step.line] = "\n".join(bodies.get(name, ())) or ("" if name in _BUILT_IN else None)
    return found


def _body(text: str) -> str:
    """Behind the head, whose CREATE OR REPLACE says nothing."""
    return re.sub(r"^\s*(create(\s+or\s+(replace|alter))?|alter)\b", "", text, flags=re.IGNORECASE)


def _find_codes(files: Sequence[ParsedFile]) -> _Codes:
    """Migrations in order, then all other files."""
    codes = _Codes({}, {})
    migrations = order_migrations(f for f in files if f.kind == "migration")
    others = sorted((f for f in files if f.kind != "migration"), key=lambda f: f.path)
    for file in (*migrations, *others):
        for step in file.steps:
            if not isinstance(step, Routine):
                continue
            key = f"{file.path if step.temporary else ''} {step.kind} {step.name} {step.relation or ''}"
            if step.dropped:
                codes.standing.pop(key, None)
                codes.dropped[key] = Place(file.path, step.line)
            else:
                codes.standing[key] = _Code(step, Place(file.path, step.line), _find_text(file, step))
    return codes


def _find_text(file: ParsedFile, step: Routine) -> str:
    """The statement's lines without comments and layout; a body may go on behind its first semicolon."""
    return " ".join(_COMMENT.sub(" ", _find_lines(file, step)).split())


def _find_lines(file: ParsedFile, step: Routine) -> str:
    ends = [s.end_line for s in file.statements if s.line <= step.line <= s.end_line]
    return "\n".join(file.source[step.line - 1 : max(ends, default=step.line)])


@dataclass(frozen=True, slots=True)
class _User:
    """A statement that goes on running, and the relation that it builds."""

    relation: str
    file: ParsedFile
    statement: Statement


def _find_users(files: Sequence[ParsedFile]) -> list[_User]:
    """A migration ran once: only what lasts of it."""
    lasting = find_lasting(files)
    found: list[_User] = []
    for file in files:
        for place, statement in enumerate(file.statements):
            relation = statement.target or file.relation
            if file.kind == "migration":
                relation = lasting.get((file.path, place))
            if relation is not None and statement.kind not in {"opaque", "inert", "ddl"}:
                found.append(_User(relation, file, statement))
    return found


def _of_user(user: _User, name: str, evidence: Evidence, *, gone: bool) -> Iterator[Removal]:
    """What the user's relation loses if it calls the function."""
    if not _calls_it(user, name):
        return
    if gone:
        yield Removal("view_invalidated", user.relation, None, evidence, detail=f"it calls {name}, which is dropped")
        return
    detail = f"{name}, which computes it, has another body"
    for column in _find_outputs(user.statement, name):
        yield Removal("meaning_changed", user.relation, column, evidence, "values", "warn", detail=detail)


def _trigger(code: _Code, evidence: Evidence) -> Removal:
    detail = f"the {code.step.kind} {code.step.name} changes what is written to it"
    return Removal("meaning_changed", code.step.relation or "", None, evidence, "values", "warn", detail=detail)


def _last(name: str) -> str:
    return name.rpartition(".")[2].strip('"').lower()


def _calls_it(user: _User, name: str) -> bool:
    """In its own text, or in what a template made of it."""
    statement = user.statement
    text = _COMMENT.sub(" ", "\n".join(user.file.source[statement.line - 1 : statement.end_line]))
    called = re.search(rf"(?<![\w$]){re.escape(_last(name))}\s*\(", text, re.IGNORECASE)
    made = (*(output.expression for output in statement.outputs), *statement.meaning)
    return called is not None or _calls(name, *made)


def _calls(name: str, *trees: Expression) -> bool:
    return any(isinstance(node, Call) and node.name == _last(name) for node in find_nodes(*trees))


def _find_outputs(statement: Statement, name: str) -> list[str | None]:
    """Outputs that the function computes; [None] where it does more than that (a filter, a table function)."""
    found: list[str | None] = [o.name for o in statement.outputs if _calls(name, o.expression)]
    return [None] if not found or _calls(name, *statement.meaning) else found
