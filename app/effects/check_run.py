"""The finished check run: verdict first, then who breaks and why, what was done, and what was looked at, always last."""

from __future__ import annotations

from typing import Final

from app.effects.advice import render_advice
from app.effects.annotations import render_annotations
from app.effects.kinds import CheckOutput, ReviewFacts
from app.effects.markdown import CHECK_BYTES, TITLE_CHARACTERS, cut_bytes, escape, pack, plain
from app.effects.privacy import Sight
from app.effects.sections import (
    find_told,
    render_completeness,
    render_effects,
    render_finding,
    render_notes,
    render_unknowns,
)

_POINTER: Final = "\n\n… cut: the rest stands under the details below this summary."
_LOST_POINTER: Final = "\n\n… cut here: GitHub shows no more than 65,535 bytes. `tether check` prints everything."
_RECHECK: Final = ("Re-check", "Judge this pull request again", "recheck")
_CONFIRM: Final = ("Confirm edges", "The lineage written here is right", "confirm_edges")
_REJECT: Final = ("Reject edges", "Take it back, and never write it again", "reject_edges")
_LEADS: Final = {
    "block": "A serving model would lose an input. Merging is blocked until the reader is changed or the column is kept.",
    "unassessable": "Tether could not tell whether a serving model loses an input, so it does not say that none does.",
    "warn": "Nothing here blocks the merge. Know this before you merge:",
    "pass": "Tether looked at everything that matters here, and no model loses an input.",
}

_OBSERVED: Final = (
    "`mode: observe` in `.tether.yml`: everything was judged, and nothing blocks, raises an incident or writes to the catalog. "
    "Enforced, this check would say: "
)
_MUTED: Final = "This passes because the policy in `.tether.yml` leaves findings out; the notes name their rules."


def render_check(facts: ReviewFacts) -> CheckOutput:
    """Title at most 255 characters, summary and text at most 65,535 bytes each; the conclusion is the verdict's."""
    sight = Sight.of(facts)
    verdict = facts.verdict
    summary, text = _split(_blocks(facts, sight), render_completeness(facts, sight))
    return CheckOutput(
        conclusion=verdict.conclusion,
        title=plain(sight.redact(verdict.title), limit=TITLE_CHARACTERS) or verdict.word,
        summary=summary,
        text=text,
        annotations=render_annotations(facts, sight),
        actions=_find_actions(facts),
    )


def _find_actions(facts: ReviewFacts) -> tuple[tuple[str, str, str], ...]:
    """The buttons that mean something here: about edges only where some stand because of this pull request."""
    edges = any(one.kind == "edge" and one.outcome in ("written", "already there") for one in facts.performed)
    recheck = (_RECHECK,) if facts.verdict.judged in ("block", "unassessable") else ()
    return (*recheck, *((_CONFIRM, _REJECT) if edges else ()))


def _blocks(facts: ReviewFacts, sight: Sight) -> list[str]:
    verdict = facts.verdict
    findings = [render_finding(finding, sight) for finding in find_told(verdict)]
    said = _MUTED if verdict.judged == "pass" and verdict.muted else _LEADS[verdict.judged]
    if verdict.observed is not None:
        said = _OBSERVED + said
    lead = f"**{escape(sight.redact(verdict.title))}**\n\n{said}"
    unknowns = render_unknowns(verdict, sight)
    effects = render_effects(facts, sight)
    advice = render_advice(facts, sight)
    # What could not be told explains an unassessable verdict: then it comes before the findings.
    first, second = ([unknowns], findings) if verdict.judged == "unassessable" else (findings, [unknowns])
    return [block for block in (lead, *first, *second, advice, effects, render_notes(facts, sight)) if block]


def _split(blocks: list[str], last: str) -> tuple[str, str]:
    """(summary, text): whole blocks as long as they fit, the overflow in text, completeness at the end of the summary.

    The first block is the verdict, which is short: something is always kept.
    """
    last = cut_bytes(last, CHECK_BYTES // 4, "\n- … and more")
    room = CHECK_BYTES - len(last.encode()) - len(_POINTER.encode()) - 4
    kept, rest = pack(blocks, room)
    if not rest:
        return "\n\n".join((*kept, last)), ""
    text = cut_bytes("\n\n".join(rest), CHECK_BYTES, _LOST_POINTER)
    return "\n\n".join((*kept, _POINTER.strip(), last)), text
