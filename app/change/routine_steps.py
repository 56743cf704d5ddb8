"""CREATE, ALTER and DROP of what holds code: functions, procedures, triggers, tasks, policies. Their names, not their bodies."""

from __future__ import annotations

from app.change.cursor import Cursor
from app.change.steps import DdlStep, Opaque, Routine
from app.change.tokens import split_list

#: the first word behind CREATE -> what it is
_KINDS = {
    "FUNCTION": "function", "AGGREGATE": "function", "MACRO": "function", "PROCEDURE": "procedure",
    "PROC": "procedure", "PACKAGE": "package", "TRIGGER": "trigger", "EVENT": "event", "TASK": "task", "PIPE": "pipe",
    "RULE": "rule", "POLICY": "policy", "MASKING": "policy",
}  # fmt: skip
_BEFORE_POLICY = (
    ("MASKING", "POLICY"),
    ("ROW", "ACCESS", "POLICY"),
    ("AGGREGATION", "POLICY"),
    ("PROJECTION", "POLICY"),
)


def find_routine(
    cursor: Cursor, line: int, *, temporary: bool = False, dropped: bool = False
) -> Routine | Opaque | None:
    """The routine that the cursor stands at (behind CREATE, ALTER or DROP); None where it is something else."""
    start = cursor.at
    kind = _take_kind(cursor)
    if kind is None:
        cursor.at = start
        return None
    cursor.take("IF", "NOT", "EXISTS")
    cursor.take("IF", "EXISTS")
    if kind == "package":
        cursor.take("BODY")
    name = cursor.relation()
    if name is None:
        return Opaque(f"the name of the {kind} cannot be read", line, cursor.chunk.text)
    step = Routine(kind, name, line, dropped=dropped, temporary=temporary)
    return _on_table(cursor, step) if kind in {"trigger", "rule"} else step


def _take_kind(cursor: Cursor) -> str | None:
    cursor.take("CONSTRAINT")
    for words in _BEFORE_POLICY:
        if cursor.take(*words):
            return "policy"
    if cursor.take("TABLE", "FUNCTION"):
        return "function"
    kind = _KINDS.get(cursor.peek())
    if kind is None or (cursor.peek() == "MASKING"):
        return None
    cursor.at += 1
    cursor.take_any("FUNCTION", "TABLE", "BODY")  # CREATE AGGREGATE FUNCTION, CREATE MACRO ... AS TABLE
    return kind


def _on_table(cursor: Cursor, step: Routine) -> Routine:
    """`... ON t ... EXECUTE FUNCTION f()`."""
    words = cursor.words
    relation, function = None, ""
    for index in range(cursor.at, len(words)):
        if words[index].upper == "ON" and relation is None:
            relation = Cursor(cursor.chunk, cursor.dialect, words[index + 1 :]).relation()
        if words[index].upper in {"FUNCTION", "PROCEDURE"} and words[index - 1].upper == "EXECUTE":
            function = Cursor(cursor.chunk, cursor.dialect, words[index + 1 :]).relation() or ""
    return Routine(step.kind, step.name, step.line, step.dropped, relation, function)


def find_altered_routine(cursor: Cursor, kind: str) -> DdlStep | None:
    """ALTER FUNCTION and the like: T-SQL writes a new body so, others new properties; None for what is no routine."""
    if kind not in _KINDS:
        return None
    words = {word.upper for word in cursor.rest()}
    if "RENAME" in words or (words & {"MODIFY", "SET"} and kind in {"TASK", "MASKING", "POLICY"}):
        return Opaque(f"ALTER {kind} changes what runs", cursor.line(), cursor.chunk.text)
    if cursor.dialect in {"tsql", "fabric"} or "AS" in words or (kind == "TASK" and "MODIFY" in words):
        return find_routine(cursor, cursor.line())
    return None


def find_dropped_routines(cursor: Cursor, line: int, kind: str) -> tuple[DdlStep, ...]:
    """`DROP FUNCTION a(int), b`; () for what is no routine. The cursor stands at the kind."""
    if kind not in _KINDS and not (
        kind in {"ROW", "AGGREGATION", "PROJECTION"} and "POLICY" in (cursor.peek(1), cursor.peek(2))
    ):
        return ()
    first = find_routine(cursor, line, dropped=True)
    if first is None:
        return ()
    if isinstance(first, Opaque) or first.kind in {"trigger", "rule"}:
        return (first,)
    steps: list[DdlStep] = [first]
    for item in split_list(cursor.rest())[1:]:
        name = Cursor(cursor.chunk, cursor.dialect, item).relation()
        if name is not None:
            steps.append(Routine(first.kind, name, line, dropped=True))
    return tuple(steps)
