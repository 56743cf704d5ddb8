"""A small typed client for DataHub incidents on top of acryl-datahub, whose SDK has none.

It knows nothing of Tether. It works on every server version because it writes the `incidentInfo` aspect itself under a
urn that the caller chooses: GraphQL's `raiseIncident` makes up a new urn on every call, so that a retried request is a
second incident, and only the newest servers let the caller name it. Rules it keeps:

- raising is creating: an incident that exists is never overwritten, and two callers that raise the same urn make one;
- every change is read, change, write-if-unchanged, repeated when somebody else was faster;
- fields that this client does not know are kept.

    client = IncidentClient(graph)
    client.raise_incident("urn:li:incident:orders-late", NewIncident("FRESHNESS", "Orders are late", entities=(dataset,)))
    client.get("urn:li:incident:orders-late")                      # from the primary store, never stale
    client.list(dataset, state="ACTIVE")                           # from the search index
    client.update(urn, lambda info: {**info, "title": "Very late"})
    client.resolve("urn:li:incident:orders-late", "back-filled")
    client.reopen("urn:li:incident:orders-late", "late again")

Deliberately absent: incidents of type CUSTOM without a custom type, notes, external links, and notifications.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from datahub.configuration.common import GraphError, OperationalError
from datahub.ingestion.graph.client import DataHubGraph

from app.edges.datahub.documents import INCIDENTS
from app.edges.datahub.versioned import ABSENT, Held, Unreached, VersionConflict, VersionedAspects, WriteRefused

IncidentType: TypeAlias = Literal["FRESHNESS", "VOLUME", "FIELD", "SQL", "DATA_SCHEMA", "OPERATIONAL", "CUSTOM"]
IncidentState: TypeAlias = Literal["ACTIVE", "RESOLVED"]
Priority: TypeAlias = Literal["LOW", "MEDIUM", "HIGH", "CRITICAL"]
Change: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]

_ASPECT: Final = "incidentInfo"
#: as the aspect stores it
_PRIORITIES: Final[Mapping[str, int]] = {"CRITICAL": 0, "HIGH": 1, "MEDIUM": 2, "LOW": 3}
_ROUNDS: Final = 30
_PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class NewIncident:
    """What to raise. `entities` are urns of at least one entity of a type that this server lets incidents stand on."""

    type: IncidentType
    title: str
    description: str = ""
    entities: tuple[str, ...] = ()
    priority: Priority | None = None
    custom_type: str | None = None


@dataclass(frozen=True, slots=True)
class StoredIncident:
    """An incident as the server holds it. `info` is the whole aspect."""

    urn: str
    type: str
    title: str
    description: str
    entities: tuple[str, ...]
    state: IncidentState
    message: str
    info: Mapping[str, Any]


class IncidentClient:
    """Raise, get, list, update, resolve and reopen incidents. Synchronous; raises the exceptions of `versioned`."""

    def __init__(
        self,
        graph: DataHubGraph,
        *,
        actor: str = "urn:li:corpuser:datahub",
        run_id: str = "no-run-id-provided",
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._graph = graph
        self._aspects = VersionedAspects(graph)
        self._actor = actor
        self._run_id = run_id
        self._clock = clock
        self._sleep = sleep

    def raise_incident(self, urn: str, new: NewIncident) -> bool:
        """Create it, active, unless the urn exists already (in whatever state). True when this call created it."""
        stamp = self._stamp()
        info: dict[str, Any] = {
            "type": new.type,
            "title": new.title,
            "description": new.description,
            "entities": list(new.entities),
            "status": {"state": "ACTIVE", "stage": "TRIAGE", "lastUpdated": stamp},
            "source": {"type": "MANUAL"},
            "startedAt": stamp["time"],
            "created": stamp,
        }
        if new.custom_type is not None:
            info["customType"] = new.custom_type
        if new.priority is not None:
            info["priority"] = _PRIORITIES[new.priority]
        try:
            self._write(urn, info, ABSENT)
        except VersionConflict:
            return False
        return True

    def get(self, urn: str) -> StoredIncident | None:
        """The incident, None when there is none. Read from the primary store: never stale."""
        held = self._read(urn)
        return None if held.version == ABSENT else _parse(urn, held.value)

    def list(self, entity: str, *, state: IncidentState | None = None) -> tuple[StoredIncident, ...]:
        """The incidents on an entity, newest first. The list is served from the search index and may lag a little.

        Raises `WriteRefused` where this server lists none of such an entity: every server does of datasets, charts, dashboards,
        flows and jobs; of models and features only the newest (before that, an incident on them is readable by its urn alone).
        """
        kind = entity.split(":", 3)[2] if entity.startswith("urn:li:") else ""
        if kind not in INCIDENTS:
            raise WriteRefused(f"DataHub lists no incidents of {kind or entity!r}")
        urns: list[str] = []
        while True:
            page = self._fetch_page(kind, {"urn": entity, "state": state, "start": len(urns), "count": _PAGE})
            rows = page.get("incidents") or []
            urns += [row["urn"] for row in rows]
            if not rows or len(urns) >= int(page.get("total") or 0):
                break
        found = (self.get(urn) for urn in dict.fromkeys(urns))
        # the index may still name what is gone, or hold the state of a moment ago
        return tuple(incident for incident in found if incident and (state is None or incident.state == state))

    def _fetch_page(self, kind: str, variables: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            data = self._graph.execute_graphql(INCIDENTS[kind], variables=dict(variables))
        except (GraphError, OperationalError) as exc:
            if "ValidationError" in str(exc) or "FieldUndefined" in str(exc):
                raise WriteRefused(f"this server lists no incidents of {kind}") from None
            raise Unreached(f"the incidents could not be listed ({type(exc).__name__})") from None
        return (data.get(kind) or {}).get("incidents") or {}

    def update(self, urn: str, change: Change) -> bool:
        """Write what `change` makes of the aspect; False when it changes nothing. Raises `WriteRefused` when there is none.

        `change` may be called several times and must be pure. Raises `VersionConflict` when others keep being faster.
        """
        for attempt in range(_ROUNDS):
            held = self._read(urn)
            if held.version == ABSENT:
                raise WriteRefused(f"there is no incident {urn}")
            value = change(held.value)
            if value == held.value:
                return False
            try:
                self._write(urn, value, held.version)
            except VersionConflict:
                self._sleep(random.uniform(0, min(1.0, 0.02 * 2**attempt)))  # noqa: S311 - jitter
            else:
                return True
        raise VersionConflict(f"others kept changing {urn}")

    def resolve(self, urn: str, message: str = "") -> bool:
        """Resolved, stage FIXED; False when it is already."""
        return self.update(urn, lambda info: self.with_state(info, "RESOLVED", message))

    def reopen(self, urn: str, message: str = "") -> bool:
        """Active again, stage TRIAGE; False when it is active."""
        return self.update(urn, lambda info: self.with_state(info, "ACTIVE", message))

    def with_state(self, info: Mapping[str, Any], state: IncidentState, message: str) -> Mapping[str, Any]:
        """The aspect in that state, the same object when it is in it already. For use in a `change`."""
        status = info.get("status") or {}
        if status.get("state") == state:
            return info
        stage = "FIXED" if state == "RESOLVED" else "TRIAGE"
        changed = {**status, "state": state, "stage": stage, "message": message, "lastUpdated": self._stamp()}
        return {**info, "status": changed}

    def _stamp(self) -> dict[str, Any]:
        return {"time": int(self._clock() * 1000), "actor": self._actor}

    def _read(self, urn: str) -> Held:
        return self._aspects.read("incident", urn, [_ASPECT]).get(_ASPECT, Held())

    def _write(self, urn: str, info: Mapping[str, Any], version: str) -> None:
        at = int(self._clock() * 1000)
        self._aspects.write("incident", urn, _ASPECT, info, version=version, run_id=self._run_id, at=at)


def _parse(urn: str, info: Mapping[str, Any]) -> StoredIncident:
    status = info.get("status") or {}
    return StoredIncident(
        urn=urn,
        type=str(info.get("type", "")),
        title=str(info.get("title") or ""),
        description=str(info.get("description") or ""),
        entities=tuple(str(entity) for entity in info.get("entities") or ()),
        state="RESOLVED" if status.get("state") == "RESOLVED" else "ACTIVE",
        message=str(status.get("message") or ""),
        info=info,
    )
