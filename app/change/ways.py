"""Templates with a condition that nobody can decide: the change is judged both ways.

What is lost whichever way the condition goes is lost; what is lost only one way is uncertain, and says on what it depends.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TypeAlias

from app.change.removal import ParsedFile, Removal, RemovalReport

Way: TypeAlias = tuple[Sequence[ParsedFile], Sequence[ParsedFile]]


def find_ways(base: Sequence[ParsedFile], head: Sequence[ParsedFile], changed: frozenset[str]) -> list[Way]:
    """Base and head once for each way. A changed file whose ways cannot be paired stays unread."""
    count = {side: {f.path: len(f.variants) for f in files} for side, files in (("base", base), ("head", head))}
    paired = frozenset(
        path
        for path in changed
        if len({n for side in count.values() if (n := side.get(path, 0))}) == 1  # as many on both sides, or on one
    )
    ways = max((n for side in count.values() for path, n in side.items() if path in paired), default=0)
    return [(_choose(base, n, paired), _choose(head, n, paired)) for n in range(ways)] or [(base, head)]


def _choose(files: Sequence[ParsedFile], number: int, paths: frozenset[str]) -> list[ParsedFile]:
    return [
        dataclasses.replace(f.variants[number % len(f.variants)], source=f.source)
        if f.variants and f.path in paths
        else f
        for f in files
    ]


def join_ways(reports: Sequence[RemovalReport], way: Way, changed: frozenset[str]) -> RemovalReport:
    """One report; `way` is the base and the head as they stand, with the reasons why they could not be rendered."""
    first = reports[0]
    if len(reports) == 1:
        return first
    reasons = {
        f.path: f.unknowns[0].why for files in way for f in files if f.variants and f.unknowns and f.path in changed
    }
    removals = _join([report.removals for report in reports], reasons)
    added = _join([report.added for report in reports], reasons)
    unknowns = tuple(dict.fromkeys(unknown for report in reports for unknown in report.unknowns))
    queries = {name: query for report in reports for name, query in report.queries.items()}
    created = frozenset[str]().union(*(report.created for report in reports))
    return dataclasses.replace(
        first, removals=removals, unknowns=unknowns, queries=queries, created=created, added=added
    )


def _join(ways: Sequence[Sequence[Removal]], reasons: dict[str, str]) -> tuple[Removal, ...]:
    keyed = [{_key(removal): removal for removal in way} for way in ways]
    joined = []
    for key in sorted({key for one in keyed for key in one}):
        found = [one[key] for one in keyed if key in one]
        joined.append(found[0] if len(found) == len(keyed) else _doubtful(found[0], reasons))
    return tuple(joined)


def _key(removal: Removal) -> tuple[str, str, str, str]:
    return (removal.relation, removal.column or "", removal.kind, removal.new_name or "")


def _doubtful(removal: Removal, reasons: dict[str, str]) -> Removal:
    why = reasons.get(removal.evidence.path) or next(iter(reasons.values()), "")
    detail = "; ".join(filter(None, (removal.detail, why)))
    return dataclasses.replace(removal, certain=False, detail=detail)
