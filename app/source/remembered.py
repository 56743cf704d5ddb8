"""Answers kept for one run: of the catalog, so that all changes are judged against one graph, and of parsed SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.ports import CatalogReads
from app.trail import GraphSlice, ModelListing


class RememberedCatalog:
    """`CatalogReads` that asks each question once: all commits are judged against one graph, and a long history is cheap."""

    def __init__(self, reads: CatalogReads) -> None:
        self._reads = reads
        self._known: dict[object, Any] = {}

    async def fetch_neighbours(
        self,
        urns: frozenset[str],
        *,
        known: frozenset[str] = frozenset(),
        guesses: frozenset[str] = frozenset(),
    ) -> GraphSlice:
        """As `CatalogReads.fetch_neighbours`."""
        key = ("neighbours", urns, known, guesses)
        if key not in self._known:
            self._known[key] = await self._reads.fetch_neighbours(urns, known=known, guesses=guesses)
        found: GraphSlice = self._known[key]
        return found

    async def fetch_aspects(self, urns: frozenset[str]) -> GraphSlice:
        """As `CatalogReads.fetch_aspects`."""
        key = ("aspects", urns)
        if key not in self._known:
            self._known[key] = await self._reads.fetch_aspects(urns)
        found: GraphSlice = self._known[key]
        return found

    async def fetch_edges(self, urns: frozenset[str]) -> GraphSlice:
        """As `CatalogReads.fetch_edges`."""
        key = ("edges", urns)
        if key not in self._known:
            self._known[key] = await self._reads.fetch_edges(urns)
        found: GraphSlice = self._known[key]
        return found

    async def fetch_models(self) -> ModelListing:
        """As `CatalogReads.fetch_models`."""
        if "models" not in self._known:
            self._known["models"] = await self._reads.fetch_models()
        found: ModelListing = self._known["models"]
        return found

    async def fetch_urns(self, entity_type: str) -> tuple[str, ...]:
        """As `CatalogReads.fetch_urns`."""
        key = ("urns", entity_type)
        if key not in self._known:
            self._known[key] = await self._reads.fetch_urns(entity_type)
        found: tuple[str, ...] = self._known[key]
        return found


class RunParseCache:
    """`ParseCache` for one run: most files of two commits are the same."""

    def __init__(self) -> None:
        self._rows: dict[str, bytes] = {}

    async def fetch_parsed(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Those that are there."""
        return {key: self._rows[key] for key in keys if key in self._rows}

    async def store_parsed(self, rows: Any) -> None:
        """Kept until the run ends."""
        self._rows.update(rows)
