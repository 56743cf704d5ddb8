"""Raw aspects with their versions, read and conditionally written through acryl-datahub. Synchronous.

Free of Tether's own types. Aspects are plain JSON here and stay it: the SDK's typed classes would drop what a newer server
knows. A write names the version it replaces, so that two writers never undo each other; the condition and the run id both
reach the server only with an UPSERT (DataHub's generic PATCH loses them).

The SDK's session would repeat a POST up to eight times by itself, waiting in between; here it repeats none. Who calls
decides, after looking at what is there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote

import requests
from datahub.configuration.common import ConfigurationError, OperationalError
from datahub.emitter.emit_mode import EmitMode
from datahub.ingestion.graph.client import DataHubGraph
from datahub.ingestion.graph.config import ClientMode, DatahubClientConfig
from datahub.metadata.schema_classes import GenericAspectClass, MetadataChangeProposalClass, SystemMetadataClass

ABSENT: Final = "-1"  # the version of an aspect that is not there
_TIMEOUT: Final = 30.0  # seconds
NOT_FOUND: Final = 404
_AWAY: Final = frozenset({429, 500, 502, 503, 504})


class CatalogFailure(Exception):  # noqa: N818 - a family of outcomes
    """The catalog did not do what was asked; the message says what it said instead."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class VersionConflict(CatalogFailure):
    """Somebody else wrote the aspect since it was read."""


class WriteRefused(CatalogFailure):
    """The server will not take it, however often it is sent."""


class NotAllowed(CatalogFailure):
    """The token is not accepted, or may not do this."""


class Unreached(CatalogFailure):
    """No answer, or "not now": whether a write happened is not known."""


@dataclass(frozen=True, slots=True)
class Held:
    """One aspect as the server holds it; version ABSENT and an empty value when there is none.

    `source` is what wrote it, as far as it said so: "ui" is a person in DataHub's pages.
    """

    value: Mapping[str, Any] = field(default_factory=dict)
    version: str = ABSENT
    source: str = ""


def open_graph(url: str, token: str | None) -> DataHubGraph:
    """A client that emits synchronously, over OpenAPI where the server can (it tells a conflict from a refusal)."""
    return DataHubGraph(
        DatahubClientConfig(
            server=url.rstrip("/"),
            token=token,
            timeout_sec=_TIMEOUT,
            retry_max_times=0,
            client_mode=ClientMode.SDK,
            datahub_component="tether",
        )
    )


