"""The marks on an entity that carries inferred edges: a tag that says so, and links to the lines that prove them. Pure."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from app.effects.evidence import permalink
from app.effects.kinds import EdgeWrite
from app.repair import ProvenEdge
from app.words import Evidence

Aspect: TypeAlias = Mapping[str, Any]

INFERRED_TAG: Final = "urn:li:tag:tether:inferred"
CONFIRMED_TAG: Final = "urn:li:tag:tether:confirmed"
REJECTED_TAG: Final = "urn:li:tag:tether:rejected"
#: tagProperties of INFERRED_TAG
TAG_PROPERTIES: Final[Mapping[str, Any]] = {
    "name": "tether:inferred",
    "description": "Tether wrote lineage here that SQL on a default branch proves; `tether.evidence` holds the lines.",
    "colorHex": "#5B8DEF",
}
#: who wrote it, in audit stamps; no such account needs to exist
ACTOR: Final = "urn:li:corpuser:tether"
LINKS: Final = 5  # institutionalMemory entries for one edge


def find_tags(aspect: Aspect) -> tuple[str, ...]:
    """The tag urns of a globalTags aspect."""
    return tuple(str(entry.get("tag")) for entry in aspect.get("tags") or [] if isinstance(entry, dict))


def find_rejection(aspects: Mapping[str, Aspect]) -> bool:
    """Whether somebody tagged the entity `tether:rejected`; that covers every edge of ours on it."""
    return REJECTED_TAG in find_tags(aspects.get("globalTags") or {})


def plan_tag(write: EdgeWrite, held: Aspect, *, at: int, web_url: str) -> dict[str, Any] | None:
    """globalTags with the tags and where they come from, None when they are there. `at` is in milliseconds."""
    wanted = (INFERRED_TAG, CONFIRMED_TAG) if write.known == "confirmed" else (INFERRED_TAG,)
    missing = [tag for tag in wanted if tag not in find_tags(held)]
    if not missing:
        return None
    detail = {"appSource": "tether", "runId": write.run_id, "upstream": write.edge.upstream}
    links = _links(write.edge.evidence, web_url)
    if links:
        detail["evidence"] = links[0]
    return add_tags(held, missing, at=at, detail=detail)


def add_tags(held: Aspect, tags: Sequence[str], *, at: int, detail: Mapping[str, str]) -> dict[str, Any]:
    """globalTags with these tags more, attributed to Tether."""
    attribution = {"time": at, "actor": ACTOR, "source": ACTOR, "sourceDetail": dict(detail)}
    value = copy.deepcopy(dict(held))
    value["tags"] = [*(value.get("tags") or []), *({"tag": tag, "attribution": attribution} for tag in tags)]
    return value


def drop_tag(held: Aspect, tag: str) -> dict[str, Any] | None:
    """globalTags without the tag, None when it is not there."""
    if tag not in find_tags(held):
        return None
    value = copy.deepcopy(dict(held))
    value["tags"] = [entry for entry in value["tags"] if not (isinstance(entry, dict) and entry.get("tag") == tag)]
    return value


def drop_links(edges: Sequence[ProvenEdge], held: Aspect) -> dict[str, Any] | None:
    """institutionalMemory without the lines that Tether linked for these edges, None when there are none."""
    ours = {_describe(edge) for edge in edges}
    kept = [
        element
        for element in held.get("elements") or []
        if not (
            isinstance(element, dict)
            and element.get("description") in ours
            and (element.get("createStamp") or {}).get("actor") == ACTOR
        )
    ]
    return None if len(kept) == len(held.get("elements") or []) else {**copy.deepcopy(dict(held)), "elements": kept}


def has_links(edge: ProvenEdge, held: Aspect) -> bool:
    """Whether any line is linked for the edge."""
    return any(isinstance(e, dict) and e.get("description") == _describe(edge) for e in held.get("elements") or [])


def _describe(edge: ProvenEdge) -> str:
    return f"Tether: this line proves lineage from {edge.upstream}"


def plan_links(edge: ProvenEdge, held: Aspect, *, at: int, web_url: str) -> dict[str, Any] | None:
    """institutionalMemory with the proving lines at their commit, None when nothing is new (or no line has a page)."""
    known = {element.get("url") for element in held.get("elements") or [] if isinstance(element, dict)}
    fresh = [link for link in _links(edge.evidence, web_url) if link not in known]
    if not fresh:
        return None
    value = copy.deepcopy(dict(held))
    value["elements"] = [
        *(value.get("elements") or []),
        *({"url": link, "description": _describe(edge), "createStamp": {"time": at, "actor": ACTOR}} for link in fresh),
    ]
    return value


def _links(evidence: Sequence[Evidence], web_url: str) -> list[str]:
    found = (permalink(line, web_url=web_url) for line in evidence)
    return list(dict.fromkeys(link for link in found if link is not None))[:LINKS]
