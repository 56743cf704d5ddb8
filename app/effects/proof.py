"""The proof of an edge as it is stored beside the edge: a JSON list in string properties. Pure.

One item per line that proves something: {upstream, downstream, repo, commit, path, line, columns, direct, operation, run}: where
it stands and not what it says, for whoever reads the catalog need not be one who may read the repository. A list that
outgrows one property goes on in `tether.evidence.2`, `.3` ...: Elasticsearch refuses keywords above 32,766 bytes, and
DataHub indexes customProperties as such.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Any, Final, TypeAlias

from app.repair import ProvenEdge

Item: TypeAlias = dict[str, Any]

EVIDENCE_KEY: Final = "tether.evidence"
PROPERTY_BYTES: Final = 30_000
MOST_PROPERTIES: Final = 20  # 600 KB; an aspect travels in one Kafka message, 1 MB by default
_REMEMBERED: Final = 64  # texts taken apart; an entity has a few, and its edges are planned one after the other


_KEYS: Final = frozenset((EVIDENCE_KEY, *(f"{EVIDENCE_KEY}.{number}" for number in range(2, MOST_PROPERTIES + 1))))


def find_items(edge: ProvenEdge, run_id: str) -> tuple[Item, ...]:
    """The edge's proof, one item per evidence line."""
    return tuple(
        {
            "upstream": edge.upstream,
            "downstream": edge.downstream,
            "repo": evidence.repo,
            "commit": evidence.commit,
            "path": evidence.path,
            "line": evidence.line,
            "columns": list(edge.columns),
            "direct": edge.direct,
            "operation": edge.operation,
            "run": run_id,
        }
        for evidence in edge.evidence
    )


def parse_items(properties: Mapping[str, Any]) -> tuple[Item, ...]:
    """All items in `tether.evidence` and its continuations; what is no list of items counts as none."""
    found: list[Item] = []
    for number in range(1, MOST_PROPERTIES + 1):
        text = properties.get(_key(number))
        if text is None:
            break
        found += _parse(text)
    return tuple(found)


def proves(items: Iterable[Mapping[str, Any]], edge: ProvenEdge) -> bool:
    """Whether an item speaks of this edge: then the edge was written by Tether, and is not somebody's declaration."""
    return any(item.get("upstream") == edge.upstream and item.get("downstream") == edge.downstream for item in items)


def merge_proof(properties: Mapping[str, Any], items: Sequence[Item]) -> dict[str, Any] | None:
    """The properties with the items in them, or None when they say all of it already.

    A new commit or run alone is no news (the stored permalink still shows the line); a new line, upstream or column is.
    Raises ValueError when the proof does not fit: an edge without its proof must not be written.
    """
    texts = list(takewhile(bool, (str(properties.get(_key(number)) or "") for number in range(1, MOST_PROPERTIES + 1))))
    fresh = [item for item in items if not any(_identity(item) in _identities(text) for text in texts)]
    if not fresh:
        return None
    texts = _append(texts, fresh)
    if len(texts) > MOST_PROPERTIES:
        old = parse_items(properties)
        texts = _split([{name: value for name, value in item.items() if name != "text"} for item in (*old, *fresh)])
    if len(texts) > MOST_PROPERTIES:
        raise ValueError(f"the evidence of its edges needs more than {MOST_PROPERTIES * PROPERTY_BYTES} bytes")
    return {**properties, **{_key(number): text for number, text in enumerate(texts, 1)}}


def _append(texts: list[str], fresh: Sequence[Item]) -> list[str]:
    """The items behind those of the last text, or in new ones: what is stored is not written anew for each of many edges."""
    added = _split(fresh)
    if not texts or not _parse(texts[-1]):
        return [*texts[:-1], *added]
    last = f"{texts[-1][:-1]},{added[0][1:]}"
    if len(last.encode()) > PROPERTY_BYTES or not texts[-1].endswith("]"):
        return [*texts, *added]
    return [*texts[:-1], last, *added[1:]]


def drop_proof(properties: Mapping[str, Any], edge: ProvenEdge) -> dict[str, Any]:
    """The properties without the items of this edge; nothing of Tether stays when they were the last ones."""
    left = [item for item in parse_items(properties) if not proves([item], edge)]
    others = {key: value for key, value in properties.items() if key not in _KEYS}
    return {**others, **{_key(number): text for number, text in enumerate(_split(left) if left else (), 1)}}


def _key(number: int) -> str:
    return EVIDENCE_KEY if number == 1 else f"{EVIDENCE_KEY}.{number}"


def _parse(text: object) -> tuple[Item, ...]:
    """Nobody changes the items: the same text is asked for with every edge of an entity."""
    return _parse_text(text) if isinstance(text, str) else ()


@lru_cache(maxsize=_REMEMBERED)
def _parse_text(text: str) -> tuple[Item, ...]:
    try:
        items = json.loads(text)
    except ValueError:
        return ()
    return tuple(item for item in items if isinstance(item, dict)) if isinstance(items, list) else ()


@lru_cache(maxsize=_REMEMBERED)
def _identities(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(map(_identity, _parse_text(text)))


def _identity(item: Mapping[str, Any]) -> tuple[str, ...]:
    columns = item.get("columns")
    names = sorted(str(column) for column in columns) if isinstance(columns, list) else []
    return (*(str(item.get(key)) for key in ("upstream", "downstream", "repo", "path", "line")), *names)


def _split(items: Sequence[Item]) -> list[str]:
    texts: list[str] = []
    part: list[str] = []
    size = 2
    for item in items:
        text = json.dumps(item, ensure_ascii=False, separators=(",", ":"))
        length = len(text.encode()) + 1
        if part and size + length > PROPERTY_BYTES:
            texts.append(f"[{','.join(part)}]")
            part, size = [], 2
        part.append(text)
        size += length
    return [*texts, f"[{','.join(part)}]"]