class VersionedAspects:
    """Reads and writes the aspects of one entity at a time."""

    def __init__(self, graph: DataHubGraph) -> None:
        self._graph = graph
        self._url = graph.config.server.rstrip("/")
        self._probed = False

    def read(self, entity_type: str, urn: str, names: Iterable[str]) -> dict[str, Held]:
        """Aspect name -> what is held; names without an aspect are left out. Read from the primary store."""
        body = [{"urn": urn, **{name: {} for name in names}}]
        try:
            response = self._graph.session.post(
                f"{self._url}/openapi/v3/entity/{entity_type}/batchGet",
                params={"systemMetadata": "true"},
                data=json.dumps(body),
            )
            response.raise_for_status()
            rows = response.json()
        except requests.exceptions.JSONDecodeError:
            raise Unreached("the catalog answered a read with something other than JSON") from None
        except requests.RequestException as exc:
            raise _translate(exc) from None
        return _parse_row(rows, urn)

    def read_earlier(self, urn: str, name: str, version: int) -> Held | None:
        """An earlier version of an aspect (1 is the oldest), None when the server does not keep it (any more)."""
        try:
            response = self._graph.session.get(
                f"{self._url}/aspects/{quote(urn, safe='')}", params={"aspect": name, "version": str(version)}
            )
            if response.status_code == NOT_FOUND:
                return None
            response.raise_for_status()
            row = response.json()
        except requests.exceptions.JSONDecodeError:
            raise Unreached("the catalog answered a read with something other than JSON") from None
        except requests.RequestException as exc:
            raise _translate(exc) from None
        value = next((v for v in (row.get("aspect") or {}).values() if isinstance(v, dict)), None)
        return None if value is None else Held(value, str(version), _source(row.get("systemMetadata") or {}))

    def write(
        self, entity_type: str, urn: str, name: str, value: Mapping[str, Any], *, version: str, run_id: str, at: int
    ) -> None:
        """UPSERT if the aspect still has `version`. Raises `VersionConflict`, `WriteRefused`, `NotAllowed`, `Unreached`."""
        try:
            self._emit(entity_type, urn, name, value, version=version, run_id=run_id, at=at)
        except WriteRefused:
            # on the Rest.li path a conflict is a 422 like any refusal: the version that is there now tells them apart
            if self.read(entity_type, urn, [name]).get(name, Held()).version == version:
                raise
            raise VersionConflict(f"{name} of {urn} was changed meanwhile") from None

    def _emit(
        self, entity_type: str, urn: str, name: str, value: Mapping[str, Any], *, version: str, run_id: str, at: int
    ) -> None:
        proposal = MetadataChangeProposalClass(
            entityType=entity_type,
            changeType="UPSERT",
            entityUrn=urn,
            aspectName=name,
            aspect=GenericAspectClass(value=json.dumps(value).encode(), contentType="application/json"),
            systemMetadata=SystemMetadataClass(lastObserved=at, runId=run_id),
            # the second header makes the new edge or incident visible to the next reader, not only after index lag
            headers={"If-Version-Match": version, "X-DataHub-Sync-Index-Update": "true"},
        )
        try:
            if not self._probed:
                self._graph.test_connection()  # reads /config once: it decides between the OpenAPI and the Rest.li path
                self._probed = True
            self._graph.emit_mcp(proposal, emit_mode=EmitMode.SYNC_PRIMARY)
        except ConfigurationError:
            raise Unreached("the catalog's /config could not be read, or it is no metadata service") from None
        except OperationalError as exc:
            raise _translate(exc.__cause__, exc.info) from None
        except requests.RequestException as exc:
            raise _translate(exc) from None


def _parse_row(rows: object, urn: str) -> dict[str, Held]:
    if not isinstance(rows, list):
        raise Unreached("the catalog answered a read with no list")
    row = next((row for row in rows if isinstance(row, dict) and row.get("urn") == urn), None)
    held: dict[str, Held] = {}
    for name, envelope in (row or {}).items():
        if name == "urn" or envelope is None:
            continue
        value = envelope.get("value") if isinstance(envelope, dict) else None
        if not isinstance(value, dict):
            raise WriteRefused(f"the aspect {name} came without a value")
        system = envelope.get("systemMetadata") or {}
        version = system.get("version")
        # the server's own rule for aspects written before versions existed: they count as version 1
        held[name] = Held(value, str(version) if version is not None else "1", _source(system))
    return held


def _source(system: Mapping[str, Any]) -> str:
    return str((system.get("properties") or {}).get("appSource") or "")


def _translate(exc: BaseException | None, given: Mapping[str, Any] | None = None) -> CatalogFailure:
    """Status -> outcome. Only the status and the server's own message go into the text, never what was sent."""
    response = getattr(exc, "response", None)
    if response is None:
        return Unreached(f"the catalog could not be reached ({type(exc).__name__})")
    status = response.status_code
    message = str((given or _body(response)).get("message") or (given or {}).get("error") or "")[:300]
    text = f"the catalog answered {status}" + (f": {message}" if message else "")
    if status in (401, 403):
        return NotAllowed(text)
    if status in (409, 412):
        return VersionConflict(text)
    if status in _AWAY:
        after = response.headers.get("Retry-After", "")
        return Unreached(text, retry_after=float(after) if after.isdigit() else None)
    return WriteRefused(text)


def _body(response: requests.Response) -> Mapping[str, Any]:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
