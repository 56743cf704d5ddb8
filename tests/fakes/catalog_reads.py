"""DataHub's read side in memory, as `app.ports.CatalogReads`, over the `World` of the tests of the walk.

For catalogs that the real adapter would not let through, and for tests of what is computed, not of what is asked.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from app.trail import GraphSlice, ModelListing
from app.words import Permanent
from tests.build import World


class FakeCatalogReads:
    """Of `hidden` urns only edges come, no aspects. A listing of more than `most_urns` is refused."""

    def __init__(self, world: World, *, most_urns: int = 500_000) -> None:
        self.world = world
        self.most_urns = most_urns
        self.hidden = frozenset[str]()
        self.fail: defaultdict[str, list[Exception]] = defaultdict(list)

    def _called(self, name: str) -> None:
        if self.fail[name]:
            raise self.fail[name].pop(0)

    async def fetch_urns(self, entity_type: str) -> tuple[str, ...]:
        self._called("fetch_urns")
        found = {urn: held for urn, held in self.world.entities.items() if urn.startswith(f"urn:li:{entity_type}:")}
        if len(found) > self.most_urns:
            raise Permanent(f"the catalog has more than {self.most_urns} {entity_type} entities")
        return tuple(sorted(urn for urn, held in found.items() if not (held.get("status") or {}).get("removed")))

    async def fetch_aspects(self, urns: frozenset[str]) -> GraphSlice:
        self._called("fetch_aspects")
        return self._hide(replace(self.world.look_up(urns), asked=frozenset()))

    def _hide(self, part: GraphSlice) -> GraphSlice:
        return replace(part, aspects={urn: {} if urn in self.hidden else held for urn, held in part.aspects.items()})

    async def fetch_edges(self, urns: frozenset[str]) -> GraphSlice:
        self._called("fetch_edges")
        into = (edge for edge in self.world.edges() if edge.destination in urns and edge.type != "TrainedOn")
        return GraphSlice(frozenset(), tuple(sorted(into)))

    async def fetch_models(self) -> ModelListing:
        self._called("fetch_models")
        return self.world.models()

    async def fetch_neighbours(
        self, urns: frozenset[str], *, known: frozenset[str] = frozenset(), guesses: frozenset[str] = frozenset()
    ) -> GraphSlice:
        self._called("fetch_neighbours")
        return self._hide(self.world.fetch(urns, known=known, guesses=guesses))
