"""The two shapes that most rules have: a check over trails, and a check over what could not be told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from app.verdict.attribution import find_rule_id
from app.verdict.findings import build_finding, build_unknown, describe, group_impacts, list_features
from app.verdict.policy import find_level, find_question_level
from app.verdict.rule import Facts, Impact, Rule
from app.verdict.verdict import Finding
from app.words import Level


def check_trails(rule: Rule, facts: Facts) -> Iterator[Finding]:
    """One finding for each model (or feature without one) whose trails fall under the rule."""
    mine = [impact for impact in facts.impacts if find_rule_id(impact, facts.config) == rule.id]
    for group in group_impacts(mine):
        loud = any(map(_is_proven, group))
        at_most: Level = "block" if loud else "warn"
        level = find_level(rule, facts.config.policy, at_most=at_most)
        yield build_finding(rule, level, group, facts, render_message(rule, group))


def _is_proven(impact: Impact) -> bool:
    """Something is surely lost. A new type takes something only from a reader that rejects it: its trail stops."""
    removal = impact.removal
    if removal.kind == "type_changed" and not removal.certain:
        return removal.level == "block" and impact.trail.effect == "stops"
    return removal.level == "block" and removal.certain


def check_questions(rule: Rule, facts: Facts) -> Iterable[Finding]:
    """One finding for each thing that could not be told and falls under the rule."""
    for question in facts.questions:
        if question.rule == rule.id:
            finding = build_unknown(rule, question.unknown, question.removal, facts)
            yield replace(finding, level=find_question_level(rule, question, facts.config.policy))


def render_message(rule: Rule, group: list[Impact]) -> str:
    """The rule's sentence with what is lost and for whom. `{lost}`, `{features}`, `{serving}`, `{unclear}` are filled in."""
    first = group[0]
    features = list_features(group)
    return rule.message.format(
        lost=describe(first.removal),
        features=features or "its input",
        serving=f"{first.serving.state}: {first.serving.rule}" if first.serving else "",
        unclear=", ".join(dict.fromkeys(name for impact in group for name in impact.unclear)),
    )
