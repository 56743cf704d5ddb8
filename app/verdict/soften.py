"""A block set aside because of a reading that was verified. The only way a language model touches a verdict, and it is narrow.

`Blocked` is made of a block alone, `Cleared` of a judgement that has none; softening takes both and can only answer a warning.
So whatever a model says, a pass, a warning or an unassessable change stays what it is, and nothing becomes a block.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from app.verdict.title import clip
from app.verdict.verdict import Finding, Verdict

_RED: Final = ("block", "unassessable")


@dataclass(frozen=True, slots=True)
class Blocked:
    """A verdict that blocks, and is enforced. Made by `find_blocked`."""

    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Cleared:
    """The same change judged under the reading, with nothing red in it. Made by `find_cleared`."""

    verdict: Verdict


def find_blocked(verdict: Verdict) -> Blocked | None:
    """None for everything that no model is asked about."""
    return Blocked(verdict) if verdict.word == "block" and verdict.observed is None else None


def find_cleared(verdict: Verdict) -> Cleared | None:
    """None where the reading leaves a block, or something that cannot be told."""
    return Cleared(verdict) if verdict.word in ("warn", "pass") and verdict.observed is None else None


def soften(blocked: Blocked, cleared: Cleared, said: str) -> Verdict:
    """A warning that keeps every finding: what was red is softened, and `said` is the sentence that names reading and lines.

    What could not be told about the change itself is settled by the reading too, for it was judged with it.
    """
    before = tuple(_set_aside(finding) for finding in blocked.verdict.findings)
    known = {(finding.rule, finding.relation, finding.column, finding.model) for finding in before}
    new = tuple(one for one in cleared.verdict.findings if (one.rule, one.relation, one.column, one.model) not in known)
    notes = tuple(dict.fromkeys((said, *blocked.verdict.notes, *cleared.verdict.notes)))
    count = sum(finding.level == "block" for finding in before)
    blocks = "the block is" if count == 1 else f"{count} blocks are"
    title = clip(f"Warning: {blocks} softened, by a reading that a language model pointed at and that was verified")
    muted = max(blocked.verdict.muted, cleared.verdict.muted)
    return Verdict("warn", title, (*before, *new), cleared.verdict.unknowns, notes, muted)


def stand(blocked: Blocked, why: str) -> Verdict:
    """The block as it is, with one line that says why no reading softens it."""
    note = f"Not softened: {' '.join(why.split())}"
    return replace(blocked.verdict, notes=(*blocked.verdict.notes, note))


def _set_aside(finding: Finding) -> Finding:
    red = finding.level in _RED and finding.disposition == "open"
    return replace(finding, disposition="softened") if red else finding
