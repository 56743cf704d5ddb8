"""Evidence that Tether wrote beside an edge, read back: an edge with its lines is proven though its SQL is not visible.

The items are {upstream, downstream, repo, commit, path, line, text, columns} in `tether.evidence` and its continuations.
They count only while the entity carries Tether's tag and nobody rejected it: a person may take the tag away.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.trail.aspects import find_properties, find_rows, find_tags
from app.trail.graph import LineageGraph
from app.words import Evidence

EVIDENCE_KEY: Final = "tether.evidence"
ACCEPTED_TAGS: Final = frozenset({"urn:li:tag:tether:inferred", "urn:li:tag:tether:confirmed"})
REJECTED_TAG: Final = "urn:li:tag:tether:rejected"
_MOST_PROPERTIES: Final = 20


@dataclass(frozen=True, slots=True)
class Proof:
    """`upstream` is a dataset or a schemaField, `columns` as the catalog spells them, () for a column edge."""

    upstream: str
    downstream: str
    columns: tuple[str, ...]
    evidence: tuple[Evidence, ...]


def is_rejected(graph: LineageGraph, urn: str) -> bool:
    return REJECTED_TAG in find_tags(graph, urn)


def find_proofs(graph: LineageGraph, entity: str) -> tuple[Proof, ...]:
    """The proofs of the inferred edges into a feature, a model or a dataset; () without the tag, or once rejected."""
    return graph.read(entity, read_proofs)


def read_proofs(aspects: Mapping[str, Any]) -> tuple[Proof, ...]:
    """The same from the entity's aspects."""
    tags = {row.get("tag") for row in find_rows(aspects.get("globalTags") or {}, "tags")}
    if REJECTED_TAG in tags or not ACCEPTED_TAGS & tags:
        return ()
    properties = [find_properties(aspects.get(name) or {}) for name in ("mlFeatureProperties", "mlModelProperties")]
    for row in find_rows(aspects.get("upstreamLineage") or {}, "upstreams"):
        held = row.get("properties")
        if isinstance(held, Mapping):
            properties.append({str(key): str(value) for key, value in held.items()})
    grouped: dict[tuple[str, str], tuple[list[str], list[Evidence]]] = {}
    for item in (item for held in properties for item in _items(held)):
        evidence = _evidence(item)
        if evidence is not None:
            key = (str(item.get("upstream", "")), str(item.get("downstream", "")))
            columns, lines = grouped.setdefault(key, ([], []))
            listed = item.get("columns")
            columns += [str(column) for column in listed] if isinstance(listed, list) else []
            lines.append(evidence)
    return tuple(
        Proof(upstream, downstream, tuple(dict.fromkeys(columns)), tuple(dict.fromkeys(lines)))
        for (upstream, downstream), (columns, lines) in grouped.items()
    )


def _items(properties: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    for number in range(1, _MOST_PROPERTIES + 1):
        text = properties.get(EVIDENCE_KEY if number == 1 else f"{EVIDENCE_KEY}.{number}")
        if text is None:
            return
        try:
            items = json.loads(text)
        except ValueError:  # somebody else's text proves nothing; the edge is then one without evidence
            items = []
        yield from (item for item in items if isinstance(item, dict)) if isinstance(items, list) else ()


def _evidence(item: Mapping[str, Any]) -> Evidence | None:
    path, line = item.get("path"), item.get("line")
    if not isinstance(path, str) or not isinstance(line, int) or line < 1:
        return None
    text, repo, commit = (str(item.get(key) or "") for key in ("text", "repo", "commit"))
    return Evidence(path, line, text, "base", repo, commit)
