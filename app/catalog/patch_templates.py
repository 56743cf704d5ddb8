"""Which aspects take a bare list of patch operations, and by what their arrays are keyed (GMS: SnapshotEntityRegistry).

An aspect that is not here can only be patched generically, with `arrayPrimaryKeys`: mlFeatureProperties, mlModelProperties,
institutionalMemory and incidentInfo among them. An empty key tuple is an array of plain strings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from app.catalog.fine_grained import FINE_GRAINED

Keys: TypeAlias = tuple[str, ...]

_EDGES: Keys = ("destinationUrn",)

#: aspect -> path of the array -> keys; outer arrays before the ones inside them
TEMPLATES: Mapping[str, Mapping[tuple[str, ...], Keys]] = {
    "ownership": {("owners",): ("owner", "type")},
    "datasetProperties": {},
    "upstreamLineage": {("upstreams",): ("dataset",), ("fineGrainedLineages",): FINE_GRAINED},
    "documentation": {("documentations",): ("attribution\u241fsource",)},
    "globalTags": {("tags",): ("tag",)},
    "editableSchemaMetadata": {
        ("editableSchemaFieldInfo",): ("fieldPath",),
        ("editableSchemaFieldInfo", "*", "globalTags", "tags"): ("tag",),
        ("editableSchemaFieldInfo", "*", "glossaryTerms", "terms"): ("urn",),
    },
    "glossaryTerms": {("terms",): ("urn",)},
    "dataFlowInfo": {},
    "dataJobInfo": {},
    "dataProductProperties": {("assets",): _EDGES},
    "chartInfo": {("inputEdges",): _EDGES, ("inputs",): ("string",)},
    "dashboardInfo": {
        ("datasetEdges",): _EDGES,
        ("chartEdges",): _EDGES,
        ("dashboards",): _EDGES,
        ("charts",): (),
        ("datasets",): (),
    },
    "dataJobInputOutput": {
        ("inputDatasetEdges",): _EDGES,
        ("outputDatasetEdges",): _EDGES,
        ("inputDatajobEdges",): _EDGES,
        ("inputDatasetFields",): (),
        ("outputDatasetFields",): (),
        ("inputDatasets",): (),
        ("outputDatasets",): (),
        ("inputDatajobs",): (),
        ("fineGrainedLineages",): FINE_GRAINED,
    },
    "structuredProperties": {("properties",): ("propertyUrn",)},
    "propertyDefinition": {("entityTypes",): ()},
    "formInfo": {("prompts",): ("id",)},
    "versionProperties": {},
    "siblings": {("siblings",): ()},
    "status": {},
    "domains": {("domains",): ()},
    "editableDatasetProperties": {},
    "editableContainerProperties": {},
    "editableMlModelGroupProperties": {},
}
