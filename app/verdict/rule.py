"""What a rule of the judge is, and what it looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from app.change import Removal, RemovalReport
from app.trail import LineageGraph, Naming, Serving, Trail, Walk
from app.verdict.verdict import Finding
from app.words import Config, Level, Unknown


@dataclass(frozen=True, slots=True)
class Impact:
    """One trail with what is known of its model. `serving` None: no model is behind the feature.

    `unclear` are other versions that share the deployment or group and do not lose the column: which of them is the one
    that is called is not recorded.
    """

    trail: Trail
    serving: Serving | None = None
    unclear: tuple[str, ...] = ()

    @property
    def removal(self) -> Removal:
        return self.trail.removal


@dataclass(frozen=True, slots=True)
class Facts:
    """All that rules may look at."""

    report: RemovalReport
    walk: Walk
    graph: LineageGraph
    naming: Naming
    config: Config
    impacts: tuple[Impact, ...]
    questions: tuple[Question, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """Something that could not be told, and the rule it falls under.

    `decides` False: the removal may at most warn, so not knowing it warns as well.
    """

    rule: str
    unknown: Unknown
    removal: Removal | None = None
    decides: bool = True


Check: TypeAlias = Callable[["Rule", Facts], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """`level` is what the rule says unless the policy says otherwise. `documentation` is its page for people: one sentence of
    what it says, an empty line, what to do. `scenario` is a page of `tests/scenarios/` in which it speaks, "" if none can."""

    id: str
    level: Level
    message: str
    documentation: str
    scenario: str
    check: Check

    @property
    def summary(self) -> str:
        """What it says, one sentence."""
        return " ".join(self.documentation.split("\n\n")[0].split())

    @property
    def advice(self) -> str:
        """What to do about it."""
        return " ".join(" ".join(self.documentation.split("\n\n")[1:]).split())
