"""One check of `tether doctor` as a value, and how a list of them is printed."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Final, Literal, TypeAlias

from app.words import Permanent, Transient

Status: TypeAlias = Literal["ok", "wrong", "note", "skipped"]
Group: TypeAlias = Literal["github", "catalog", "repository", "llm", "graph"]
_MARKS: Final[Mapping[Status, str]] = {"ok": "ok     ", "wrong": "WRONG  ", "note": "note   ", "skipped": "skipped"}


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at and what was found; `fix` says what to do, "" where nothing is to be done.

    skipped: could not be looked at, because of something that is wrong before it; never the same as ok.
    """

    group: Group
    name: str
    status: Status
    said: str
    fix: str = ""


async def guard(group: Group, name: str, check: Awaitable[Check], *, fix: str) -> Check:
    """A check that raised is a check that failed."""
    try:
        return await check
    except (Permanent, Transient) as error:
        return Check(group, name, "wrong", str(error), fix)


def skip(group: Group, *names: str) -> tuple[Check, ...]:
    """The checks that nothing can be said about."""
    return tuple(Check(group, name, "skipped", "not looked at, because of what is wrong above") for name in names)


def find_exit(checks: Iterable[Check]) -> int:
    """0 all well, 1 something is wrong."""
    return 1 if any(check.status in ("wrong", "skipped") for check in checks) else 0


def doctor_json(checks: Iterable[Check], health: Mapping[str, object] | None = None) -> dict[str, object]:
    """For programs; keys are only ever added."""
    held = tuple(checks)
    shown = dict(health) if health is not None else None
    return {"ok": find_exit(held) == 0, "checks": [asdict(one) for one in held], "health": shown}


def doctor_text(checks: Iterable[Check], health: Iterable[str] = ()) -> str:
    """For people: one line a check, the fix beneath what is not as it should be."""
    lines = []
    for one in checks:
        lines.append(f"{_MARKS[one.status]} {one.group} / {one.name}: {one.said}")
        if one.fix and one.status != "ok":
            lines.append(f"        -> {one.fix}")
    return "\n".join((*lines, *health)) + "\n"
