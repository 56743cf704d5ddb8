"""Annotations: plain text on changed lines of the head, one a line. Elsewhere GitHub would show them as noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from app.effects.kinds import Annotation, ReviewFacts
from app.effects.markdown import TITLE_CHARACTERS, cut_bytes, plain
from app.effects.privacy import Sight
from app.effects.sections import lost, model_name, sort_findings
from app.verdict import Finding
from app.words import Evidence, Unknown

#: 50 fit into one request; more than 200 help nobody
MAX_ANNOTATIONS: Final = 200
#: GitHub: 64 KB for a message; a page is enough
_MESSAGE_BYTES: Final = 8_000


@dataclass(frozen=True, slots=True)
class _Remark:
    level: Literal["failure", "warning"]
    title: str
    message: str


def render_annotations(facts: ReviewFacts, sight: Sight) -> tuple[Annotation, ...]:
    """At most 200, worst first; remarks on one line become one annotation with the worst level."""
    changed = frozenset(facts.subject.changed_lines)
    remarks: dict[tuple[str, int], list[_Remark]] = {}
    for spot, remark in _remarks(facts, sight):
        if spot in changed:
            remarks.setdefault(spot, []).append(remark)
    annotations = [_annotation(path, line, found) for (path, line), found in remarks.items()]
    worst_first = sorted(annotations, key=lambda annotation: annotation.level != "failure")
    return tuple(worst_first[:MAX_ANNOTATIONS])


def _remarks(facts: ReviewFacts, sight: Sight) -> Iterator[tuple[tuple[str, int], _Remark]]:
    for finding in sort_findings(facts.verdict.findings):
        spot = next((evidence for evidence in finding.evidence if _is_here(evidence, facts)), None)
        if spot is not None:
            yield (spot.path, spot.line), _of_finding(finding, sight)
    told = {finding.message for finding in facts.verdict.findings}
    for unknown in facts.verdict.unknowns:
        here = unknown.repo in ("", facts.subject.repo.full_name) and f"{unknown.what}: {unknown.why}" not in told
        if unknown.path and unknown.line and here:
            yield (unknown.path, unknown.line), _of_unknown(unknown, sight)


def _is_here(evidence: Evidence, facts: ReviewFacts) -> bool:
    return evidence.side == "head" and evidence.repo in ("", facts.subject.repo.full_name)


def _of_finding(finding: Finding, sight: Sight) -> _Remark:
    enforced = sight.facts.verdict.observed is None
    hard = enforced and finding.disposition == "open" and finding.level in ("block", "unassessable")
    model = model_name(finding)
    subject = f"{model} reads {lost(finding)}" if model else lost(finding)
    who = f" Owner: {finding.owner}. Last trained: {finding.last_trained}." if model else ""
    return _Remark("failure" if hard else "warning", subject, sight.redact(finding.message) + who)


def _of_unknown(unknown: Unknown, sight: Sight) -> _Remark:
    level: Literal["failure", "warning"] = "failure" if sight.facts.verdict.observed is None else "warning"
    return _Remark(level, sight.redact(unknown.what), sight.redact(unknown.why))


def _annotation(path: str, line: int, remarks: list[_Remark]) -> Annotation:
    level: Literal["failure", "warning"] = "failure" if any(r.level == "failure" for r in remarks) else "warning"
    more = f" (and {len(remarks) - 1} more)" if len(remarks) > 1 else ""
    title = plain(remarks[0].title, limit=TITLE_CHARACTERS - len(more)) + more
    message = "\n".join(dict.fromkeys(plain(remark.message, limit=2000) for remark in remarks))
    return Annotation(
        path, line, level, title, cut_bytes(message, _MESSAGE_BYTES, "\n… the rest stands in the summary")
    )
