"""The write transaction: one proposal after the other, each seeing what the ones before it wrote.

Follows GMS: the key aspect appears with the first write; an equal value keeps its version and only moves the system
metadata; every real change increments `systemMetadata.version`; earlier versions stay readable and can be rolled back to.
Deliberately unlike GMS: deleting an entity keeps the edges that other entities' aspects still draw to it, because edges
here are a pure function of aspects.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from app.sandbox.catalog import registry
from app.sandbox.catalog.conditions import is_dropped_in_silence, require_absence, require_conditions
from app.sandbox.catalog.patch import apply_patch
from app.sandbox.catalog.proposal import NO_RUN, Proposal, Stored, Written
from app.sandbox.catalog.refusal import Existing, Refused
from app.sandbox.catalog.relationships import Edge, find_edges


def write(connection: sqlite3.Connection, proposal: Proposal, now: int) -> Written:
    """Performs one proposal inside the caller's transaction; raises `Refused` and its kinds. `now` in milliseconds."""
    entity_type = registry.parse_entity_type(proposal.urn)
    spec = registry.require_aspect(entity_type, proposal.aspect)
    if proposal.change == "DELETE":
        return _delete(connection, proposal, key=proposal.aspect == registry.key_aspect(entity_type))
    if spec.timeseries:
        return _append(connection, proposal, now)
    node = upsert_node(connection, proposal.urn, entity_type)
    current = fetch_current(connection, node, proposal.aspect)
    try:
        _require_creatable(connection, proposal, node, current)
    except Existing:
        if is_dropped_in_silence(proposal):
            return Written(proposal.urn, proposal.aspect, "dropped")
        raise
    require_conditions(proposal, current)
    value = _new_value(proposal, current)
    if proposal.aspect == registry.key_aspect(entity_type) and value != registry.parse_key(proposal.urn):
        raise Refused(422, f"Invalid key aspect {proposal.aspect}: it does not match the urn {proposal.urn}")
    _ensure_key(connection, node, proposal, now)
    return put_aspect(connection, node, proposal, value, now)


def put_aspect(
    connection: sqlite3.Connection, node: int, proposal: Proposal, value: Mapping[str, Any], now: int
) -> Written:
    """Stores a checked value as the latest version and redraws its edges."""
    spec = registry.require_aspect(registry.parse_entity_type(proposal.urn), proposal.aspect)
    edges = find_edges(proposal.urn, proposal.aspect, spec.relations, value)
    current = fetch_current(connection, node, proposal.aspect)
    changed = current is None or current.value != value
    version = 1 if current is None else current.version + changed
    system = _new_system(proposal, current, version, now, changed=changed)
    if current is not None and changed:
        _archive(connection, node, proposal.aspect)
    connection.execute(
        "INSERT INTO aspect (node, name, version, run, written, value, system) VALUES (?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (node, name) DO UPDATE SET version = excluded.version, run = excluded.run, written = excluded.written, "
        "value = excluded.value, system = excluded.system",
        (node, proposal.aspect, version, system["runId"], now, _dump(value), _dump(system)),
    )
    if changed:
        redraw_edges(connection, node, proposal.aspect, edges)
    _mark_present(connection, node, proposal.aspect, value)
    stored = Stored(proposal.aspect, value, system, version)
    outcome = "created" if current is None else "changed" if changed else "unchanged"
    return Written(proposal.urn, proposal.aspect, outcome, stored)  # type: ignore[arg-type]  # mypy widens the literal


def upsert_node(connection: sqlite3.Connection, urn: str, entity_type: str | None = None) -> int:
    """The row number of an urn, made if new. `entity_type` may be left out for the far end of an edge."""
    found = connection.execute("SELECT id FROM node WHERE urn = ?", (urn,)).fetchone()
    if found is None:
        entity_type = entity_type or urn.split(":", 3)[2]
        found = connection.execute(
            "INSERT INTO node (urn, type) VALUES (?, ?) RETURNING id", (urn, entity_type)
        ).fetchone()
    number: int = found[0]
    return number


def fetch_current(connection: sqlite3.Connection, node: int, aspect: str) -> Stored | None:
    """The latest version, None when there is none."""
    row = connection.execute(
        "SELECT value, system, version FROM aspect WHERE node = ? AND name = ?", (node, aspect)
    ).fetchone()
    return None if row is None else Stored(aspect, json.loads(row[0]), json.loads(row[1]), row[2])


def redraw_edges(connection: sqlite3.Connection, owner: int, aspect: str, edges: tuple[Edge, ...]) -> None:
    """Makes the stored edges of an aspect equal to these; edges that stay keep their row, so running scrolls see them once."""
    wanted = {
        (
            upsert_node(connection, edge.source),
            edge.name,
            upsert_node(connection, edge.destination),
            edge.lineage,
            edge.via,
        )
        for edge in edges
    }
    stored = {
        tuple(row[1:]): row[0]
        for row in connection.execute(
            "SELECT id, source, name, destination, lineage, via FROM edge WHERE owner = ? AND aspect = ?",
            (owner, aspect),
        )
    }
    connection.executemany(
        "DELETE FROM edge WHERE id = ?", [(number,) for edge, number in stored.items() if edge not in wanted]
    )
    connection.executemany(
        "INSERT INTO edge (owner, aspect, source, name, destination, lineage, via) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(owner, aspect, *edge) for edge in sorted(wanted - stored.keys(), key=str)],
    )


