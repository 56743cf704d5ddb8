"""What a client proposes to change, and what became of it: the values that pass from the routes to the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from app.catalog.refusal import RequestRefused

Change: TypeAlias = Literal["UPSERT", "UPDATE", "CREATE", "CREATE_ENTITY", "PATCH", "DELETE", "RESTATE"]
ACTOR = "urn:li:corpuser:datahub"
NO_RUN = "no-run-id-provided"


@dataclass(frozen=True, slots=True)
class Proposal:
    """One change of one aspect. `value` is the aspect, or the patch document for PATCH, or None for DELETE.

    `headers` are the aspect's own (If-Version-Match, If-None-Match, If-Unmodified-Since, If-Modified-Since), never HTTP's.
    """

    urn: str
    aspect: str
    change: Change = "UPSERT"
    value: Any = None
    system: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    actor: str = ACTOR


@dataclass(frozen=True, slots=True)
class Stored:
    """One version of an aspect as it stands in the file. `version` is `systemMetadata.version` as a number."""

    aspect: str
    value: Mapping[str, Any]
    system: Mapping[str, Any]
    version: int


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a proposal. `stored` is None after a deletion and for a CREATE that was dropped."""

    urn: str
    aspect: str
    outcome: Literal["created", "changed", "unchanged", "deleted", "dropped"]
    stored: Stored | None = None


def parse_change(text: Any) -> Change:
    """The change type a client named; raises `RequestRefused` (400) for one that does not exist."""
    for change in get_args(Change):
        if text == change:
            result: Change = change
            return result
    raise RequestRefused(400, f"changeType {text!r} is not one of {', '.join(get_args(Change))}")


def parse_headers(found: Any) -> dict[str, str]:
    """Aspect headers as a map with lower-case names; raises `RequestRefused` (400) for anything but strings."""
    if found is None:
        return {}
    if not isinstance(found, Mapping) or not all(isinstance(value, str) for value in found.values()):
        raise RequestRefused(400, "headers must be an object of strings")
    return {str(name).lower(): value for name, value in found.items()}
