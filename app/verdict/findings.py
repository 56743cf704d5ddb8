"""From facts to findings: the values that all rules fill in alike, and one finding for several trails to one model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.change import Removal
from app.trail import find_last_trained, find_model_name, find_owner
from app.verdict.rule import Facts, Impact, Rule
from app.verdict.verdict import Finding
from app.words import Evidence, Level, Unknown

MOST_EVIDENCE = 20  # lines of one finding
MOST_NAMES = 8  # features in one sentence
ORDER: dict[Level, int] = {"block": 0, "unassessable": 1, "warn": 2, "off": 3}

_DID = {
    "column_dropped": "is dropped",
    "column_renamed": "is renamed",
    "relation_dropped": "is dropped",
    "relation_renamed": "is renamed",
    "output_removed": "is no longer selected",
    "output_renamed": "is renamed",
    "definition_deleted": "loses its definition",
    "type_changed": "changes its type",
    "values_lost": "loses its stored values",
    "position_changed": "changes the order of its columns",
    "view_invalidated": "becomes invalid",
    "meaning_changed": "changes its meaning",
    "column_hidden": "is made invisible",
    "writer_is_unread": "may lose columns",
    "column_added": "is added",
}


#: in front of the name of a macro or a variable that nobody has (see `app.render`)
_STANDS_FOR = re.compile(r"\bzz_(?:unset_)?(?=\w+\()")


def find_lost(removal: Removal) -> str:
    """What the change takes, as people write it."""
    column = removal.column.strip('"') if removal.column else ""
    return f"{removal.relation}.{column}" if column else removal.relation


def describe(removal: Removal) -> str:
    """`shop.raw.orders.discount_pct is renamed to discount_rate`."""
    renamed = f" to {removal.new_name}" if removal.new_name else ""
    detail = f" ({_STANDS_FOR.sub('', removal.detail)})" if removal.detail else ""
    return f"{find_lost(removal)} {_DID[removal.kind]}{renamed}{detail}"


def find_feature_name(feature: str) -> str:
    return feature.partition("(")[2].rstrip(")").replace(",", ".") if "(" in feature else feature


def build_finding(rule: Rule, level: Level, group: Sequence[Impact], facts: Facts, message: str) -> Finding:
    """`group` are the trails that make one finding; the first stands for them."""
    first = group[0]
    trail, removal = first.trail, first.removal
    serving = first.serving
    evidence = dict.fromkeys(e for impact in group for e in _evidence(impact))
    trained = find_last_trained(trail.model, facts.graph) if trail.model else None
    notes = "".join(f"; {note}" for note in dict.fromkeys(s.note for i in group for s in i.trail.steps if s.note))
    return Finding(
        rule=rule.id,
        level=level,
        message=f"{message.removesuffix('.')}{notes}." if notes else message,
        relation=removal.relation,
        column=removal.column,
        dataset=facts.naming.resolve(removal.relation).urn,
        feature=trail.feature,
        model=trail.model,
        model_name=find_model_name(trail.model, facts.graph) if trail.model else "",
        owner=find_owner(trail, facts.graph, facts.config),
        last_trained=trained.day if trained else "unknown",
        last_trained_rule=trained.rule if trained else "",
        serving=serving.state if serving else "",
        serving_rule=serving.rule if serving else "",
        trail=tuple(step.urn for step in trail.steps),
        evidence=tuple(evidence)[:MOST_EVIDENCE],
        new_name=removal.new_name,
    )


def build_unknown(rule: Rule, unknown: Unknown, removal: Removal | None, facts: Facts) -> Finding:
    """A finding for something that could not be told."""
    evidence = [removal.evidence] if removal else []
    if unknown.path:
        evidence.append(Evidence(unknown.path, unknown.line or 1, repo=unknown.repo))
    return Finding(
        rule=rule.id,
        level=rule.level,
        message=f"{unknown.what}: {unknown.why}",
        relation=removal.relation if removal else "",
        column=removal.column if removal else None,
        dataset=facts.naming.resolve(removal.relation).urn if removal else None,
        evidence=tuple(dict.fromkeys(evidence)),
    )


def group_impacts(impacts: Iterable[Impact]) -> list[list[Impact]]:
    """Impacts of one (relation, column, model) together, or of one feature where no model is known; the worst first."""
    groups: dict[tuple[str, str | None, str], list[Impact]] = {}
    for impact in impacts:
        end = impact.trail.model or impact.trail.feature or ""
        groups.setdefault((impact.removal.relation, impact.removal.column, end), []).append(impact)
    return [sorted(group, key=_severity) for group in groups.values()]


def list_features(group: Sequence[Impact]) -> str:
    """The features that a group loses, in words: those that read the lost column, else all that fall with its statement."""
    reading = [impact for impact in group if not _falls_with_its_statement(impact)]
    names = list(dict.fromkeys(find_feature_name(i.trail.feature) for i in reading or group if i.trail.feature))
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def merge_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One finding for one (relation, column, model): the worst stays and takes the others' evidence."""
    merged: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        key: tuple[object, ...] = (finding.relation, finding.column, finding.model)
        if finding.model is None:
            key = (*key, finding.rule, finding.feature, finding.message)
        held = merged.get(key)
        if held is None:
            merged[key] = finding
            continue
        worse, other = (held, finding) if ORDER[held.level] <= ORDER[finding.level] else (finding, held)
        evidence = tuple(dict.fromkeys((*worse.evidence, *other.evidence)))[:MOST_EVIDENCE]
        merged[key] = replace(worse, evidence=evidence)
    return tuple(merged.values())


def _evidence(impact: Impact) -> tuple[Evidence, ...]:
    return tuple(e for step in impact.trail.steps for e in step.evidence)


def _falls_with_its_statement(impact: Impact) -> bool:
    """The line that computes the feature is none of the lines that read what is lost: it falls because its statement fails."""
    steps = impact.trail.steps
    places = [{(e.repo, e.path, e.line) for e in step.evidence} for step in steps]
    feature = next((n for n, step in enumerate(steps) if step.urn == impact.trail.feature), 0)
    if feature < 2 or not places[feature]:
        return False
    return places[feature].isdisjoint(places[feature - 1])


def _severity(impact: Impact) -> tuple[bool, bool, bool, int]:
    """What reads the lost column itself is named before what its statement takes along."""
    return (
        impact.removal.level != "block",
        impact.trail.effect != "stops",
        _falls_with_its_statement(impact),
        len(impact.trail.steps),
    )
