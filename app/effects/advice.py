"""The smallest safe change, for people: what to do, the lines as a diff, and for a rename the lines that read the old name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from app.effects.kinds import ReviewFacts
from app.effects.markdown import code, escape, fence
from app.effects.privacy import Sight
from app.verdict import Advice, Edit
from app.words import Evidence

_MOST_LINES: Final = 60
_MOST_READERS: Final = 50


def render_advice(facts: ReviewFacts, sight: Sight) -> str:
    """The section of the check and the comment; "" when there is nothing to offer and nothing was renamed."""
    parts = []
    if facts.advice is not None:
        parts.append("### A safe way")
        parts.append(f"{escape(facts.advice.said)} With it, this check passes:")
        for edit, old in zip(facts.advice.edits, facts.advice.old, strict=True):
            parts += [f"{code(_place(edit))}:", fence(_diff(edit, old), "diff")]
    readers = list(find_readers(facts))
    if readers:
        shown = [f"- {sight.place(line)}" for line in readers[:_MOST_READERS]]
        more = f"\n- and {len(readers) - len(shown)} more" if len(readers) > len(shown) else ""
        parts.append("### Lines that read the old name\n\n" + "\n".join(shown) + more)
    return "\n\n".join(parts)


def find_readers(facts: ReviewFacts) -> Iterator[Evidence]:
    """The lines behind what was renamed and is still read, each once."""
    taken = {(one.evidence.path, one.evidence.line) for one in facts.removals}
    lines = (
        line
        for finding in facts.verdict.findings
        if finding.level == "block" and finding.new_name
        for line in finding.evidence
        if line.repo or (line.path, line.line) not in taken
    )
    yield from dict.fromkeys(lines)


def advice_json(advice: Advice) -> dict[str, Any]:
    """Keys are only added. `text` replaces the lines `first` to `last` of the head; `last` = `first` - 1: it is inserted."""
    return {
        "kind": advice.kind,
        "said": advice.said,
        "edits": [
            {"path": edit.path, "first": edit.first, "last": edit.last, "old": old, "text": edit.text}
            for edit, old in zip(advice.edits, advice.old, strict=True)
        ],
    }


def advice_text(advice: Advice) -> Iterator[str]:
    """Lines for the terminal."""
    yield f"SAFE WAY  {advice.said} With it, this check passes:"
    for edit, old in zip(advice.edits, advice.old, strict=True):
        yield f"  {_place(edit)}"
        yield from (f"    {line}" for line in _diff(edit, old))


def _place(edit: Edit) -> str:
    return f"{edit.path}:{edit.first}"


def _diff(edit: Edit, old: str) -> list[str]:
    before = old.split("\n") if edit.last >= edit.first else []
    after = edit.text.split("\n") if edit.text else []
    lines = [*(f"-{line}" for line in before), *(f"+{line}" for line in after)]
    return lines if len(lines) <= _MOST_LINES else [*lines[:_MOST_LINES], f"… {len(lines) - _MOST_LINES} more lines"]
