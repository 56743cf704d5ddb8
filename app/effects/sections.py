"""The paragraphs that the check run and the comment share: one finding, one unknown, what was performed, what was seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from app.effects.kinds import Completeness, Performed, ReviewFacts
from app.effects.markdown import code, escape, fence, link
from app.effects.names import find_kind, find_name
from app.effects.privacy import Sight
from app.effects.rule_pages import find_rule_url
from app.verdict import Finding, Verdict
from app.words import Unknown

_MAX_LISTED: Final = 50
_MAX_STEPS: Final = 40
_LEVELS: Final = {"block": 0, "unassessable": 1, "warn": 2, "off": 3}
_DISPOSITIONS: Final = {
    "open": "",
    "softened": "Softened: a reading under which the change is safe was verified.",
    "waived": "Waived: somebody accepted this loss.",
}


def sort_findings(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Open before disposed of, worst first; otherwise in the judge's order."""
    return tuple(sorted(findings, key=lambda finding: (finding.disposition != "open", _LEVELS[finding.level])))


def find_told(verdict: Verdict) -> tuple[Finding, ...]:
    """The findings, sorted, without those that only repeat an unknown: these stand among the unknowns, once."""
    repeated = {_sentence(unknown) for unknown in verdict.unknowns}
    return sort_findings([one for one in verdict.findings if one.model or one.message not in repeated])


def lost(finding: Finding) -> str:
    """What is lost, as people write it: `relation.column`, or the relation alone."""
    return f"{finding.relation}.{finding.column}" if finding.column else finding.relation or finding.rule


def model_name(finding: Finding) -> str:
    """The model's name, "" when no model is concerned."""
    return finding.model_name or (find_name(finding.model) if finding.model else "")


def render_finding(finding: Finding, sight: Sight) -> str:
    """Who breaks, what they lose, the path as a text tree, and the lines that prove it."""
    parts = [f"### {_heading(finding)}", "\n".join(_particulars(finding, sight))]
    if len(finding.trail) > 1:
        parts.append(fence(_tree(finding)))
    proof = [f"- {sight.place(evidence)}" for evidence in finding.evidence[:_MAX_LISTED]]
    if proof:
        parts.append("\n".join(proof) + _more(len(finding.evidence) - len(proof)))
    return "\n\n".join(parts)


def render_unknowns(verdict: Verdict, sight: Sight) -> str:
    """The unknowns and what settles them; "" when there are none."""
    unknowns = verdict.unknowns
    if not unknowns:
        return ""
    lines = [_unknown(unknown, verdict, sight) for unknown in unknowns[:_MAX_LISTED]]
    text = "### What could not be told\n\n" + "\n".join(lines) + _more(len(unknowns) - len(lines))
    if verdict.judged != "unassessable":
        return text
    return (
        f"{text}\n\nTether does not wave through what it cannot tell. Make the SQL readable, map the relation in "
        "`.tether.yml` on the base branch, or bring the system named above back. Then re-run this check."
    )


def render_notes(facts: ReviewFacts, sight: Sight) -> str:
    """Sentences that change nothing, and lines worth a look; "" when there are none."""
    said = [escape(sight.redact(note)) for note in facts.verdict.notes] + [sight.place(note) for note in facts.notes]
    lines = [f"- {line}" for line in said[:_MAX_LISTED]]
    return "### Notes\n\n" + "\n".join(lines) + _more(len(said) - len(lines)) if lines else ""


def render_effects(facts: ReviewFacts, sight: Sight) -> str:
    """What was done in the catalog, what was refused, and what failed: failures first, never left out. "" when nothing."""
    loud = [one for one in facts.performed if one.outcome in _TROUBLE or one.kind == "incident"]
    quiet = [one for one in facts.performed if one not in loud]  # edges that went well: the first few stand for all
    lines = [_performed(one, sight) for one in sorted(loud, key=lambda one: one.outcome not in _TROUBLE)]
    shown = lines[:_MAX_LISTED]
    lines += [_performed(one, sight) for one in quiet]
    shown += lines[len(loud) : len(loud) + _MAX_EDGES]
    more = _more(len(lines) - len(shown))
    refused = [_refused(facts, sight, index) for index in range(min(len(facts.refusals), _MAX_LISTED))]
    said = [f"- {escape(sight.redact(sentence))}" for sentence in facts.pressed]
    if not lines and not refused and not said:
        return ""
    text = "### In the catalog\n\n" + "\n".join([*said, *shown]) + more
    if refused:
        gap = "\n\n" if lines or said else ""
        text += (
            f"{gap}Connections that were not written:\n\n"
            + "\n".join(refused)
            + _more(len(facts.refusals) - len(refused))
        )
    return text


def render_completeness(facts: ReviewFacts, sight: Sight) -> str:
    """What was looked at and what was not: the last words of every check."""
    seen = facts.completeness
    lines = [
        f"- {_count(seen.files_read, 'file')} read, {_count(seen.relations_resolved, 'relation')} resolved",
        f"- {_count(seen.hops, 'hop')} and {_count(seen.entities, 'entity', 'entities')} walked in the catalog",
        f"- {_count(seen.feature_sql_read, 'feature')} whose SQL was read, {seen.feature_sql_refused} whose SQL was refused",
        *_gaps(seen, sight),
    ]
    head = code(facts.subject.head_sha[:12])
    return f"### What was looked at\n\n{head} against {code(facts.subject.base_ref)}:\n\n" + "\n".join(lines)


