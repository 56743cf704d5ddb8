"""What the token may write, found out without writing anything.

Each probe is a write of an entity that nobody has, on the condition that it has a version which no aspect ever has. The server
looks at the privileges first (401, 403), then at the condition (412 over OpenAPI, 422 over Rest.li): a failed condition
means that the write would have been allowed. A server that ignores conditions writes the probe; then it is deleted again,
and said, because two writers could undo each other there.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from datahub.configuration.common import OperationalError
from datahub.ingestion.graph.client import DataHubGraph

from app.edges.datahub.versioned import CatalogFailure, NotAllowed, VersionConflict, VersionedAspects
from app.ports import Right

#: versions begin with 1, and -1 means absent
IMPOSSIBLE: Final = "0"
_RUN: Final = "tether-doctor"
_DATASET: Final = "urn:li:dataset:(urn:li:dataPlatform:tether,tether.probe,PROD)"
_STAMP: Final = {"time": 0, "actor": "urn:li:corpuser:datahub"}


@dataclass(frozen=True, slots=True)
class _Probe:
    what: str
    kind: str
    urn: str
    aspect: str
    value: Mapping[str, Any]


PROBES: Final = (
    _Probe(
        "raise incidents",
        "incident",
        "urn:li:incident:tether-probe",
        "incidentInfo",
        {
            "type": "DATA_SCHEMA",
            "title": "probe",
            "entities": [_DATASET],
            "status": {"state": "RESOLVED", "lastUpdated": _STAMP},
            "created": _STAMP,
        },
    ),
    _Probe("write lineage of datasets", "dataset", _DATASET, "upstreamLineage", {"upstreams": []}),
    _Probe(
        "write sources of features",
        "mlFeature",
        "urn:li:mlFeature:(tether,probe)",
        "mlFeatureProperties",
        {"customProperties": {}, "sources": []},
    ),
    _Probe(
        "write inputs of models",
        "mlModel",
        "urn:li:mlModel:(urn:li:dataPlatform:tether,probe,PROD)",
        "mlModelProperties",
        {"customProperties": {}, "tags": [], "mlFeatures": []},
    ),
    _Probe("set tags", "dataset", _DATASET, "globalTags", {"tags": []}),
)


def probe_rights(graph: DataHubGraph) -> tuple[Right, ...]:
    """One answer for each kind of thing that Tether writes. Synchronous."""
    aspects = VersionedAspects(graph)
    return tuple(_ask(probe, aspects, graph) for probe in PROBES)


def _ask(probe: _Probe, aspects: VersionedAspects, graph: DataHubGraph) -> Right:
    at = int(time.time() * 1000)
    try:
        aspects.write(probe.kind, probe.urn, probe.aspect, probe.value, version=IMPOSSIBLE, run_id=_RUN, at=at)
    except VersionConflict:
        return Right(probe.what, "allowed")
    except NotAllowed as exc:
        return Right(probe.what, "not allowed", str(exc))
    except CatalogFailure as exc:
        return Right(probe.what, "failed", str(exc))
    return Right(probe.what, "unguarded", f"the server wrote what it should have refused; {_clean_up(probe, graph)}")


def _clean_up(probe: _Probe, graph: DataHubGraph) -> str:
    try:
        graph.delete_entity(probe.urn, hard=True)
    except OperationalError:
        return f"the probe could not be deleted again: delete {probe.urn} by hand"
    return "the probe was deleted again"