def delete_entity(connection: sqlite3.Connection, urn: str) -> tuple[int, int]:
    """Deletes every version of every aspect and the edges they draw; (rows, time series rows) deleted."""
    registry.parse_entity_type(urn)
    found = connection.execute("SELECT id FROM node WHERE urn = ?", (urn,)).fetchone()
    if found is None:
        return 0, 0
    rows = series = 0
    for table in ("aspect", "history"):
        rows += connection.execute(f"DELETE FROM {table} WHERE node = ?", found).rowcount  # noqa: S608 - constants above
    series += connection.execute("DELETE FROM series WHERE node = ?", found).rowcount
    connection.execute("DELETE FROM edge WHERE owner = ?", found)
    connection.execute("UPDATE node SET present = 0, removed = 0 WHERE id = ?", found)
    return rows, series


def delete_aspect(connection: sqlite3.Connection, node: int, aspect: str) -> None:
    """Deletes one aspect with its versions and edges."""
    for table in ("aspect", "history", "series"):
        connection.execute(f"DELETE FROM {table} WHERE node = ? AND name = ?", (node, aspect))  # noqa: S608 - as above
    connection.execute("DELETE FROM edge WHERE owner = ? AND aspect = ?", (node, aspect))
    if aspect == "status":
        connection.execute("UPDATE node SET removed = 0 WHERE id = ?", (node,))


def _delete(connection: sqlite3.Connection, proposal: Proposal, *, key: bool) -> Written:
    node = upsert_node(connection, proposal.urn)
    require_conditions(proposal, fetch_current(connection, node, proposal.aspect))
    if key:
        delete_entity(connection, proposal.urn)
    else:
        delete_aspect(connection, node, proposal.aspect)
    return Written(proposal.urn, proposal.aspect, "deleted")


def _append(connection: sqlite3.Connection, proposal: Proposal, now: int) -> Written:
    if proposal.change not in ("UPSERT", "CREATE"):
        raise Refused(
            400, f"{proposal.aspect} of {proposal.urn} is a time series aspect: only UPSERT can be applied to it"
        )
    value = registry.check_value(proposal.urn, proposal.aspect, proposal.value)
    node = upsert_node(connection, proposal.urn)
    _ensure_key(connection, node, proposal, now)
    system = _new_system(proposal, None, 1, now, changed=True)
    connection.execute(
        "INSERT OR IGNORE INTO series (node, name, at, run, value, system) VALUES (?, ?, ?, ?, ?, ?)",
        (node, proposal.aspect, value["timestampMillis"], system["runId"], _dump(value), _dump(system)),
    )
    return Written(proposal.urn, proposal.aspect, "created", Stored(proposal.aspect, value, system, 1))


def _require_creatable(connection: sqlite3.Connection, proposal: Proposal, node: int, current: Stored | None) -> None:
    if proposal.change == "CREATE":
        require_absence(proposal, exists=current is not None)
    elif proposal.change == "CREATE_ENTITY":
        present = connection.execute("SELECT present FROM node WHERE id = ?", (node,)).fetchone()[0]
        require_absence(proposal, exists=bool(present))


def _new_value(proposal: Proposal, current: Stored | None) -> dict[str, Any]:
    value = proposal.value
    if proposal.change == "PATCH":
        value = apply_patch(proposal.urn, proposal.aspect, None if current is None else current.value, value)
    return registry.check_value(proposal.urn, proposal.aspect, value)


def _new_system(proposal: Proposal, current: Stored | None, version: int, now: int, *, changed: bool) -> dict[str, Any]:
    given = registry.check_system(proposal.system)
    stamp = {"time": now, "actor": proposal.actor}
    previous = {} if current is None else current.system
    return {
        **given,
        "lastObserved": given.get("lastObserved") or now,
        "runId": given.get("runId") or NO_RUN,
        "lastRunId": previous.get("runId", NO_RUN),
        "version": str(version),
        "aspectCreated": previous.get("aspectCreated", stamp),
        "aspectModified": stamp if changed else previous.get("aspectModified", stamp),
    }


def _ensure_key(connection: sqlite3.Connection, node: int, proposal: Proposal, now: int) -> None:
    name = registry.key_aspect(registry.parse_entity_type(proposal.urn))
    if proposal.aspect == name or fetch_current(connection, node, name) is not None:
        return
    key = Proposal(proposal.urn, name, system=proposal.system, actor=proposal.actor)
    put_aspect(connection, node, key, registry.parse_key(proposal.urn), now)


def _archive(connection: sqlite3.Connection, node: int, aspect: str) -> None:
    connection.execute(
        "INSERT INTO history (node, name, version, run, value, system) "
        "SELECT node, name, version, run, value, system FROM aspect WHERE node = ? AND name = ?",
        (node, aspect),
    )


def _mark_present(connection: sqlite3.Connection, node: int, aspect: str, value: Mapping[str, Any]) -> None:
    connection.execute("UPDATE node SET present = 1 WHERE id = ? AND present = 0", (node,))
    if aspect == "status":
        connection.execute("UPDATE node SET removed = ? WHERE id = ?", (int(bool(value.get("removed"))), node))


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
