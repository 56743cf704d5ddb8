"""Which models stand behind a place, over hops of any certainty: what decides whether a doubt matters.

All questions of one walk are answered together. Places that lead to each other stand before the same models, so the places
are gathered into strongly connected groups (Tarjan's algorithm, without recursion: chains of views are long), and each
group's models are its own and those of the groups behind it, as bits of one number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from app.trail.hop import Hops, ModelLoss, Place


@dataclass(frozen=True, slots=True)
class Reach:
    """`wanted` and `guesses` are urns to be fetched before anybody can be sure that these are all the models."""

    models: Mapping[Place, tuple[str, ...]]
    wanted: frozenset[str]
    guesses: frozenset[str]


def find_reach(starts: Iterable[Place], expand: Callable[[Place], Hops]) -> Reach:
    """The models behind each of the starts, in the order in which they were met."""
    asked = tuple(dict.fromkeys(starts))
    search = _Search(expand)
    for place in asked:
        search.run(place)
    named = tuple(search.bits)
    return Reach(
        {place: tuple(_pick(named, search.behind[place])) for place in asked},
        frozenset(search.wanted),
        frozenset(search.guesses),
    )


def _pick(names: tuple[str, ...], bits: int) -> Iterator[str]:
    while bits:
        lowest = bits & -bits
        yield names[lowest.bit_length() - 1]
        bits ^= lowest


@dataclass(slots=True)
class _Search:
    expand: Callable[[Place], Hops]
    behind: dict[Place, int] = field(default_factory=dict)  # finished places -> their models as bits
    bits: dict[str, int] = field(default_factory=dict)
    wanted: set[str] = field(default_factory=set)
    guesses: set[str] = field(default_factory=set)
    _order: dict[Place, int] = field(default_factory=dict)
    _low: dict[Place, int] = field(default_factory=dict)
    _found: dict[Place, int] = field(default_factory=dict)  # unfinished places -> models seen so far
    _open: list[Place] = field(default_factory=list)

    def run(self, start: Place) -> None:
        """Finishes the start and everything that it leads to."""
        if start in self.behind:
            return
        path: list[tuple[Place, Iterator[Place]]] = [(start, self._enter(start))]
        while path:
            place, rest = path[-1]
            following = next(rest, None)
            if following is None:
                path.pop()
                self._leave(place, path[-1][0] if path else None)
            elif following in self.behind:
                self._found[place] |= self.behind[following]
            elif following in self._order:
                self._low[place] = min(self._low[place], self._order[following])
            else:
                path.append((following, self._enter(following)))

    def _enter(self, place: Place) -> Iterator[Place]:
        self._order[place] = self._low[place] = len(self._order)
        self._open.append(place)
        hops = self.expand(place)
        self.wanted |= hops.wanted
        self.guesses |= hops.guesses
        self._found[place] = self._bit(place.urn) if isinstance(place, ModelLoss) else 0
        return iter([hop.to for hop in hops.hops])

    def _bit(self, model: str) -> int:
        return self.bits.setdefault(model, 1 << len(self.bits))

    def _leave(self, place: Place, before: Place | None) -> None:
        """Hands what was found to the place before it; the first place of a group finishes all of the group."""
        if self._low[place] == self._order[place]:
            group = self._close(place)
            models = 0
            for member in group:
                models |= self._found.pop(member)
            self.behind.update(dict.fromkeys(group, models))
            if before is not None:
                self._found[before] |= models
        elif before is not None:
            self._low[before] = min(self._low[before], self._low[place])
            self._found[before] |= self._found[place]

    def _close(self, first: Place) -> list[Place]:
        group = []
        while True:
            member = self._open.pop()
            group.append(member)
            if member == first:
                return group
