"""DataHub, read: fulfils `app.ports.CatalogReads` with a few requests a hop, never one an entity.

Per frontier: one relationship scroll for what points at it, then one aspect batch per entity type over what is new. Edges
outwards stand in the aspects themselves. Column-level edges need no request of their own: they stand in the upstreamLineage
aspect of the downstream datasets, which are neighbours; a frontier may name schemaField urns to find datasets that declare
only those.

Deliberately absent: every conclusion. Which edge means what, which deployment belongs to which endpoint name, and what is
soft-deleted is for `app.trail` to say.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

import httpx

from app.edges.datahub.aspects import AspectReader
from app.edges.datahub.breaker import Breaker
from app.edges.datahub.documents import IDENTITY
from app.edges.datahub.drawn import find_drawn
from app.edges.datahub.events import fetch_earlier
from app.edges.datahub.listing import MOST_URNS, fetch_listing
from app.edges.datahub.models import fetch_models
from app.edges.datahub.older import GraphqlRelationships
from app.edges.datahub.relationships import Relationships
from app.edges.datahub.wire import TIMEOUT, TOKEN_HINT, DataHubWire, Tally, Unusable
from app.effects import find_dataset
from app.ports import RETRIES, Retries
from app.trail import Edge, GraphSlice, ModelListing
from app.words import Permanent, Transient

FIELD = "urn:li:schemaField:("


@dataclass(frozen=True, slots=True)
class Server:
    """What `/config` says. `version` is "" when not told; `environment` "core" is the open source server.

    `relationship_scroll` None: the token was refused, and without one nobody can tell.
    """

    version: str
    environment: str
    relationship_scroll: bool | None


class DataHubReads:
    """Fulfils `CatalogReads`. One instance serves all reviews; it keeps connections and capabilities, never answers."""

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        breaker: Breaker | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        retries: Retries = RETRIES["datahub"],
        timeout: httpx.Timeout = TIMEOUT,
        most_urns: int = MOST_URNS,
    ) -> None:
        self._wire = DataHubWire(
            url, token, transport=transport, breaker=breaker, sleep=sleep, retries=retries, timeout=timeout
        )
        self._aspects = AspectReader(self._wire)
        self._relationships = Relationships(self._wire, GraphqlRelationships(self._wire))
        self._most_urns = most_urns

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        await self._wire.aclose()

    async def fetch_neighbours(
        self,
        urns: frozenset[str],
        *,
        known: frozenset[str] = frozenset(),
        guesses: frozenset[str] = frozenset(),
    ) -> GraphSlice:
        """Edges around the frontier, and the aspects of it and of whatever points at it.

        `known`: urns whose aspects the caller has already; they are not fetched again. `guesses`: urns of the frontier that
        are mere names; their aspects are fetched only if something points at them. Raises `Transient` when the server is
        away, `Permanent` when it refuses the token; what could not be read otherwise stands in `reasons`.
        """
        tally = Tally()
        edges = await self._relationships.fetch(urns, tally)
        pointed_at = {edge.destination for edge in edges}
        unseen = guesses - pointed_at
        aspects = await self._aspects.fetch(_find_entities(edges, urns - unseen) - known, tally)
        edges |= find_drawn(aspects)
        reasons, unread = tuple(dict.fromkeys(tally.reasons)), frozenset(tally.unread)
        return GraphSlice(urns, tuple(sorted(edges)), aspects, reasons, tally.requests, unseen, unread)

    async def fetch_aspects(self, urns: frozenset[str]) -> GraphSlice:
        """The aspects of these urns alone (of a schemaField: its dataset's), of runs their last event as well, or all of
        them where that one is no end. Raises as `fetch_neighbours`.
        """
        tally = Tally()
        aspects = await self._aspects.fetch(_find_entities((), urns), tally, events=True)
        aspects = await fetch_earlier(self._wire, aspects, tally)
        edges = tuple(sorted(find_drawn(aspects)))
        reasons, unread = tuple(dict.fromkeys(tally.reasons)), frozenset(tally.unread)
        return GraphSlice(frozenset(), edges, aspects, reasons, tally.requests, unread=unread)

    async def fetch_urns(self, entity_type: str) -> tuple[str, ...]:
        """Every urn of one type that is not soft-deleted, sorted. Raises `Transient` for a listing cut short."""
        return await fetch_listing(self._wire, entity_type, most=self._most_urns)

    async def fetch_edges(self, urns: frozenset[str]) -> GraphSlice:
        """What the graph index says of edges into these urns, and no aspects. Raises as `fetch_neighbours`."""
        tally = Tally()
        edges = await self._relationships.fetch(urns, tally)
        return GraphSlice(frozenset(), tuple(sorted(edges)), {}, tuple(dict.fromkeys(tally.reasons)), tally.requests)

    async def fetch_models(self) -> ModelListing:
        """What every model takes, as far as nothing points at it. Raises as `fetch_urns`."""
        return await fetch_models(self._wire, self._aspects, most=self._most_urns)

    async def fetch_identity(self) -> str:
        """The urn of the account the token belongs to. Raises `Permanent` for a token that is not accepted."""
        try:
            data = await self._wire.post_graphql(IDENTITY, {})
        except Unusable as exc:
            raise Transient(f"Whose token it is could not be asked: {exc.reason}") from None
        user = (data.get("me") or {}).get("corpUser") or {}
        urn = user.get("urn") if isinstance(user, dict) else None
        if not isinstance(urn, str) or not urn:
            raise Permanent(f"DataHub at {self._wire.host} does not know whose token this is: {TOKEN_HINT}.")
        return urn

    async def fetch_server(self) -> Server:
        """Version and capabilities. The version is told without a token, so it proves the address only."""
        try:
            config = await self._wire.get("/config")
        except Unusable as exc:
            raise Transient(f"The server's configuration could not be read: {exc.reason}") from None
        if not isinstance(config, dict) or str(config.get("noCode")).lower() != "true":
            raise Permanent(
                f"{self._wire.host} is not DataHub's metadata service: TETHER_DATAHUB_URL must name it (often port 8080, or"
                " /api/gms behind the web interface)."
            )
        try:
            scrolls: bool | None = await self._relationships.fetch_capability(Tally())
        except Permanent:
            scrolls = None
        return Server(
            _text(config, "versions", "acryldata/datahub", "version"),
            _text(config, "datahub", "serverEnv") or "core",
            scrolls,
        )


def _find_entities(edges: Iterable[Edge], urns: Iterable[str]) -> set[str]:
    """The urns that have aspects of their own: schemaField urns stand for their dataset."""
    ends = set(urns)
    for edge in edges:
        ends |= {edge.source, edge.destination}
    return {_find_entity(urn) for urn in ends}


def _find_entity(urn: str) -> str:
    if not urn.startswith(FIELD):
        return urn
    # nearly every dataset's urn has one pair of brackets, and ends with it
    dataset, mark, _ = urn.removeprefix(FIELD).partition("),")
    return f"{dataset})" if mark and dataset.count("(") == 1 else find_dataset(urn) or urn


def _text(config: Any, *path: str) -> str:
    for key in path:
        config = config.get(key) if isinstance(config, dict) else None
    return config if isinstance(config, str) else ""
