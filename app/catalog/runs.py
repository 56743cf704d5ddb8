"""Ingestion runs: which there are, what they wrote, and taking one back.

A rollback restores each aspect's newest version that another run wrote, as a new version (GMS puts the old version number
back; here a number never names two values, so that a conditional write cannot mistake one for the other). An aspect with
no earlier version goes; an entity whose key the run wrote goes with it: for good with `safe: false`, and otherwise only if
no other run wrote to it, else it is soft-deleted.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from app.catalog import registry
from app.catalog.proposal import Proposal
from app.catalog.refusal import RequestRefused
from app.catalog.store import CatalogStore, now
from app.catalog.writing import Writer


def list_runs(store: CatalogStore, body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Runs, newest first: `[{runId, rows, timestamp}]`."""
    size, offset = _number(body, "pageSize", 100), _number(body, "pageOffset", 0)
    with store.reading() as connection:
        rows = connection.execute(
            "SELECT a.run, count(*), max(a.written) FROM aspect a GROUP BY a.run ORDER BY max(a.written) DESC, a.run "
            "LIMIT ? OFFSET ?",
            (size, size * offset),
        ).fetchall()
    return [{"runId": run, "rows": count, "timestamp": written} for run, count, written in rows]


def describe_run(store: CatalogStore, body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The aspects that stand as this run left them."""
    run = _run(body)
    with store.reading() as connection:
        rows = _rows_of(connection, run)
    page = rows[_number(body, "start", 0) :][: _number(body, "count", 100)]
    return [_summary(run, *row[1:4]) | ({"payload": row[4]} if body.get("includeAspect") else {}) for row in page]


def roll_back(store: CatalogStore, body: Mapping[str, Any]) -> dict[str, Any]:
    """Takes a run back, or says what that would do (`dryRun`)."""
    run, dry, safe = _run(body), bool(body.get("dryRun")), body.get("safe") is not False
    with store.reading() if dry else store.writing() as connection:
        rows = _rows_of(connection, run)
        keys = {row[0]: row[1] for row in rows if row[2] == _key(row[1])}
        others = {node: _load_others_count(connection, node, run) for node in keys}
        if not dry:
            _take_back(connection, run, rows, keys, others, safe=safe)
    unsafe = [keys[node] for node, count in others.items() if count]
    return {
        "aspectsReverted": len(rows),
        "entitiesAffected": len(keys),
        "aspectsAffected": sum(others.values()),
        "unsafeEntitiesCount": len(unsafe),
        "unsafeEntities": [{"urn": urn} for urn in unsafe],
        "entitiesDeleted": len(keys) - (len(unsafe) if safe else 0),
        "aspectRowSummaries": [_summary(run, *row[1:4]) for row in rows[:100]],
    }


def _take_back(
    connection: sqlite3.Connection,
    run: str,
    rows: list[Any],
    keys: Mapping[int, str],
    others: Mapping[int, int],
    *,
    safe: bool,
) -> None:
    writer = Writer(connection, now())
    connection.execute("DELETE FROM series WHERE run = ?", (run,))
    gone = {node for node in keys if not (safe and others[node])}
    for node, urn, aspect, _, _ in rows:
        if node not in gone and aspect != _key(urn):
            _restore(writer, connection, run, node, urn, aspect)
    for node, urn in keys.items():
        if node in gone:
            writer.delete_entity(urn)
        elif "status" in registry.entity_aspects(registry.parse_entity_type(urn)):
            writer.write(Proposal(urn, "status", value={"removed": True}))


def _restore(writer: Writer, connection: sqlite3.Connection, run: str, node: int, urn: str, aspect: str) -> None:
    earlier = connection.execute(
        "SELECT value, system FROM history WHERE node = ? AND name = ? AND run <> ? ORDER BY version DESC LIMIT 1",
        (node, aspect, run),
    ).fetchone()
    if earlier is None:
        writer.delete_aspect(node, aspect)
        return
    writer.put(node, Proposal(urn, aspect, system=json.loads(earlier[1])), json.loads(earlier[0]))
    connection.execute("DELETE FROM history WHERE node = ? AND name = ? AND run = ?", (node, aspect, run))


def _rows_of(connection: sqlite3.Connection, run: str) -> list[Any]:
    return connection.execute(
        "SELECT n.id, n.urn, a.name, a.written, a.value FROM aspect a JOIN node n ON n.id = a.node WHERE a.run = ? ORDER BY a.id",
        (run,),
    ).fetchall()


def _load_others_count(connection: sqlite3.Connection, node: int, run: str) -> int:
    """Aspects of an entity that other runs wrote."""
    count: int = connection.execute("SELECT count(*) FROM aspect WHERE node = ? AND run <> ?", (node, run)).fetchone()[
        0
    ]
    return count


def _summary(run: str, urn: str, aspect: str, written: int) -> dict[str, Any]:
    key = aspect == _key(urn)
    return {"runId": run, "urn": urn, "aspectName": aspect, "timestamp": written, "version": 0, "keyAspect": key}


def _key(urn: str) -> str:
    return registry.key_aspect(registry.parse_entity_type(urn))


def _run(body: Mapping[str, Any]) -> str:
    run = body.get("runId")
    if not isinstance(run, str) or not run:
        raise RequestRefused(400, "this action needs a runId")
    return run


def _number(body: Mapping[str, Any], name: str, default: int) -> int:
    found = body.get(name, default)
    if not isinstance(found, int) or found < 0:
        raise RequestRefused(400, f"{name} must be a whole number")
    return found
