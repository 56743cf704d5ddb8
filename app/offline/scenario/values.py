"""What a scenario is, once its page was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from app.words import Permanent


class MalformedScenario(Permanent):
    """`place` is `file:line`; the message says what is wrong there and how to mend it."""

    def __init__(self, place: str, sentence: str) -> None:
        super().__init__(f"{place}: {sentence}")


@dataclass(frozen=True, slots=True)
class ExpectedLine:
    """A line of a page, for messages that name it."""

    page: str
    number: int
    text: str

    def refuse(self, sentence: str) -> MalformedScenario:
        """The error to raise."""
        return MalformedScenario(f"{self.page}:{self.number}", sentence)


@dataclass(frozen=True, slots=True)
class ScenarioText:
    """A file's bytes; of a symbolic link, where it leads."""

    data: bytes
    kind: Literal["file", "symlink"] = "file"


Files = Mapping[str, ScenarioText]


@dataclass(frozen=True, slots=True)
class ExpectedRemoval:
    """One removal of `app.change.find_removals`, with the place of its evidence."""

    kind: str
    relation: str
    column: str | None
    new_name: str | None
    level: str
    effect: str
    certain: bool
    side: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class ExpectedPlace:
    """Where something stands that could not be read."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Scenario:
    """`rules` are exactly those that have a finding, `models` some that are named by one that blocks.

    `tip` is the base branch as it is meanwhile, `base` itself where nothing was merged. `proposals` are metadata change proposals
    as DataHub's file sink writes them. `removals` is None where nobody wrote down what the replay says; `edges` are the
    operations of the edges that the tip's SQL proves ("direct", "GROUP", ...), None where nobody counted. `rows` is SQL that
    fills the tables before the change, "" where DuckDB cannot run both sides. `got` and `cause`: a wrong answer, once.
    """

    name: str
    verdict: str
    rules: tuple[str, ...]
    models: tuple[str, ...]
    why: str
    base: Files
    head: Files
    tip: Files
    proposals: tuple[dict[str, Any], ...] = ()
    removals: tuple[ExpectedRemoval, ...] | None = None
    unread: tuple[ExpectedPlace, ...] = ()
    edges: tuple[str, ...] | None = None
    rows: str = ""
    got: str = ""
    cause: str = ""
