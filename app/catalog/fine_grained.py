"""Column lineage as PATCH addresses it: /fineGrainedLineages/<operation>/<downstream>/<query>/<upstream>.

GMS folds the array into that map before a patch and unfolds it afterwards, which merges rows that differ in upstream
columns only and splits rows with several downstreams; so does this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: stands in for the primary keys of the array, which is not keyed by fields of its elements
FINE_GRAINED: tuple[str, ...] = ("*operation", "*downstream", "*query", "*upstream")
_NONE = "NONE"


def to_map(lineages: Sequence[Any]) -> dict[str, Any]:
    """operation -> downstream -> query -> upstream -> {"confidenceScore": float}."""
    result: dict[str, Any] = {}
    for lineage in lineages:
        operation, query = lineage.get("transformOperation") or _NONE, lineage.get("query") or _NONE
        for downstream in lineage.get("downstreams") or ():
            for upstream in lineage.get("upstreams") or ():
                place = result.setdefault(operation, {}).setdefault(downstream, {}).setdefault(query, {})
                place[upstream] = {"confidenceScore": lineage.get("confidenceScore", 1.0)}
    return result


def from_map(operations: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row for each operation, downstream, query and confidence, with all their upstreams."""
    rows: dict[tuple[Any, ...], list[str]] = {}
    for operation, downstreams in operations.items():
        for downstream, queries in downstreams.items():
            for query, upstreams in queries.items():
                for upstream, detail in upstreams.items():
                    kind = "DATASET" if upstream.startswith("urn:li:dataset:") else "FIELD_SET"
                    score = (detail or {}).get("confidenceScore", 1.0)
                    rows.setdefault((operation, downstream, query, kind, score), []).append(upstream)
    return [
        _row(operation, downstream, query, kind, score, upstreams)
        for (operation, downstream, query, kind, score), upstreams in rows.items()
    ]


def _row(operation: str, downstream: str, query: str, kind: str, score: float, upstreams: list[str]) -> dict[str, Any]:
    optional = {"transformOperation": operation, "query": query}
    return {
        "upstreamType": kind,
        "upstreams": upstreams,
        "downstreamType": "FIELD",
        "downstreams": [downstream],
        "confidenceScore": score,
        **{name: value for name, value in optional.items() if value != _NONE},
    }
