"""A catalog that a contract test sets up and looks at without the port; one implementation for each pair of ports.

Both hold the ML path of `tests.edges.datahub.world`: orders -> staging -> features -> feature -> model -> deployments.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Any, TypeVar

from app.catalog import CatalogStore, Proposal, create_app
from app.edges.datahub import DataHubReads, DataHubWrites
from app.ports import CatalogReads, CatalogWrites
from app.repair import ProvenEdge
from app.words import Permanent, Transient
from tests.build import World
from tests.edges.datahub.world import FEATURE, FEATURES, ml_path, no_sleep
from tests.fakes.catalog import FakeCatalogWrites
from tests.fakes.catalog_reads import FakeCatalogReads
from tests.fakes.serving import Answer, Faulty, json_answer, serving

T = TypeVar("T")
READS = ("fetch_urns", "fetch_aspects", "fetch_edges", "fetch_models", "fetch_neighbours")
WRITES = ("raise_incident", "resolve_incident", "write_edge", "retract_edges")


class CatalogWorld(ABC):
    most_urns = 500

    def read(self, work: Callable[[CatalogReads], Awaitable[T]]) -> T:
        async def go() -> T:
            async with self.reads() as reads:
                return await work(reads)

        return asyncio.run(go())

    def write(self, work: Callable[[CatalogWrites], Awaitable[T]]) -> T:
        async def go() -> T:
            return await work(self.writes())

        return asyncio.run(go())

    @abstractmethod
    def reads(self) -> AbstractAsyncContextManager[CatalogReads]: ...
    @abstractmethod
    def writes(self) -> CatalogWrites: ...
    @abstractmethod
    def put(self, urn: str, aspect: str, value: Mapping[str, Any]) -> None:
        """What an ingestion writes."""

    @abstractmethod
    def lose(self, entity: str) -> None:
        """Somebody deletes it."""

    @abstractmethod
    def reject(self, entity: str) -> None:
        """Somebody refuses Tether's edges on it."""

    @abstractmethod
    def has_edge(self, edge: ProvenEdge) -> bool: ...
    @abstractmethod
    def is_active(self, incident: str) -> bool: ...
    @abstractmethod
    def go_away(self) -> None:
        """The catalog answers nothing but errors of its own from now on."""

    @abstractmethod
    def refuse(self) -> None:
        """The token is one that the catalog does not take."""


class FakeCatalogWorld(CatalogWorld):
    def __init__(self) -> None:
        aspects: dict[str, dict[str, Any]] = {}
        for one in ml_path():
            aspects.setdefault(one.urn, {})[one.aspect] = one.value
        self.world = World(dict(aspects.items()))
        self.written = FakeCatalogWrites()
        self.written.declared = {(FEATURES, FEATURE)}
        self.asked = FakeCatalogReads(self.world)

    @asynccontextmanager
    async def reads(self) -> AsyncIterator[CatalogReads]:
        self.asked.most_urns = self.most_urns
        yield self.asked

    def writes(self) -> CatalogWrites:
        return self.written

    def put(self, urn: str, aspect: str, value: Mapping[str, Any]) -> None:
        self.world.entities[urn] = {**self.world.entities.get(urn, {}), aspect: value}

    def lose(self, entity: str) -> None:
        self.put(entity, "status", {"removed": True})
        self.written.absent.add(entity)

    def reject(self, entity: str) -> None:
        self.written.rejected.add(entity)

    def has_edge(self, edge: ProvenEdge) -> bool:
        key = (edge.upstream, edge.downstream)
        return key in self.written.edges or key in self.written.declared

    def is_active(self, incident: str) -> bool:
        return incident in self.written.active

    def go_away(self) -> None:
        for name in (*READS, *WRITES):
            self.asked.fail[name] = [Transient("503")] * 9
            self.written.fail[name] = [Transient("503")] * 9

    def refuse(self) -> None:
        self.written.refused = "the token may not do that"
        for name in READS:
            self.asked.fail[name] = [Permanent("the token is not accepted")] * 9


class EmbeddedWorld(CatalogWorld):
    """The embedded catalog over HTTP, asked and written through the real adapters."""

    def __init__(self, store: CatalogStore) -> None:
        self.store, self.url = store, ""
        self.trouble: Answer | None = None
        store.write(ml_path())

    def fault(self, method: str, path: str, before: int) -> Answer | None:
        return self.trouble

    @asynccontextmanager
    async def reads(self) -> AsyncIterator[CatalogReads]:
        client = DataHubReads(self.url, "token", sleep=no_sleep, most_urns=self.most_urns)
        try:
            yield client
        finally:
            await client.aclose()

    def writes(self) -> CatalogWrites:
        return DataHubWrites(self.url, "token", sleep=no_sleep)

    def put(self, urn: str, aspect: str, value: Mapping[str, Any]) -> None:
        self.store.write([Proposal(urn, aspect, value=dict(value))])

    def lose(self, entity: str) -> None:
        self.put(entity, "status", {"removed": True})

    def reject(self, entity: str) -> None:
        self.put(entity, "globalTags", {"tags": [{"tag": "urn:li:tag:tether:rejected"}]})

    def has_edge(self, edge: ProvenEdge) -> bool:
        held = {name: one.value for name, one in self.store.fetch_aspects([edge.entity])[edge.entity].items()}
        listed = {"source": ("mlFeatureProperties", "sources"), "model": ("mlModelProperties", "mlFeatures")}
        if edge.kind == "column":
            rows = held.get("upstreamLineage", {}).get("fineGrainedLineages", [])
            return any([edge.upstream] == row["upstreams"] and [edge.downstream] == row["downstreams"] for row in rows)
        aspect, field = listed[edge.kind]
        return Counter(held.get(aspect, {}).get(field, []))[edge.upstream] == 1

    def is_active(self, incident: str) -> bool:
        held = self.store.fetch_aspects([incident]).get(incident, {}).get("incidentInfo")
        return held is not None and held.value["status"]["state"] == "ACTIVE"

    def go_away(self) -> None:
        self.trouble = json_answer({}, 503)

    def refuse(self) -> None:
        self.trouble = json_answer({"message": "User is unauthorized"}, 401)


@contextmanager
def open_embedded() -> Iterator[EmbeddedWorld]:
    with CatalogStore() as store:
        world = EmbeddedWorld(store)
        with serving(Faulty(create_app(store), world.fault)) as world.url:
            yield world
