"""An edge with its proof, and a refusal with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.words import Evidence


@dataclass(frozen=True, slots=True)
class ProvenEdge:
    """One edge to write. kind:

    - `column`: `upstream` and `downstream` are schemaField urns; goes to upstreamLineage.fineGrainedLineages of
      `entity` (the downstream dataset)
    - `source`: `upstream` is a dataset, `downstream` = `entity` a mlFeature; goes to mlFeatureProperties.sources, with
      the columns and lines in customProperties `tether.evidence`
    - `model`: `upstream` is a mlFeature, `downstream` = `entity` a mlModel

    `evidence` is never empty and stands on the default branch. `direct` False: the column is read in a filter, join or
    grouping; `operation` says which (transformOperation).
    """

    kind: Literal["column", "source", "model"]
    upstream: str
    downstream: str
    entity: str
    evidence: tuple[Evidence, ...]
    columns: tuple[str, ...] = ()
    direct: bool = True
    operation: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A connection Tether would not write. `feature` is the mlFeature's urn."""

    feature: str
    reason: str
    evidence: Evidence | None = None
