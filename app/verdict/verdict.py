"""What the judge says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from app.words import Evidence, Level, Unknown

Word: TypeAlias = Literal["block", "unassessable", "warn", "pass"]
Conclusion: TypeAlias = Literal["failure", "neutral", "success"]
CONCLUSIONS: dict[Word, Conclusion] = {
    "block": "failure",
    "unassessable": "failure",
    "warn": "neutral",
    "pass": "success",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a person should know. `evidence` starts with the line that takes the column away.

    `trail` are urns in order (a relation without a urn stands under its name). Dates are ISO days, "unknown" if not told.
    """

    rule: str
    level: Level
    message: str
    relation: str
    column: str | None
    disposition: Literal["open", "softened", "waived"] = "open"
    dataset: str | None = None
    feature: str | None = None
    model: str | None = None
    model_name: str = ""
    owner: str = "unknown"
    last_trained: str = "unknown"
    last_trained_rule: str = ""
    serving: str = ""
    serving_rule: str = ""
    trail: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    new_name: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """`title` starts with the verdict and fits 255 characters. `unknowns` explain unassessable.

    `notes` are sentences that change nothing: retired models that read what is lost, and rules that the policy weakens or
    switches off. `muted` counts the findings of rules that are off: they are in no list, and no pass is unqualified with them.
    `observed` is the word that `mode: observe` keeps from counting; `word` is "warn" then.
    """

    word: Word
    title: str
    findings: tuple[Finding, ...] = ()
    unknowns: tuple[Unknown, ...] = ()
    notes: tuple[str, ...] = ()
    muted: int = 0
    observed: Word | None = None

    @property
    def judged(self) -> Word:
        """What the judge said, whatever the mode makes of it."""
        return self.observed or self.word

    @property
    def conclusion(self) -> Conclusion:
        return CONCLUSIONS[self.word]
