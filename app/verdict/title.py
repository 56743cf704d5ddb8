"""The one line that everybody reads: verdict first, then who and what, at most 255 characters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from app.verdict.findings import find_feature_name
from app.verdict.verdict import Finding, Word
from app.words import Unknown

LIMIT: Final = 255  # GitHub's check run title
MOST_NAMES: Final = 4


def render_title(
    word: Word,
    findings: Sequence[Finding],
    unknowns: Sequence[Unknown],
    retired: Sequence[str] = (),
    muted: Sequence[Finding] = (),
) -> str:
    """Names come from catalogs and pull requests: they are put on one line and cut, never interpreted. `muted` are findings
    that the policy drops: a title that passes says so."""
    match word:
        case "block":
            text = _blocked([finding for finding in findings if _counts(finding, "block")])
        case "unassessable":
            text = _unassessable([finding for finding in findings if _counts(finding, "unassessable")], unknowns)
        case "warn":
            text = _warned(findings)
        case _ if muted:
            text = _muted(muted)
        case _:
            text = "Passed: only retired models read what is lost" if retired else "Passed: no model loses an input"
    return clip(text)


def clip(text: str) -> str:
    """One line of at most 255 characters."""
    line = re.sub(r"\s+", " ", "".join(c if c.isprintable() else " " for c in text)).strip()
    return line if len(line) <= LIMIT else line[: LIMIT - 1].rstrip() + "…"


def _counts(finding: Finding, level: str) -> bool:
    return finding.level == level and finding.disposition == "open"


def _lost(finding: Finding) -> str:
    column = finding.column.strip('"') if finding.column else ""
    return f"{finding.relation}.{column}" if column else finding.relation


def _blocked(findings: Sequence[Finding]) -> str:
    models = list(dict.fromkeys(finding.model_name or finding.model or "" for finding in findings))
    named = [model for model in models if model]
    first = findings[0]
    if len(named) > 1:
        more = f" and {len(named) - MOST_NAMES} more" if len(named) > MOST_NAMES else ""
        return f"Blocked: {len(named)} serving models would lose an input: {', '.join(named[:MOST_NAMES])}{more}"
    if not named:
        return f"Blocked: {first.message}"
    feature = find_feature_name(first.feature).rpartition(".")[2] if first.feature else ""
    lost = ", ".join(dict.fromkeys(_lost(finding) for finding in findings))
    return f"Blocked: {named[0]} would lose {feature} ({lost})" if feature else f"Blocked: {named[0]} would lose {lost}"


def _unassessable(findings: Sequence[Finding], unknowns: Sequence[Unknown]) -> str:
    texts = [finding.message for finding in findings] or [f"{unknown.what}: {unknown.why}" for unknown in unknowns]
    more = f" (and {len(texts) - 1} more)" if len(texts) > 1 else ""
    head = f"Cannot be assessed{more}: "
    return head + texts[0]


def _muted(findings: Sequence[Finding]) -> str:
    rules = list(dict.fromkeys(finding.rule for finding in findings))
    count = "1 finding is" if len(findings) == 1 else f"{len(findings)} findings are"
    are = "is" if len(rules) == 1 else "are"
    return f"Passed by policy: {count} not counted, because {', '.join(rules[:MOST_NAMES])} {are} off in .tether.yml"


def _warned(findings: Sequence[Finding]) -> str:
    disposed = [finding for finding in findings if finding.disposition != "open" and finding.level == "block"]
    if disposed:
        return f"Warning: {len(disposed)} blocking findings were set aside ({disposed[0].disposition})"
    warned = [finding for finding in findings if _counts(finding, "warn")]
    causes = {
        (finding.relation, finding.column) for finding in warned
    }  # each may concern any number of features and models
    more = f" (and {len(causes) - 1} more)" if len(causes) > 1 else ""
    if not warned:
        return "Warning"
    who = f"{warned[0].model_name}: " if warned[0].model_name else ""
    return f"Warning{more}: {who}{warned[0].message}"
