"""COLUMNS('pattern'): which column names a pattern picks. Own matcher, for a pattern of somebody else must not run for ever.

Each name is read once, with the set of places in the pattern that it may be at: time grows with pattern times name. What
the matcher does not know (counts, backreferences, repeated groups) is told by None, never guessed. Both DuckDB and
ClickHouse look for the pattern anywhere in the name; case is left aside, since folded names have none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

_MAX_LENGTH = 300  # characters of a pattern
_MAX_BRANCHES = 64  # alternatives after groups are multiplied out
_PIECE = re.compile(r"(\[\^?\]?[^\[\]\\]*\]|\\[dwsDWS.\\_$^*+?()\[\]{}|-]|[^\\\[\](){}|*+?^$])([*+?]?)\??")
_GROUP = re.compile(r"\((?:\?:)?([^()?]*(?:\?[^()]*)*)\)(?![*+?{])")

Picker = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class _Branch:
    """One alternative: (what one character must be, whether it repeats, whether it may be missing), and its anchors."""

    pieces: tuple[tuple[re.Pattern[str], bool, bool], ...]
    from_start: bool
    to_end: bool

    def picks(self, name: str) -> bool:
        places = self._settle({0})
        for character in name:
            if len(self.pieces) in places and not self.to_end:
                return True
            stepped = set() if self.from_start else {0}
            for place in places:
                if place < len(self.pieces) and self.pieces[place][0].fullmatch(character):
                    stepped.add(place if self.pieces[place][1] else place + 1)
            places = self._settle(stepped)
        return len(self.pieces) in places

    def _settle(self, places: set[int]) -> set[int]:
        """With the places that are reached without reading anything."""
        todo = list(places)
        while todo:
            place = todo.pop()
            if place < len(self.pieces) and self.pieces[place][2] and place + 1 not in places:
                places.add(place + 1)
                todo.append(place + 1)
        return places


def find_picker(pattern: str) -> Picker | None:
    """Tells of a folded name whether the pattern picks it; None for a pattern that is not understood."""
    pattern = pattern.removeprefix("(?i)")
    branches = _multiply_out(pattern) if len(pattern) <= _MAX_LENGTH and not re.search(r"\\[()|]", pattern) else None
    parsed = [_parse_branch(branch) for branch in branches or ()]
    known = [branch for branch in parsed if branch is not None]
    if not known or len(known) < len(parsed):
        return None
    return lambda name: any(branch.picks(name.strip('"')) for branch in known)


def find_listed(names: Iterable[str]) -> Picker:
    """COLUMNS(['a', 'b'])."""
    wanted = frozenset(name.lower() for name in names)
    return lambda name: name.strip('"').lower() in wanted


def _multiply_out(pattern: str) -> list[str] | None:
    """Alternatives without groups; None where there are too many, or a group stays."""
    done: list[str] = []
    todo = [pattern]
    while todo:
        if len(todo) + len(done) > _MAX_BRANCHES:
            return None
        text = todo.pop()
        group = _GROUP.search(text)
        if group is None:
            done += text.split("|")
            continue
        todo += [text[: group.start()] + one + text[group.end() :] for one in group[1].split("|")]
    return None if len(done) > _MAX_BRANCHES else done


def _parse_branch(text: str) -> _Branch | None:
    from_start, to_end = text.startswith("^"), text.endswith("$") and not text.endswith("\\$")
    text = text[from_start : len(text) - to_end]
    pieces: list[tuple[re.Pattern[str], bool, bool]] = []
    at = 0
    while at < len(text):
        found = _PIECE.match(text, at)
        if found is None:
            return None
        try:
            one = re.compile(found[1], re.IGNORECASE)
        except re.error:  # `[z-a]`
            return None
        if found[2] == "+":
            pieces.append((one, False, False))
        pieces.append((one, found[2] in ("*", "+"), found[2] in ("*", "+", "?")) if found[2] else (one, False, False))
        at = found.end()
    return _Branch(tuple(pieces), from_start, to_end)
