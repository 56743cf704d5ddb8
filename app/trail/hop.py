"""The small steps of the walk as values: what is lost where, and how one loss leads to the next.

A hop is proven or it carries a doubt; the walk follows both, but only proven hops make a trail.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from app.trail.trail import Effect, Step
from app.words import Evidence, Unknown


@dataclass(frozen=True, slots=True)
class Loss:
    """A column of a relation is lost; `column` None: every column of it. `node` is a key of `Nodes`.

    `narrows`: the relation has fewer columns than before, which breaks who counts them (a rename does not).
    `physical`: the change itself takes it away, so that statements that write the column stop as well.
    `by_position`: only the order of the columns changed; `at_end`: not even that, more of them came behind the last.
    `gained`: nothing is lost, the relation has the column anew and its name may mean another to a reader.
    `hidden`: it is there for those who name it, and no star hands it on.
    `new_type`: the column has another class of type now, which a reader may reject.
    """

    node: str
    column: str | None
    effect: Effect = "stops"
    narrows: bool = False
    physical: bool = False
    by_position: bool = False
    new_type: str = ""
    at_end: bool = False
    gained: bool = False
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class FeatureLoss:
    """A mlFeature, or a mlPrimaryKey: without its key nothing of a feature table can be looked up."""

    urn: str
    effect: Effect


@dataclass(frozen=True, slots=True)
class ModelLoss:
    """A model, or a dashboard that stands for one (a dbt exposure of type ml); `feature` None: read without a feature."""

    urn: str
    effect: Effect
    feature: str | None = None


Place: TypeAlias = Loss | FeatureLoss | ModelLoss


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a hop could not be proven. `unknown` writes the unknown once it is known which models stand behind it.

    `mild`: whatever the answer is, it would warn at most.
    """

    rule: str
    what: str
    why: str
    evidence: Evidence | None = None
    mild: bool = False

    def unknown(self, behind: str) -> Unknown:
        text = f"{self.why}; {behind}" if behind else self.why
        if self.evidence is None:
            return Unknown(self.what, text)
        return Unknown(self.what, text, self.evidence.path, self.evidence.line, self.evidence.repo)


@dataclass(frozen=True, slots=True)
class Hop:
    """From one loss to the next place. `step` is what a trail shows of it."""

    to: Place
    step: Step
    doubt: Doubt | None = None


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An edge of the catalog that visible SQL denies."""

    text: str
    evidence: Evidence | None


@dataclass(frozen=True, slots=True)
class Hops:
    """Everywhere that one place leads. `notes` go to the completeness statement, `wanted` are urns to be fetched.

    `guesses` are further urns, of features by their names and of tables in another case: most of them do not exist.
    `dead_ends` are sure readers of which nobody can tell what they feed.
    """

    hops: tuple[Hop, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    notes: tuple[str, ...] = ()
    dashboards: tuple[str, ...] = ()
    wanted: frozenset[str] = frozenset()
    dead_ends: tuple[Doubt, ...] = ()
    guesses: frozenset[str] = frozenset()


def join_hops(*parts: Hops) -> Hops:
    """All of it; most parts of most places are `NOWHERE`."""
    held = [part for part in parts if part is not NOWHERE]
    if len(held) <= 1:
        return held[0] if held else NOWHERE
    return Hops(
        tuple(hop for part in held for hop in part.hops),
        tuple(found for part in held for found in part.contradictions),
        tuple(note for part in held for note in part.notes),
        tuple(urn for part in held for urn in part.dashboards),
        frozenset[str]().union(*(part.wanted for part in held)),
        tuple(doubt for part in held for doubt in part.dead_ends),
        frozenset[str]().union(*(part.guesses for part in held)),
    )


NOWHERE: Final = Hops()
