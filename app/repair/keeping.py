"""What becomes of the edges that were written before: kept, written again, or taken back, by what SQL says today. Pure.

An edge that SQL still proves is written again where an ingestion dropped it. One that SQL no longer proves is taken back, but
only when its file was read and understood: a repository that could not be reached says nothing. What a person confirmed stays
whatever SQL says; what a person rejected is nowhere here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from app.repair.edge import ProvenEdge

GONE: Final = "its line is gone from the default branch, or no longer proves it"


@dataclass(frozen=True, slots=True)
class KeptEdge:
    """An edge of the ledger, with the lines that proved it when it was written."""

    edge: ProvenEdge
    confirmed: bool


@dataclass(frozen=True, slots=True)
class Keeping:
    """`write`: to be there (most are already). `retract`: to be taken back. `unsure`: kept, because nobody could look."""

    write: tuple[ProvenEdge, ...] = ()
    retract: tuple[ProvenEdge, ...] = ()
    unsure: tuple[ProvenEdge, ...] = ()


def plan_keeping(
    kept: Iterable[KeptEdge],
    proven: Iterable[ProvenEdge],
    *,
    read: Collection[str],
    opaque: Collection[tuple[str, str]],
) -> Keeping:
    """`proven` is all that SQL says today. `read`: repositories that were read whole; `opaque`: (repository, path) of files that
    nobody could understand.
    """
    today = {find_ends(edge): edge for edge in proven}
    write: list[ProvenEdge] = []
    retract: list[ProvenEdge] = []
    unsure: list[ProvenEdge] = []
    for one in kept:
        again = today.get(find_ends(one.edge))
        if again is not None:
            write.append(again)
        elif one.confirmed:
            write.append(one.edge)
        elif not _could_look(one.edge, read, opaque):
            write.append(one.edge)
            unsure.append(one.edge)
        else:
            retract.append(one.edge)
    return Keeping(tuple(write), tuple(retract), tuple(unsure))


def _could_look(edge: ProvenEdge, read: Collection[str], opaque: Collection[tuple[str, str]]) -> bool:
    return all(line.repo in read and (line.repo, line.path) not in opaque for line in edge.evidence)


def find_ends(edge: ProvenEdge) -> tuple[str, str, str]:
    """What one edge is known by, whatever proves it."""
    return (edge.kind, edge.upstream, edge.downstream)
