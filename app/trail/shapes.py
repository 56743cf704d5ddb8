"""The shapes of DataHub's aspects that Tether reads. Another shape means another schema, which nobody here can read: that is
said, never skipped in silence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

#: aspect -> field -> the type it has in DataHub 1.7
SHAPES: Final[Mapping[str, Mapping[str, type]]] = {
    "schemaMetadata": {"fields": list},
    "upstreamLineage": {"upstreams": list, "fineGrainedLineages": list},
    "siblings": {"siblings": list},
    "mlFeatureProperties": {"sources": list, "customProperties": dict},
    "mlPrimaryKeyProperties": {"sources": list},
    "mlFeatureTableProperties": {"mlFeatures": list, "mlPrimaryKeys": list},
    "mlModelProperties": {
        "mlFeatures": list,
        "deployments": list,
        "groups": list,
        "trainingJobs": list,
        "downstreamJobs": list,
        "customProperties": dict,
    },
    "mlModelGroupProperties": {"trainingJobs": list, "downstreamJobs": list},
    "mlModelTrainingData": {"trainingData": list},
    "mlModelDeploymentProperties": {"status": str},
    "dataJobInputOutput": {"fineGrainedLineages": list, "outputDatasets": list, "outputDatasetEdges": list},
    "dataProcessInstanceInput": {"inputs": list, "inputEdges": list},
    "dataProcessInstanceOutput": {"outputs": list, "outputEdges": list},
    "dashboardInfo": {"datasets": list},
    "globalTags": {"tags": list},
    "ownership": {"owners": list},
    "status": {"removed": bool},
    "subTypes": {"typeNames": list},
    "versionProperties": {"aliases": list},
}


def find_strange(aspects: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Aspects (urn -> name -> value) whose shape is not the one that is read here: (sentence, urn)."""
    for urn, held in aspects.items():
        for name, value in held.items():
            fields = SHAPES.get(name)
            if fields is not None and value is not None:
                yield from (
                    (f"the aspect {name} of {urn} has a shape that Tether does not know (field {field})", urn)
                    for field, kind in fields.items()
                    if not _fits(value, field, kind)
                )


def _fits(value: Any, field: str, kind: type) -> bool:
    held = value.get(field) if isinstance(value, Mapping) else value
    return held is None or isinstance(held, kind)
