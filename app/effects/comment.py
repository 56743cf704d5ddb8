"""The one comment of a pull request: shorter than the check, with the diagram. Found again by its hidden marker."""

from __future__ import annotations

from typing import Final

from app.effects.advice import render_advice
from app.effects.kinds import ReviewFacts
from app.effects.markdown import COMMENT_BYTES, code, escape, link, pack
from app.effects.mermaid import render_diagram
from app.effects.names import find_name
from app.effects.privacy import Sight
from app.effects.rule_pages import find_rule_url
from app.effects.sections import find_told, lost, model_name, render_effects, render_unknowns
from app.verdict import Finding

#: first line of every comment of ours; anyone can paste it, so the author is checked as well
COMMENT_MARKER: Final = "<!-- tether:review -->"
_MAX_ROWS: Final = 50
_ALERTS: Final = {"block": "CAUTION", "unassessable": "WARNING", "warn": "NOTE", "pass": "TIP"}
_POINTER: Final = "… cut: the check run of this commit says the rest."


def render_comment(facts: ReviewFacts) -> str | None:
    """The comment's Markdown, at most 65,536 bytes; None for a pass, and where there is nothing to say."""
    verdict = facts.verdict
    # A warning without findings says that the repository is not set up: no reason to comment on each of its changes.
    is_bare = verdict.word == "warn" and not verdict.findings and not verdict.unknowns
    if verdict.word == "pass" or is_bare:
        return None
    sight = Sight.of(facts)
    findings = find_told(verdict)
    blocks = [
        f"> [!{_ALERTS[verdict.word]}]\n> **{escape(sight.redact(verdict.title))}**",
        _table(findings, sight),
        render_unknowns(verdict, sight),
        render_advice(facts, sight),
        _diagram(findings),
        _evidence(findings, sight),
        render_effects(facts, sight),
    ]
    return _join([block for block in blocks if block], facts)


def render_resolved_comment(facts: ReviewFacts) -> str:
    """What the comment becomes when a later head takes nothing away any more."""
    if facts.verdict.muted:
        said = "> [!NOTE]\n> Passed at this head, because `.tether.yml` switches rules off; the check names them."
        return _join([said], facts)
    return _join(["> [!TIP]\n> **Resolved**: at this head no model loses an input any more."], facts)


def _join(blocks: list[str], facts: ReviewFacts) -> str:
    last = f"<sub>Tether judged {code(facts.subject.head_sha[:12])} against {code(facts.subject.base_ref)}.</sub>"
    room = COMMENT_BYTES - sum(len(part.encode()) for part in (COMMENT_MARKER, _POINTER, last)) - 8
    kept, rest = pack(blocks, room)
    pointer = (_POINTER,) if rest else ()
    return "\n\n".join((COMMENT_MARKER, *kept, *pointer, last))


def _table(findings: tuple[Finding, ...], sight: Sight) -> str:
    if not findings:
        return ""
    rows = ["| What is lost | Who reads it | Owner | Last trained | Why |", "| --- | --- | --- | --- | --- |"]
    rows += [_row(finding, sight) for finding in findings[:_MAX_ROWS]]
    more = f"\n\nand {len(findings) - _MAX_ROWS} more in the check run" if len(findings) > _MAX_ROWS else ""
    return "\n".join(rows) + more


def _row(finding: Finding, sight: Sight) -> str:
    model = model_name(finding)
    reader = code(model) if model else code(find_name(finding.feature)) if finding.feature else "—"
    owner, trained = (code(finding.owner), code(finding.last_trained)) if model else ("—", "—")
    disposed = "" if finding.disposition == "open" else f" ({finding.disposition})"
    page = find_rule_url(finding.rule, sight.facts.subject.rules_url)
    rule = f" ({link(finding.rule, page)})" if page else ""
    why = escape(sight.redact(finding.message), limit=300) + disposed + rule
    return f"| {code(lost(finding))} | {reader} | {owner} | {trained} | {why} |"


def _diagram(findings: tuple[Finding, ...]) -> str:
    return render_diagram([finding for finding in findings if finding.level != "off"])


def _evidence(findings: tuple[Finding, ...], sight: Sight) -> str:
    places = list(dict.fromkeys(sight.place(evidence) for finding in findings for evidence in finding.evidence))
    if not places:
        return ""
    lines = [f"- {place}" for place in places[:_MAX_ROWS]]
    more = f"\n- and {len(places) - _MAX_ROWS} more in the check run" if len(places) > _MAX_ROWS else ""
    return "<details><summary>Evidence</summary>\n\n" + "\n".join(lines) + more + "\n\n</details>"
