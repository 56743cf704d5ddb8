"""Facts -> findings -> one word. Block before unassessable before warn before pass; nothing here can make it greener.

The word is a function of the findings and the unknowns alone, so whoever disposes of a finding later (softening, a waiver)
asks `find_word` again and cannot forget an open one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.change import RemovalReport
from app.trail import LineageGraph, Naming, Walk, find_model_name
from app.verdict.findings import ORDER, describe, merge_findings
from app.verdict.impacts import find_impacts
from app.verdict.policy import find_policy_notes, find_weakening, is_weakened
from app.verdict.rule import Facts
from app.verdict.rules import RULES
from app.verdict.title import clip, render_title
from app.verdict.unknowns import find_questions
from app.verdict.verdict import Finding, Verdict, Word
from app.words import Config, PolicyConfig, Unknown

NOT_SET_UP = (
    "Not set up here: none of this repository's relations is in the catalog; add a .tether.yml with `catalog:` to the base "
    "branch to have its changes judged"
)


def judge(
    report: RemovalReport,
    walk: Walk,
    graph: LineageGraph,
    naming: Naming,
    config: Config,
    *,
    in_scope: bool,
    extra: tuple[Unknown, ...] = (),
) -> Verdict:
    """The verdict on one change. `extra` are unknowns that the shell met before or around the core."""
    impacts = find_impacts(walk, graph, config)
    questions = find_questions(report, walk, naming, config, impacts, extra)
    facts = Facts(report, walk, graph, naming, config, impacts, questions)
    found = [finding for rule in RULES for finding in rule.check(rule, facts)]
    findings = tuple(
        sorted(merge_findings(f for f in found if f.level != "off"), key=lambda finding: ORDER[finding.level])
    )
    muted = merge_findings(f for f in found if f.level == "off")
    said: tuple[str, ...] = (
        tuple(find_policy_notes(_default_findings(facts), found, muted)) if config.policy.rules else ()
    )
    if weakening := find_weakening(RULES, config.policy):
        said = (weakening, *said)
    if not in_scope and not any(finding.level == "block" for finding in findings):
        return Verdict("warn", clip(NOT_SET_UP), notes=(NOT_SET_UP, *said), muted=len(muted))
    weakened = {rule.id for rule in RULES if is_weakened(rule, config.policy)}
    deciding = [question for question in questions if question.decides]
    unknowns = tuple(dict.fromkeys(question.unknown for question in deciding))
    hard = tuple(question.unknown for question in deciding if question.rule not in weakened)
    retired = tuple(_retired(facts))
    notes = tuple(dict.fromkeys((*said, *retired, *_weakening(facts, weakened))))
    word = find_word(findings, hard)
    title = render_title(word, findings, unknowns, retired, muted)
    return Verdict(word, title, findings, unknowns, notes, len(muted))


def find_word(findings: Sequence[Finding], unknowns: Sequence[Unknown] = ()) -> Word:
    """The worst open finding; an unknown that nobody weakened is never less than unassessable. Adding either never helps."""
    levels = {finding.level for finding in findings if finding.disposition == "open"}
    if "block" in levels:
        return "block"
    if "unassessable" in levels or unknowns:
        return "unassessable"
    if "warn" in levels or any(finding.disposition != "open" for finding in findings):
        return "warn"
    return "pass"


def _default_findings(facts: Facts) -> list[Finding]:
    """What the rules would say without a policy: the same findings in the same order, each at its rule's own level."""
    bare = replace(facts, config=replace(facts.config, policy=PolicyConfig()))
    return [finding for rule in RULES for finding in rule.check(rule, bare)]


def _retired(facts: Facts) -> Iterator[str]:
    for impact in facts.impacts:
        if impact.serving is not None and impact.serving.state == "retired" and impact.trail.model is not None:
            name = find_model_name(impact.trail.model, facts.graph)
            yield f"{describe(impact.removal)}; {name} reads it and is retired ({impact.serving.rule})"


def _weakening(facts: Facts, weakened: set[str]) -> Iterator[str]:
    for rule in sorted({question.rule for question in facts.questions} & weakened):
        yield f"{rule} only warns here, because: {facts.config.policy.because}"
