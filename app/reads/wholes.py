"""Where whole rows bear on more than one output: in filters, joins, groupings, and queries within them.

A whole row in a projection is a source of its output alone (app.reads.outputs); one of which only fields are taken later is
none at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from app.reads.scopes import Walk, Whole
from app.reads.sources import Item

if TYPE_CHECKING:
    from app.reads.resolve import Found


class Resolves(Protocol):
    """What is asked of the resolver."""

    walk: Walk

    def found(self, n: int) -> Found: ...


def find_wholes(resolver: Resolves) -> Iterator[Whole]:
    """Every use of whole rows outside projections, with the clause it bears on; some may come twice."""
    walk = resolver.walk
    if not walk.wholes and all(resolver.found(n).row is None for n in range(len(walk.refs))):
        return
    yield from (whole for whole in walk.wholes if not whole.projected)
    for n, ref in enumerate(walk.refs):
        if ref.item is None and ref.clause != "select":  # `kept.*` hands its columns on one by one
            yield from _of_refs(resolver, (n, n + 1), ref.clause, set())
    for nested in walk.nested:
        yield from _of_refs(resolver, nested.refs, nested.clause, set())
        for whole in walk.wholes[slice(*nested.wholes)]:
            yield _in(whole, nested.clause)


def _of_refs(resolver: Resolves, span: tuple[int, int], clause: str, seen: set[int]) -> Iterator[Whole]:
    """Whole rows behind references, through the projections that they mean. `seen`: projections already looked at."""
    for n in range(*span):
        found, ref = resolver.found(n), resolver.walk.refs[n]
        if found.field:
            continue
        if found.row is not None and not any(hit.certain for hit in found.hits):
            yield Whole((found.row,), ref.line, clause, not found.hits or found.row.is_aliased())
        for hit in found.hits:
            if isinstance(hit.origin, Item) and id(hit.origin) not in seen:
                seen.add(id(hit.origin))
                yield from (_in(whole, clause) for whole in hit.origin.wide)
                yield from _of_refs(resolver, hit.origin.span, clause, seen)


def _in(whole: Whole, clause: str) -> Whole:
    return Whole(whole.sources, whole.line, clause, whole.certain)
