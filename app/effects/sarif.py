"""A review as SARIF 2.1.0, for code scanning and editors: one result for each finding, its lines as locations.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0". A line of another repository is a link or,
where it may not be shown, left out; a view that only the catalog holds has no file and is a logical location.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import quote

from app.effects.evidence import permalink
from app.effects.kinds import ReviewFacts
from app.effects.privacy import Sight
from app.effects.rule_pages import find_rule_url
from app.verdict import RULES, Finding, Rule
from app.words import Evidence, Level, Unknown

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final = {"block": "error", "unassessable": "error", "warn": "warning", "off": "none"}
#: what an unknown is filed under that no finding speaks of
_UNTOLD: Final = "review_is_incomplete"
_NUMBERS: Final = {rule.id: number for number, rule in enumerate(RULES)}


def report_sarif(facts: ReviewFacts) -> dict[str, Any]:
    """The log with its one run."""
    sight = Sight.of(facts)
    driver: dict[str, Any] = {"name": "Tether", "rules": [_rule(rule, facts.subject.rules_url) for rule in RULES]}
    told = {finding.message for finding in facts.verdict.findings}
    untold = [unknown for unknown in facts.verdict.unknowns if f"{unknown.what}: {unknown.why}" not in told]
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "invocations": [{"executionSuccessful": True}],
                "results": [
                    *(_result(finding, facts, sight) for finding in facts.verdict.findings),
                    *(_of_unknown(unknown, facts, sight) for unknown in untold),
                ],
                "columnKind": "utf16CodeUnits",
                "properties": {
                    "verdict": facts.verdict.word,
                    "conclusion": facts.verdict.conclusion,
                    "title": sight.redact(facts.verdict.title),
                },
            }
        ],
    }


def _rule(rule: Rule, rules_url: str) -> dict[str, Any]:
    url = find_rule_url(rule.id, rules_url)
    return {
        "id": rule.id,
        "name": "".join(part.capitalize() for part in rule.id.split("_")),
        "shortDescription": {"text": rule.id.replace("_", " ").capitalize() + "."},
        "fullDescription": {"text": rule.summary},
        "help": {"text": rule.advice},
        **({"helpUri": url} if url else {}),
        "defaultConfiguration": {"level": _LEVELS[rule.level]},
    }


def _result(finding: Finding, facts: ReviewFacts, sight: Sight) -> dict[str, Any]:
    open_ = finding.disposition == "open"
    result: dict[str, Any] = {
        **_filed(finding.rule),
        "level": _find_level(finding.level, facts) if open_ else "note",
        "message": {"text": sight.redact(_say(finding))},
        "partialFingerprints": {"tetherFinding/v1": _fingerprint(finding)},
        "properties": {"verdict": finding.level, "disposition": finding.disposition},
    }
    if not open_:
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": finding.disposition}]
    places = [place for evidence in _own_first(finding.evidence, facts) if (place := _place(evidence, facts, sight))]
    if places:
        result["locations"] = places[:1]
    if places[1:]:
        result["relatedLocations"] = [{"id": number, **place} for number, place in enumerate(places[1:], 1)]
    return result


def _filed(rule: str) -> dict[str, Any]:
    return {"ruleId": rule, "ruleIndex": _NUMBERS[rule]} if rule in _NUMBERS else {"ruleId": rule}


def _say(finding: Finding) -> str:
    if not finding.model:
        return finding.message
    name = finding.model_name or finding.model
    return f"{finding.message} Model: {name}. Owner: {finding.owner}. Last trained: {finding.last_trained}."


def _fingerprint(finding: Finding) -> str:
    """The same finding in another run: by what is lost and for whom, not by line."""
    parts = (finding.rule, finding.relation, finding.column or "", finding.feature or "", finding.model or "")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _find_level(level: Level, facts: ReviewFacts) -> str:
    """Where the mode is to observe, nothing is an error: code scanning blocks on them."""
    return "warning" if facts.verdict.observed is not None and _LEVELS[level] == "error" else _LEVELS[level]


def _of_unknown(unknown: Unknown, facts: ReviewFacts, sight: Sight) -> dict[str, Any]:
    result: dict[str, Any] = {
        **_filed(_UNTOLD),
        "level": _find_level("unassessable", facts),
        "message": {"text": sight.redact(f"{unknown.what}: {unknown.why}")},
    }
    if unknown.path and not unknown.repo:
        result["locations"] = [_file(unknown.path, unknown.line or 1)]
    return result


def _own_first(evidence: Iterable[Evidence], facts: ReviewFacts) -> list[Evidence]:
    """The head's own lines first: whoever shows only one location shows one that can be changed."""
    return sorted(evidence, key=lambda e: (not _is_own(e, facts), e.side != "head"))


def _is_own(evidence: Evidence, facts: ReviewFacts) -> bool:
    return evidence.side != "catalog" and evidence.repo in ("", facts.subject.repo.full_name)


def _place(evidence: Evidence, facts: ReviewFacts, sight: Sight) -> dict[str, Any] | None:
    """Where the line stands; None where it may not be shown."""
    if not sight.may_show(evidence):
        return None
    line = sight.read(evidence)
    said = {"message": {"text": f"{evidence.side}: {line}".strip() if line.strip() else evidence.side}}
    if _is_own(evidence, facts):
        return {**_file(evidence.path, evidence.line), **said}
    url = permalink(evidence, web_url=facts.subject.web_url, repo=facts.subject.repo.full_name, commit="")
    if url and evidence.side != "catalog":
        return {"physicalLocation": {"artifactLocation": {"uri": url}}, **said}
    name = ": ".join(filter(None, (evidence.repo, evidence.path)))
    return {"logicalLocations": [{"fullyQualifiedName": f"{name}:{evidence.line}"}], **said}


def _file(path: str, line: int) -> dict[str, Any]:
    """A file of the repository under review; a line that is not told is none."""
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(path), "uriBaseId": "%SRCROOT%"}}
    if line > 0:
        physical["region"] = {"startLine": line}
    return {"physicalLocation": physical}
