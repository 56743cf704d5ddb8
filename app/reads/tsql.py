"""Where T-SQL's statements begin when nothing is written between them: by words and lines, without parsing.

A statement's first word on a new line begins one, unless the words before it are still waiting for it (`INSERT INTO t`,
`WITH c AS (...)`, `IF ...`, `UNION`). DDL begins one anywhere. The body of a routine is never cut. Where this errs, the
statements do not parse, which is said; app.change cuts by the same rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_TABLE_KINDS = frozenset({"TABLE", "VIEW", "INDEX", "SCHEMA", "PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "DATABASE"})
_DDL = frozenset({"ALTER", "DROP", "CREATE", "TRUNCATE"})
_ROUTINES = frozenset({"PROCEDURE", "PROC", "FUNCTION", "TRIGGER"})
_PERMISSIONS = frozenset({"GRANT", "DENY", "REVOKE"})
_CONDITIONAL = frozenset({"IF", "WHILE"})
#: a statement's first word behind one of these belongs to it
_OPENS = frozenset((
    "AS", "BEGIN", "THEN", "ELSE", "UNION", "ALL", "EXCEPT", "INTERSECT", "FOR", "AFTER", "OF", "GRANT", "DENY",
    "REVOKE", "RETURN", "INSTEAD", "NOT", "EXISTS", "IN", "FROM", "JOIN", "INTO", "AND", "OR", ",", "(", "=", ".", "+",
))  # fmt: skip
_STARTS = frozenset((
    "EXEC", "EXECUTE", "TRUNCATE", "UPDATE", "INSERT", "DELETE", "MERGE", "PRINT", "DECLARE", "COMMIT", "ROLLBACK", "USE",
    "IF", "WHILE", "SELECT", "RAISERROR", "THROW", "WAITFOR", "GRANT", "DENY", "REVOKE", "DBCC", "CREATE", "GO",
))  # fmt: skip
_QUERIES = frozenset({"SELECT", "INSERT", "UPDATE", "DELETE", "MERGE"})
_SOURCES = frozenset({"SELECT", "VALUES", "EXEC", "EXECUTE", "DEFAULT"})
_TRANSACTIONS = frozenset({"TRAN", "TRANSACTION", "TRY", "DISTRIBUTED"})
_OPTIONS = frozenset((
    "NOCOUNT", "XACT_ABORT", "ANSI_NULLS", "QUOTED_IDENTIFIER", "IDENTITY_INSERT", "DATEFIRST", "DATEFORMAT", "LANGUAGE",
    "TRANSACTION", "ROWCOUNT", "ARITHABORT", "ANSI_WARNINGS", "ANSI_PADDING", "CONCAT_NULL_YIELDS_NULL", "LOCK_TIMEOUT",
    "NUMERIC_ROUNDABORT", "DEADLOCK_PRIORITY", "STATISTICS", "IMPLICIT_TRANSACTIONS",
))  # fmt: skip


def find_starts(words: Sequence[str], lines: Sequence[int]) -> list[int]:
    """Places in a run of words where a statement begins, 0 among them.

    `words`: in upper case, "" for strings and quoted names; `lines`: the line of each.
    """
    if not words:
        return []
    starts, state = [0], _State(words[0], routine=_is_routine(words))
    for n in range(1, len(words)):
        word, following = words[n], words[n + 1] if n + 1 < len(words) else ""
        new_line = lines[n] != lines[n - 1]
        if state.lets(word, words[n - 1], following) and _may_start(word, words[n - 1], following, new_line=new_line):
            starts.append(n)
            state = _State(word, routine=_is_routine(words[n : n + 5]))
            continue
        state.step(word, words[n - 1])
    return starts


@dataclass(slots=True)
class _State:
    """What the statement so far waits for. `ready`: a WITH has its verb, an INSERT its source, a condition its statement."""

    first: str
    routine: bool
    depth: int = 0
    ready: bool = False

    def __post_init__(self) -> None:
        self.ready = self.first not in {"WITH", "INSERT", *_CONDITIONAL}

    def step(self, word: str, before: str) -> None:
        self.depth = max(0, self.depth + {"(": 1, ")": -1}.get(word, 0))
        if self.depth or self.first in _PERMISSIONS:
            return
        if word == "INSERT" or (word == "WITH" and before == "AS"):
            self.first, self.ready = word, False  # behind a condition, a WITH, CREATE VIEW ... AS
        elif self._brings(word):
            self.ready = True

    def _brings(self, word: str) -> bool:
        if self.first == "INSERT":
            return word in _SOURCES
        return word in (_QUERIES if self.first == "WITH" else _STARTS | _DDL | {"BEGIN", "SET"})

    def lets(self, word: str, before: str, following: str) -> bool:
        """Whether another statement may begin here at all."""
        if self.routine or self.depth or not self.ready:
            return False
        if before == "ON" and word in ("UPDATE", "DELETE") and self.first != "SET":
            return False  # ON DELETE CASCADE
        sets = word == "SET" and following.startswith("@")
        return not (sets and self.first in ("UPDATE", "WITH", "MERGE", *_CONDITIONAL))


def _is_routine(words: Sequence[str]) -> bool:
    return words[0] in ("CREATE", "ALTER") and not _ROUTINES.isdisjoint(words[1:5])


def _may_start(word: str, before: str, following: str, *, new_line: bool) -> bool:
    if before in _OPENS:
        return False
    if word in _DDL and following in _TABLE_KINDS:
        return True  # T-SQL needs nothing at all between two statements
    if not new_line or (before in _TABLE_KINDS and word == "IF"):
        return False
    if word == "SET":
        return following in _OPTIONS or following.startswith("@")
    if word == "BEGIN":
        return following in _TRANSACTIONS
    return word in _STARTS or before == "GO"
