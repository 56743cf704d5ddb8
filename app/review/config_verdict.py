"""What `.tether.yml` alone makes of a change: the base's that cannot be used, the head's that could not be once merged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from app.effects import ReviewFacts
from app.review.conclude import RANKS
from app.review.config import ConfigError
from app.review.gather import Gathered
from app.verdict import Verdict, find_config_finding
from app.words import CONFIG_PATH, Level, PolicyConfig, Unknown

_TITLES: Final[Mapping[Level, str]] = {"block": "Blocked", "unassessable": "Unassessable", "warn": "Warning"}


def judge_config(gathered: Gathered) -> ReviewFacts | None:
    """The verdict when the base's .tether.yml cannot be used; None when it can."""
    error = gathered.config_error
    if error is None:
        return None
    called = CONFIG_PATH if error.name.startswith(CONFIG_PATH) else error.name
    place = (CONFIG_PATH, error.line or None) if called == CONFIG_PATH else (None, None)
    facts = ReviewFacts(
        gathered.inputs.subject,
        Verdict(
            "unassessable",
            f"Unassessable: {called} of the base branch cannot be used",
            unknowns=(Unknown(f"{called} of the base branch", str(error), *place),),
        ),
    )
    if gathered.only_config and gathered.head_config_error is None:
        sentence = f"{CONFIG_PATH} of the base branch cannot be used ({error}); this change touches only that file and repairs it"
        return replace(
            facts,
            verdict=Verdict(
                "warn", "Warning: " + sentence[:240], findings=(find_config_finding(sentence, 1, PolicyConfig()),)
            ),
        )
    return facts


def add_config_finding(facts: ReviewFacts, error: ConfigError | None, policy: PolicyConfig) -> ReviewFacts:
    """`error`: of the head's .tether.yml, which is always looked at: once merged, it would stop every later review."""
    verdict = facts.verdict
    if error is None:
        return facts
    message = f"once merged, no review of this repository could be made: {error}"
    finding = find_config_finding(message, error.line or 1, policy)
    if finding.level == "off":
        return facts
    if RANKS[finding.level] > RANKS[verdict.word] and verdict.observed is None:
        title = f"{_TITLES[finding.level]}: {error}"[:255]
        verdict = replace(verdict, word=finding.level, title=title)
    lines = (*facts.subject.changed_lines, (CONFIG_PATH, error.line or 1))
    return replace(
        facts,
        subject=replace(facts.subject, changed_lines=tuple(dict.fromkeys(lines))),
        verdict=replace(verdict, findings=(*verdict.findings, finding)),
    )
