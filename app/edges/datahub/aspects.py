"""The aspects a walk needs, fetched by entity type in batches. Read from DataHub's primary store, so never stale.

A urn that was asked for and does not exist comes back with no aspects at all. That is why the key aspect is always asked
for: every entity has one, so an entity without anything else is still told apart from one that is not there.
Deliberately absent: types that no walk looks into (tags, people, API endpoints); their urns simply have no entry.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from app.edges.datahub.gathering import gather_or_cancel
from app.edges.datahub.urns import find_entity_type
from app.edges.datahub.wire import DataHubWire, Tally, Unusable

Aspects: TypeAlias = dict[str, dict[str, Any]]

#: urns a request. Schemas are wide: a thousand datasets are some 10 MB; everything else is small
CHUNK: Final[Mapping[str, int]] = {"dataset": 1000}
SMALL_CHUNK = 20_000

_SHARED = ("status", "ownership", "deprecation", "globalTags")
#: entity type -> aspects; the names are those of the entity registry of DataHub 1.7
WANTED: Final[Mapping[str, tuple[str, ...]]] = {
    "dataset": (
        *("datasetKey", "datasetProperties", "schemaMetadata", "upstreamLineage", "viewProperties"),
        *("siblings", "subTypes", *_SHARED),
    ),
    "mlFeature": ("mlFeatureKey", "mlFeatureProperties", *_SHARED),
    "mlPrimaryKey": ("mlPrimaryKeyKey", "mlPrimaryKeyProperties", *_SHARED),
    "mlFeatureTable": ("mlFeatureTableKey", "mlFeatureTableProperties", *_SHARED),
    "mlModel": ("mlModelKey", "mlModelProperties", "mlModelTrainingData", *_SHARED),
    "mlModelGroup": ("mlModelGroupKey", "mlModelGroupProperties", *_SHARED),
    "mlModelDeployment": ("mlModelDeploymentKey", "mlModelDeploymentProperties", *_SHARED),
    "dashboard": ("dashboardKey", "dashboardInfo", "subTypes", *_SHARED),
    "chart": ("chartKey", "chartInfo", "status", "ownership"),
    "dataJob": ("dataJobKey", "dataJobInfo", "dataJobInputOutput", "status", "ownership"),
    "dataProcessInstance": (
        *("dataProcessInstanceKey", "dataProcessInstanceProperties", "dataProcessInstanceInput"),
        *("dataProcessInstanceOutput", "dataProcessInstanceRelationships", "status"),
    ),
}
#: time series aspects; batchGet answers them with their latest event, at the price of one search per entity in the server
EVENTS: Final[Mapping[str, tuple[str, ...]]] = {"dataProcessInstance": ("dataProcessInstanceRunEvent",)}
#: aspects that servers older than about 1.0 do not know; a server that refuses the request is asked without them
NEWER: Final[Mapping[str, tuple[str, ...]]] = {
    "dataset": ("structuredProperties",),
    "mlModel": ("versionProperties", "structuredProperties"),
    "mlModelGroup": ("structuredProperties",),
    "dataProcessInstance": ("mlTrainingRunProperties",),
}


class AspectReader:
    """Fetches aspects through one wire; remembers which types the server knows only without the newer aspects."""

    def __init__(self, wire: DataHubWire) -> None:
        self._wire = wire
        self._older: set[str] = set()

    async def fetch(self, urns: Iterable[str], tally: Tally, *, events: bool = False) -> Aspects:
        """urn -> aspect -> value. {} for a urn that does not exist; no entry where a request failed (a reason says so).

        `events`: with the latest event of time series aspects.
        """
        by_type: dict[str, list[str]] = {}
        for urn in sorted(set(urns)):
            by_type.setdefault(find_entity_type(urn) or "", []).append(urn)
        parts = await gather_or_cancel(
            (
                self._fetch_chunk(entity_type, members[start : start + size], tally, EVENTS if events else {})
                for entity_type, members in by_type.items()
                if entity_type in WANTED
                for size in (CHUNK.get(entity_type, SMALL_CHUNK),)
                for start in range(0, len(members), size)
            )
        )
        return {urn: aspects for part in parts for urn, aspects in part.items()}

    async def _fetch_chunk(
        self, entity_type: str, urns: list[str], tally: Tally, events: Mapping[str, tuple[str, ...]]
    ) -> Aspects:
        try:
            rows = await self._ask(entity_type, urns, tally, events.get(entity_type, ()))
        except Unusable as exc:
            tally.reasons.append(f"The aspects of {len(urns)} {entity_type} entities could not be read: {exc.reason}")
            tally.unread.update(urns)
            return {}
        return parse_rows(rows, entity_type, urns, tally)

    async def _ask(self, entity_type: str, urns: list[str], tally: Tally, events: tuple[str, ...]) -> Any:
        names = (*WANTED[entity_type], *events)
        newer = () if entity_type in self._older else NEWER.get(entity_type, ())
        try:
            return await self._post(entity_type, urns, (*names, *newer), tally)
        except Unusable as exc:
            if exc.status not in (400, 422) or not newer:
                raise
        rows = await self._post(entity_type, urns, names, tally)
        self._older.add(entity_type)
        return rows

    async def _post(self, entity_type: str, urns: list[str], names: tuple[str, ...], tally: Tally) -> Any:
        return await self._wire.post(
            f"/openapi/v3/entity/{entity_type}/batchGet",
            render_batch(urns, names),
            params=[("systemMetadata", "false")],
            tally=tally,
        )


def render_batch(urns: Iterable[str], names: Iterable[str]) -> bytes:
    """`[{"urn": u, "<aspect>": {}, ...}]`, the same aspects for every urn: written as text, which is much faster."""
    wanted = "".join(f", {json.dumps(name)}: {{}}" for name in names)
    rows = (f'{{"urn": {json.dumps(urn, ensure_ascii=False)}{wanted}}}' for urn in urns)
    return f"[{', '.join(rows)}]".encode()


def parse_rows(rows: object, entity_type: str, urns: Iterable[str], tally: Tally) -> Aspects:
    """`[{"urn": u, "<aspect>": {"value": {...}}}]` -> urn -> aspect -> value; anything of another shape becomes a reason."""
    if not isinstance(rows, list):
        tally.reasons.append(f"DataHub answered a request for {entity_type} aspects with no list.")
        tally.unread.update(urns)
        return {}
    found: Aspects = {urn: {} for urn in urns}
    for row in rows:
        urn = row.get("urn") if isinstance(row, dict) else None
        if not isinstance(urn, str):
            tally.reasons.append(f"DataHub answered a request for {entity_type} aspects with a row that names no urn.")
            tally.unread.update(found)  # whose row it was, nobody can tell
            continue
        for name, envelope in row.items():
            if name == "urn" or envelope is None:
                continue
            value = envelope.get("value") if isinstance(envelope, dict) else None
            if not isinstance(value, dict):
                tally.reasons.append(f"The aspect {name} of {urn} came without a value.")
                tally.unread.add(urn)
            elif urn in found:
                found[urn][name] = value
    return found
