"""Edges that an entity's own aspects draw outwards: what a model is deployed to, what a job writes, which model a run scores
with, who a dataset's siblings are.

DataHub makes its relationships from these very fields, some time after the aspect was written; GraphQL knows no deployments
at all. Read here, they are as fresh as the aspect and cost no request.

Deliberately absent: what a model consumes, a feature derives from, a dataset is downstream of. A walk goes the other way,
and finds those by asking what points at an entity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from app.trail import TRAINED_ON, Edge

#: aspect -> (field, the member of its rows that holds the urn ("" = the row itself), relationship), as in DataHub 1.7's
#: models; only for training data DataHub itself has no relationship
DRAWN: Final[Mapping[str, tuple[tuple[str, str, str], ...]]] = {
    "siblings": (("siblings", "", "SiblingOf"),),
    "mlModelProperties": (
        ("deployments", "", "DeployedTo"),
        ("groups", "", "MemberOf"),
        ("trainingJobs", "", "TrainedBy"),
        ("downstreamJobs", "", "UsedBy"),
    ),
    "versionProperties": (("versionSet", "", "VersionOf"),),
    "mlModelTrainingData": (("trainingData", "dataset", TRAINED_ON),),
    "mlModelGroupProperties": (("trainingJobs", "", "TrainedBy"), ("downstreamJobs", "", "UsedBy")),
    "dataJobInputOutput": (
        ("outputDatasets", "", "Produces"),
        ("outputDatasetEdges", "destinationUrn", "Produces"),
    ),
    "dataProcessInstanceInput": (
        ("inputs", "", "Consumes"),
        ("inputEdges", "destinationUrn", "DataProcessInstanceConsumes"),
    ),
    "dataProcessInstanceOutput": (
        ("outputs", "", "Produces"),
        ("outputEdges", "destinationUrn", "DataProcessInstanceProduces"),
    ),
}


def find_drawn(aspects: Mapping[str, Mapping[str, Any]]) -> frozenset[Edge]:
    """The outward edges of every entity (urn -> aspect -> value). Fields of another shape draw nothing; the walk says so."""
    return frozenset(edge for urn, held in aspects.items() for edge in _of_entity(urn, held))


def _of_entity(urn: str, aspects: Mapping[str, Any]) -> Iterator[Edge]:
    for name, fields in DRAWN.items():
        value: Mapping[str, Any] = aspects.get(name) or {}
        for field, member, relationship in fields if value else ():
            rows = value.get(field)
            for row in rows if isinstance(rows, list) else (rows,):
                destination = row.get(member) if member and isinstance(row, dict) else row
                if isinstance(destination, str) and destination:
                    yield Edge(urn, relationship, destination)