def _unknown(unknown: Unknown, verdict: Verdict, sight: Sight) -> str:
    sentence = _sentence(unknown)
    told = next((one for one in verdict.findings if not one.model and one.message == sentence), None)
    places = [sight.place(evidence) for evidence in told.evidence[:_MAX_LISTED]] if told else []
    if not places and unknown.path and sight.may_show_repo(unknown.repo):
        places = [code(f"{unknown.path}:{unknown.line}" if unknown.line else unknown.path)]
    where = f" — {', '.join(dict.fromkeys(places))}" if places else ""
    rule = f" ({link(told.rule, find_rule_url(told.rule, sight.facts.subject.rules_url))})" if told else ""
    return f"- **{escape(sight.redact(unknown.what))}**: {escape(sight.redact(unknown.why))}{where}{rule}"


def _sentence(unknown: Unknown) -> str:
    """How the judge words a finding about an unknown."""
    return f"{unknown.what}: {unknown.why}"


def _gaps(seen: Completeness, sight: Sight) -> Iterator[str]:
    if seen.settings:
        yield f"- configured by {escape(sight.redact(seen.settings))}"
    if seen.index:
        yield f"- SQL of other repositories: {escape(sight.redact(seen.index))}"
    models = seen.models_without_inputs
    if models:
        names = ", ".join(code(find_name(model)) for model in models[:20]) + (" …" if len(models) > 20 else "")
        yield f"- {_count(len(models), 'model')} without declared inputs, which no trail can reach: {names}"
    if seen.unbound:
        shown = ", ".join(code(sight.redact(line)) for line in seen.unbound[:_MAX_LISTED])
        bound = f"{_count(len(seen.unbound), 'feature')} of models bound to no table"
        yield f"- {bound}; a line each under `features:` in `.tether.yml` binds them: {shown}"
    for text in seen.unseen[:_MAX_LISTED]:
        yield f"- not seen: {escape(sight.redact(text))}"
    if len(seen.unseen) > _MAX_LISTED:
        yield f"- not seen: {len(seen.unseen) - _MAX_LISTED} more"
    if not seen.unseen:
        yield "- nothing that Tether knows of was left out"


def _heading(finding: Finding) -> str:
    model = model_name(finding)
    changed = f" (renamed to {code(finding.new_name)})" if finding.new_name else ""
    if model:
        return f"{code(model)} reads {code(lost(finding))}{changed}"
    if finding.feature:
        return f"Feature {code(find_name(finding.feature))} reads {code(lost(finding))}{changed}"
    return f"{code(lost(finding))}{changed}"


def _particulars(finding: Finding, sight: Sight) -> Iterator[str]:
    yield f"{escape(sight.redact(finding.message))}"
    yield ""
    if model_name(finding):
        rule = f" (by {code(finding.serving_rule)})" if finding.serving_rule else ""
        yield f"- serving: {code(finding.serving or 'unknown')}{rule}"
        told = f" ({escape(finding.last_trained_rule)})" if finding.last_trained_rule else ""
        yield f"- owner: {code(finding.owner or 'unknown')}, last trained: {code(finding.last_trained or 'unknown')}{told}"
    rule = link(finding.rule, find_rule_url(finding.rule, sight.facts.subject.rules_url))
    yield f"- rule: {rule}, level: {finding.level}"
    if _DISPOSITIONS[finding.disposition]:
        yield f"- {_DISPOSITIONS[finding.disposition]}"


def _tree(finding: Finding) -> Iterator[str]:
    for depth, urn in enumerate(finding.trail[:_MAX_STEPS]):
        column = f".{finding.column}" if depth == 0 and finding.column else ""
        branch = "   " * (depth - 1) + "└─ " if depth else ""
        yield f"{branch}{find_kind(urn)} {find_name(urn)}{column}"
    if len(finding.trail) > _MAX_STEPS:
        yield f"… {len(finding.trail) - _MAX_STEPS} more steps"


_MAX_EDGES: Final = 5
_TROUBLE: Final = ("failed", "not allowed")


def _performed(one: Performed, sight: Sight) -> str:
    said = {
        "written": "Incident raised" if one.kind == "incident" else "Edge written",
        "withdrawn": "No longer a cause of the incident",
        "already there": "Incident already open" if one.kind == "incident" else "Edge already there",
        "declared": "Edge already declared by somebody else",
        "rejected": "Not written, because people rejected Tether's edges there",
        "taken back": "Edge taken back",
        "failed": f"**Could not {'raise the incident' if one.kind == 'incident' else 'write the edge'}**",
        "not allowed": f"**Not allowed to {'raise the incident' if one.kind == 'incident' else 'write the edge'}**",
    }[one.outcome]
    detail = f": {escape(sight.redact(one.detail))}" if one.detail else ""
    what = " -> ".join(find_name(urn) for urn in one.what.split(" -> ")) if one.kind == "edge" else one.what
    return f"- {said}: {code(what, limit=400)}{detail}"


def _refused(facts: ReviewFacts, sight: Sight, index: int) -> str:
    refusal = facts.refusals[index]
    where = f" — {sight.place(refusal.evidence)}" if refusal.evidence is not None else ""
    return f"- {code(find_name(refusal.feature))}: {escape(sight.redact(refusal.reason))}{where}"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _more(number: int) -> str:
    return f"\n- and {number} more" if number > 0 else ""
