"""The ledger of edges: what Tether set out to write, wrote, and was told about it. Nothing here decides.

States: `proposed` (found, and not in the catalog, or not known to be: `detail` says why), `written`, `confirmed` (a person
vouched for it), `rejected` (a person refused it: never proposed again), `stale` (taken back: SQL no longer proves it, or
somebody reverted the run).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

import sqlalchemy as sa

from app.edges.store.engine import upsert_all
from app.edges.store.tables import EDGE

State: TypeAlias = Literal["proposed", "written", "confirmed", "rejected", "stale"]
Triple: TypeAlias = tuple[str, str, str]
#: rows in one statement; databases take a few thousand parameters
_AT_ONCE: Final = 100


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """One edge. `evidence` are lines as JSON; `pull` (repository id, number) of the review that wrote it, None for a repair."""

    upstream: str
    downstream: str
    kind: Literal["column", "source", "model"]
    entity: str
    installation_id: int
    state: State
    evidence: tuple[Mapping[str, Any], ...]
    columns: tuple[str, ...]
    direct: bool
    operation: str
    run_id: str
    pull: tuple[int, int] | None = None
    detail: str = ""
    changed_at: float = 0.0

    @property
    def triple(self) -> Triple:
        return (self.upstream, self.downstream, self.kind)


def set_edges(connection: sa.Connection, rows: Sequence[EdgeRow]) -> None:
    """Insert the edges, or set what is known of them now. `changed_at` is the time of the call."""
    now = time.time()
    values = [_to_values(replace(row, changed_at=now)) for row in {row.triple: row for row in rows}.values()]
    for start in range(0, len(values), _AT_ONCE):
        upsert_all(connection, EDGE, ("upstream", "downstream", "kind"), values[start : start + _AT_ONCE])


def drop_edges(connection: sa.Connection, triples: Iterable[Triple]) -> None:
    """Forget edges that turned out not to be ours."""
    for triple in triples:
        connection.execute(sa.delete(EDGE).where(*_same(triple)))


def load_edges_of(
    connection: sa.Connection,
    *,
    installation_id: int | None = None,
    entities: Iterable[str] | None = None,
    run_id: str | None = None,
    pull: tuple[int, int] | None = None,
) -> tuple[EdgeRow, ...]:
    """The edges that all given conditions hold for, in a steady order."""
    conditions = []
    if installation_id is not None:
        conditions.append(EDGE.c.installation_id == installation_id)
    if run_id is not None:
        conditions.append(EDGE.c.run_id == run_id)
    if pull is not None:
        conditions += [EDGE.c.repo_id == pull[0], EDGE.c.pull == pull[1]]
    if entities is None:
        return _select(connection, conditions)
    named = sorted(set(entities))
    chunks = (named[start : start + _AT_ONCE] for start in range(0, len(named), _AT_ONCE))
    return tuple(row for chunk in chunks for row in _select(connection, [*conditions, EDGE.c.entity.in_(chunk)]))


def load_ledger_installations(connection: sa.Connection) -> tuple[int, ...]:
    """Whose edges are kept."""
    found = connection.execute(sa.select(EDGE.c.installation_id).distinct().order_by(EDGE.c.installation_id))
    return tuple(found.scalars())


def load_state_counts(connection: sa.Connection) -> Mapping[str, int]:
    """state -> how many edges are in it."""
    rows = connection.execute(sa.select(EDGE.c.state, sa.func.count()).group_by(EDGE.c.state)).all()
    return {str(state): int(count) for state, count in rows}


def _select(connection: sa.Connection, conditions: Sequence[Any]) -> tuple[EdgeRow, ...]:
    order = (EDGE.c.entity, EDGE.c.upstream, EDGE.c.downstream, EDGE.c.kind)
    rows = connection.execute(sa.select(EDGE).where(*conditions).order_by(*order)).all()
    return tuple(_to_row(dict(row._mapping)) for row in rows)  # noqa: SLF001 - SQLAlchemy's public name for it


def _same(triple: Triple) -> tuple[Any, ...]:
    return tuple(EDGE.c[name] == value for name, value in zip(("upstream", "downstream", "kind"), triple, strict=True))


def _to_values(row: EdgeRow) -> dict[str, Any]:
    return {
        "upstream": row.upstream,
        "downstream": row.downstream,
        "kind": row.kind,
        "installation_id": row.installation_id,
        "entity": row.entity,
        "repo_id": row.pull[0] if row.pull else None,
        "pull": row.pull[1] if row.pull else None,
        "state": row.state,
        "evidence": [dict(line) for line in row.evidence],
        "columns": list(row.columns),
        "direct": row.direct,
        "operation": row.operation,
        "run_id": row.run_id,
        "detail": row.detail,
        "changed_at": row.changed_at,
    }


def _to_row(held: Mapping[str, Any]) -> EdgeRow:
    pull = None if held["repo_id"] is None or held["pull"] is None else (held["repo_id"], held["pull"])
    return EdgeRow(
        held["upstream"],
        held["downstream"],
        held["kind"],
        held["entity"],
        held["installation_id"],
        held["state"],
        tuple(held["evidence"]),
        tuple(held["columns"]),
        held["direct"],
        held["operation"],
        held["run_id"],
        pull,
        held["detail"],
        held["changed_at"],
    )
