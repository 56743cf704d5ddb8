"""Conditional writes: whether an aspect, as it stands now, lets a proposal through.

Evaluated inside the write transaction, so that of two writers with the same expectation exactly one succeeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from app.catalog.proposal import Proposal, Stored
from app.catalog.refusal import ConditionFailed, Existing, RequestRefused

_ABSENT = "-1"


def require_conditions(proposal: Proposal, current: Stored | None) -> None:
    """Raises `ConditionFailed` when a version or time header of the proposal does not hold for the current aspect."""
    headers, where = proposal.headers, f"{proposal.aspect} of {proposal.urn}"
    expected = headers.get("if-version-match")
    actual = _ABSENT if current is None else str(current.version)
    if expected is not None and expected != actual:
        raise ConditionFailed(f"Expected version {expected}, actual version {actual} ({where})")
    if current is None:
        return
    modified = _modified(current.system)
    unmodified_since = headers.get("if-unmodified-since")
    if unmodified_since is not None and modified > _parse_instant(unmodified_since):
        raise ConditionFailed(f"Item last modified {_iso(modified)} > {unmodified_since} ({where})")
    modified_since = headers.get("if-modified-since")
    if modified_since is not None and modified <= _parse_instant(modified_since):
        raise ConditionFailed(f"Item last modified {_iso(modified)} <= {modified_since} ({where})")


def require_absence(proposal: Proposal, *, exists: bool) -> None:
    """Raises `Existing` when CREATE or CREATE_ENTITY finds what it wants to create."""
    if not exists:
        return
    what = "aspect" if proposal.change == "CREATE" else "entity key"
    raise Existing(
        f"Cannot perform {proposal.change} if not exists since the {what} already exists ({proposal.aspect} of {proposal.urn})"
    )


def is_dropped_in_silence(proposal: Proposal) -> bool:
    """Whether the client asked that a CREATE of something present be ignored rather than refused."""
    return proposal.headers.get("if-none-match") == "*"


def _modified(system: Mapping[str, object]) -> int:
    for name in ("aspectModified", "aspectCreated"):
        stamp = system.get(name)
        if isinstance(stamp, Mapping) and isinstance(stamp.get("time"), int):
            time: int = stamp["time"]
            return time
    observed = system.get("lastObserved")
    return observed if isinstance(observed, int) else 0


def _parse_instant(text: str) -> int:
    """Milliseconds since the epoch of an ISO-8601 instant; a time without a zone is taken as UTC."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as reason:
        raise RequestRefused(400, f"Not an ISO-8601 instant: {text!r}") from reason
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


def _iso(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")
