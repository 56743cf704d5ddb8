"""An embedded catalog that is served on this machine, and Tether's own clients on it: what the bench reads and repairs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from app.catalog import ServingCatalog
from app.edges.datahub import DataHubReads, DataHubWrites
from app.effects import EdgeWrite, Performed


@dataclass(frozen=True, slots=True)
class GatheredWrites:
    """Edges of one entity that come together are written together."""

    writes: DataHubWrites

    async def write(self, edges: Sequence[EdgeWrite]) -> Sequence[Performed]:
        """What came of each."""
        return await asyncio.gather(*(self.writes.write_edge(edge) for edge in edges))


@asynccontextmanager
async def open_clients(catalog: ServingCatalog) -> AsyncIterator[tuple[DataHubReads, GatheredWrites]]:
    """For reading, and for writing edges."""
    reads = DataHubReads(catalog.url, catalog.token)
    try:
        yield reads, GatheredWrites(DataHubWrites(catalog.url, catalog.token))
    finally:
        await reads.aclose()
