"""A review as the command line prints it: JSON with fixed keys for programs, text for people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from app.effects.advice import advice_json, advice_text
from app.effects.kinds import ReviewFacts
from app.effects.names import find_name
from app.repair import ProvenEdge
from app.verdict import Finding
from app.words import Evidence

#: edges in the text form; a wide table has hundreds
MOST_EDGES = 10
MOST_MODELS = 20


def report_json(facts: ReviewFacts) -> dict[str, Any]:
    """The keys are a contract with outside programs: add, never rename. `observed` is there under
    `mode: observe` alone, `advice` where there is some."""
    datasets = dict(facts.datasets)
    verdict = facts.verdict
    return {
        "verdict": verdict.word,
        "conclusion": verdict.conclusion,
        "title": verdict.title,
        **({"observed": verdict.observed} if verdict.observed else {}),
        "removals": [
            {
                "dataset": datasets.get(removal.relation),
                "relation": removal.relation,
                "column": removal.column,
                "kind": removal.kind,
                "side": removal.evidence.side,
                "path": removal.evidence.path,
                "line": removal.evidence.line,
                "text": removal.evidence.text,
                "new_name": removal.new_name,
                "certain": removal.certain,
                "detail": removal.detail,
            }
            for removal in facts.removals
        ],
        "findings": [_finding(finding) for finding in verdict.findings],
        "edges": [_edge(edge) for edge in facts.edges],
        "refusals": [{"feature": refusal.feature, "reason": refusal.reason} for refusal in facts.refusals],
        "unknowns": [
            {"what": unknown.what, "why": unknown.why, "path": unknown.path, "line": unknown.line}
            for unknown in verdict.unknowns
        ],
        "completeness": asdict(facts.completeness),
        **({"advice": advice_json(facts.advice)} if facts.advice else {}),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "level": finding.level,
        "disposition": finding.disposition,
        "relation": finding.relation,
        "column": finding.column,
        "dataset": finding.dataset,
        "feature": finding.feature,
        "model": finding.model,
        "owner": finding.owner,
        "last_trained": finding.last_trained,
        "last_trained_rule": finding.last_trained_rule,
        "serving": finding.serving,
        "serving_rule": finding.serving_rule,
        "trail": list(finding.trail),
        "evidence": [_evidence(evidence) for evidence in finding.evidence],
        "message": finding.message,
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "repo": evidence.repo,
        "side": evidence.side,
        "path": evidence.path,
        "line": evidence.line,
        "text": evidence.text,
    }


def _edge(edge: ProvenEdge) -> dict[str, Any]:
    return {
        "upstream": edge.upstream,
        "downstream": edge.downstream,
        "kind": edge.kind,
        "columns": list(edge.columns),
        "evidence": _evidence(edge.evidence[0]),
    }


def report_text(facts: ReviewFacts) -> str:
    """What a person needs, most important first, no colour."""
    return "\n".join(_lines(facts)) + "\n"


def _lines(facts: ReviewFacts) -> Iterable[str]:
    yield facts.verdict.title
    yield from _findings(facts)
    for unknown in facts.verdict.unknowns:
        yield ""
        yield f"UNKNOWN  {unknown.what}: {unknown.why}"
        if unknown.path:
            yield f"  {unknown.path}:{unknown.line or 1}"
    for note in facts.verdict.notes:
        yield ""
        yield f"NOTE  {note}"
    if facts.advice:
        yield ""
        yield from advice_text(facts.advice)
    yield from _edges(facts)
    for refusal in facts.refusals:
        yield f"No edge for {find_name(refusal.feature)}: {refusal.reason}"
    yield ""
    done = facts.completeness
    yield (
        f"Looked at: {_count(done.files_read, 'file')}, {_count(done.relations_resolved, 'relation')} found in the catalog, "
        f"{_count(done.entities, 'entity', 'entities')} over {_count(done.hops, 'hop')} with {_count(done.requests, 'request')}."
    )
    if done.models_without_inputs:
        names = ", ".join(done.models_without_inputs[:MOST_MODELS])
        more = " ..." if len(done.models_without_inputs) > MOST_MODELS else ""
        yield f"  {_count(len(done.models_without_inputs), 'model')} without declared inputs: {names}{more}"
    if done.unbound:
        yield f"  {_count(len(done.unbound), 'feature')} of models bound to no table; a line each under features: in .tether.yml:"
        yield from (f"    {line}" for line in done.unbound[:MOST_MODELS])
    for unseen in done.unseen:
        yield f"  not seen: {unseen}"


def _findings(facts: ReviewFacts) -> Iterable[str]:
    for finding in facts.verdict.findings:
        yield ""
        yield f"{finding.level.upper()}  {finding.message}"
        yield f"  rule          {finding.rule} (tether rules {finding.rule})"
        if finding.model:
            yield f"  model         {finding.model_name or finding.model}"
            yield f"  owner         {finding.owner}"
            yield f"  last trained  {finding.last_trained} ({finding.last_trained_rule})"
            yield f"  serving       {finding.serving} ({finding.serving_rule})"
        for evidence in finding.evidence:
            where = f"{evidence.repo} " if evidence.repo else ""
            yield f"  {where}{evidence.path}:{evidence.line}: {evidence.text}"


def _edges(facts: ReviewFacts) -> Iterable[str]:
    if facts.edges:
        yield ""
        yield "Edges that SQL proves and the catalog lacks:"
        ordered = sorted(facts.edges, key=lambda edge: not edge.direct)
        for edge in ordered[:MOST_EDGES]:
            line = edge.evidence[0]
            indirect = "" if edge.direct else f", {edge.operation or 'indirect'}"
            yield f"  {find_name(edge.upstream)} -> {find_name(edge.downstream)}  ({line.path}:{line.line}{indirect})"
        if len(ordered) > MOST_EDGES:
            yield f"  and {len(ordered) - MOST_EDGES} more (--format json lists them all)"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
