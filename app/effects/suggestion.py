"""Advice as GitHub suggestions: on changed lines that it replaces, a button applies it. Elsewhere the check shows it."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from app.effects.kinds import ReviewFacts, Suggestion
from app.effects.markdown import escape
from app.verdict import Edit

#: more buttons than that are no small change
MOST_SUGGESTIONS: Final = 5
_MOST_BYTES: Final = 30_000


def plan_suggestions(facts: ReviewFacts) -> tuple[Suggestion, ...]:
    """None unless every edit of the advice fits: half of a safe change is not safe."""
    advice = facts.advice
    if advice is None or facts.subject.pull is None or len(advice.edits) > MOST_SUGGESTIONS:
        return ()
    changed = frozenset(facts.subject.changed_lines)
    if not all(_fits(edit, changed) for edit in advice.edits):
        return ()
    return tuple(_suggestion(edit, old, advice.said) for edit, old in zip(advice.edits, advice.old, strict=True))


def _fits(edit: Edit, changed: frozenset[tuple[str, int]]) -> bool:
    lines = range(edit.first, edit.last + 1)
    small = len(edit.text.encode()) <= _MOST_BYTES and "\r" not in edit.text
    return bool(lines) and small and all((edit.path, line) in changed for line in lines)


def _suggestion(edit: Edit, old: str, said: str) -> Suggestion:
    """The text goes out as it is, for GitHub puts it into the file; nothing inside of its fence is rendered or mentioned."""
    digest = hashlib.sha256("\0".join((edit.path, old, edit.text)).encode()).hexdigest()[:20]
    marker = f"<!-- tether:suggestion:{digest} -->"
    longest = max((len(run) for run in re.findall(r"`+", edit.text)), default=0)
    marks = "`" * max(3, longest + 1)
    inner = f"{edit.text}\n" if edit.text else ""
    body = f"{marker}\n{escape(said)} With it, the check passes.\n\n{marks}suggestion\n{inner}{marks}"
    return Suggestion(edit.path, edit.first, edit.last, body, marker)
