"""Places -> evidence: the source lines of both sides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.change.world import Place
from app.words import Evidence, Side


@dataclass(frozen=True, slots=True)
class Sources:
    """The lines of every file on both sides, for the texts of evidence."""

    base: Mapping[str, tuple[str, ...]]
    head: Mapping[str, tuple[str, ...]]

    def at(self, place: Place, side: Side) -> Evidence:
        lines = (self.base if side == "base" else self.head).get(place.path, ())
        text = lines[place.line - 1].strip() if 0 < place.line <= len(lines) else ""
        return Evidence(place.path, place.line, text, side)
