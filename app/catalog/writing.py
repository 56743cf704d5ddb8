"""The write transaction: one proposal after the other, each seeing what the ones before it wrote.

Follows GMS: the key aspect appears with the first write; an equal value keeps its version and only moves the system
metadata; every real change increments `systemMetadata.version`; earlier versions stay readable and can be rolled back to;
a generic patch loses the proposal's `systemMetadata` and `headers`.
Deliberately unlike GMS: deleting an entity keeps the edges that other entities' aspects still draw to it, because edges
here are a pure function of aspects.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from app.catalog import registry
from app.catalog.conditions import is_dropped_in_silence, require_absence, require_conditions
from app.catalog.drawing import erase_edges, load_node, redraw_edges, upsert_node
from app.catalog.patch import apply_patch, is_generic
from app.catalog.proposal import NO_RUN, Proposal, Stored, Written
from app.catalog.refusal import Existing, RequestRefused
from app.catalog.relationships import find_edges


class Writer:
    """Writes inside the caller's transaction. `now` is its time in milliseconds."""

    def __init__(self, connection: sqlite3.Connection, now: int) -> None:
        self._connection = connection
        self._now = now
        self._born: set[int] = set()  # entities that this transaction created

    def write(self, proposal: Proposal) -> Written:
        """Performs one proposal; raises `RequestRefused` and its kinds."""
        entity_type = registry.parse_entity_type(proposal.urn)
        spec = registry.require_aspect(entity_type, proposal.aspect)
        if proposal.change == "PATCH" and is_generic(proposal.value):
            proposal = replace(proposal, system={}, headers={})
        if proposal.change == "DELETE":
            return self._delete(proposal)
        if spec.timeseries:
            return self._append(proposal)
        node = upsert_node(self._connection, proposal.urn)
        current = self._fetch(node, proposal.aspect)
        try:
            self._require_creatable(proposal, node, current)
        except Existing:
            if is_dropped_in_silence(proposal):
                return Written(proposal.urn, proposal.aspect, "dropped")
            raise
        require_conditions(proposal, current)
        value = _new_value(proposal, current)
        self._ensure_key(node, proposal)
        return self.put(node, proposal, value)

    def put(self, node: int, proposal: Proposal, value: Mapping[str, Any]) -> Written:
        """Stores a checked value as the latest version and redraws its edges."""
        spec = registry.require_aspect(registry.parse_entity_type(proposal.urn), proposal.aspect)
        edges = find_edges(proposal.urn, proposal.aspect, spec.relations, value)
        current = self._fetch(node, proposal.aspect)
        changed = current is None or current.value != value
        version = 1 if current is None else current.version + changed
        system = self._new_system(proposal, current, version, changed=changed)
        if current is not None and changed:
            self._connection.execute(_ARCHIVE, (node, proposal.aspect))
        row = (node, proposal.aspect, version, system["runId"], self._now, _dump(value), _dump(system))
        self._connection.execute(_PUT, row)
        if changed:
            redraw_edges(self._connection, node, proposal.aspect, edges)
        if proposal.aspect == "status":
            removed = int(bool(value.get("removed")))
            self._connection.execute("UPDATE node SET removed = ? WHERE id = ?", (removed, node))
        stored = Stored(proposal.aspect, value, system, version)
        outcome: Literal["created", "changed", "unchanged"] = "changed" if changed else "unchanged"
        return Written(proposal.urn, proposal.aspect, "created" if current is None else outcome, stored)

    def delete_entity(self, urn: str) -> tuple[int, int]:
        """Deletes every version of every aspect and the edges they draw; (rows, time series rows) that went."""
        registry.parse_entity_type(urn)
        node = load_node(self._connection, urn)
        if node is None:
            return 0, 0
        rows = [self._connection.execute(statement, (node,)).rowcount for statement in _DELETE_ENTITY]
        erase_edges(self._connection, node)
        self._connection.execute("UPDATE node SET present = 0, removed = 0 WHERE id = ?", (node,))
        return rows[0] + rows[1], rows[2]

    def delete_aspect(self, node: int, aspect: str) -> None:
        """Deletes one aspect with its versions and edges."""
        for statement in _DELETE_ENTITY:
            self._connection.execute(f"{statement} AND name = ?", (node, aspect))
        erase_edges(self._connection, node, aspect)
        if aspect == "status":
            self._connection.execute("UPDATE node SET removed = 0 WHERE id = ?", (node,))

    def _delete(self, proposal: Proposal) -> Written:
        node = load_node(self._connection, proposal.urn)
        require_conditions(proposal, None if node is None else self._fetch(node, proposal.aspect))
        if proposal.aspect == registry.key_aspect(registry.parse_entity_type(proposal.urn)):
            self.delete_entity(proposal.urn)
        elif node is not None:
            self.delete_aspect(node, proposal.aspect)
        return Written(proposal.urn, proposal.aspect, "deleted")

    def _append(self, proposal: Proposal) -> Written:
        where = f"{proposal.aspect} of {proposal.urn}"
        if proposal.change not in ("UPSERT", "CREATE"):
            raise RequestRefused(400, f"{where} is a time series aspect: only UPSERT can be applied to it")
        value = registry.check_value(proposal.urn, proposal.aspect, proposal.value)
        node = upsert_node(self._connection, proposal.urn)
        self._ensure_key(node, proposal)
        system = self._new_system(proposal, None, 1, changed=True)
        row = (node, proposal.aspect, value["timestampMillis"], system["runId"], _dump(value), _dump(system))
        self._connection.execute(_APPEND, row)
        return Written(proposal.urn, proposal.aspect, "created", Stored(proposal.aspect, value, system, 1))

    def _fetch(self, node: int, aspect: str) -> Stored | None:
        row = self._connection.execute(_CURRENT, (node, aspect)).fetchone()
        return None if row is None else Stored(aspect, json.loads(row[0]), json.loads(row[1]), row[2])

    def _require_creatable(self, proposal: Proposal, node: int, current: Stored | None) -> None:
        if proposal.change == "CREATE":
            require_absence(proposal, exists=current is not None)
        elif proposal.change == "CREATE_ENTITY" and node not in self._born:
            present = self._connection.execute("SELECT present FROM node WHERE id = ?", (node,)).fetchone()[0]
            require_absence(proposal, exists=bool(present))

    def _ensure_key(self, node: int, proposal: Proposal) -> None:
        """The first write to an entity brings its key aspect with it."""
        if self._connection.execute("SELECT present FROM node WHERE id = ?", (node,)).fetchone()[0]:
            return
        self._born.add(node)
        self._connection.execute("UPDATE node SET present = 1 WHERE id = ?", (node,))
        name = registry.key_aspect(registry.parse_entity_type(proposal.urn))
        if proposal.aspect != name:
            key = Proposal(proposal.urn, name, system=proposal.system, actor=proposal.actor)
            self.put(node, key, registry.parse_key(proposal.urn))

    def _new_system(self, proposal: Proposal, current: Stored | None, version: int, *, changed: bool) -> dict[str, Any]:
        given = registry.check_system(proposal.system)
        stamp = {"time": self._now, "actor": proposal.actor}
        previous = {} if current is None else current.system
        return {
            **given,
            "lastObserved": given.get("lastObserved") or self._now,
            "runId": given.get("runId") or NO_RUN,
            "lastRunId": previous.get("runId", NO_RUN),
            "version": str(version),
            "aspectCreated": previous.get("aspectCreated", stamp),
            "aspectModified": stamp if changed else previous.get("aspectModified", stamp),
        }


def _new_value(proposal: Proposal, current: Stored | None) -> dict[str, Any]:
    value = proposal.value
    if proposal.change == "PATCH":
        value = apply_patch(proposal.urn, proposal.aspect, None if current is None else current.value, value)
    checked = registry.check_value(proposal.urn, proposal.aspect, value)
    key = registry.key_aspect(registry.parse_entity_type(proposal.urn))
    if proposal.aspect == key and checked != registry.parse_key(proposal.urn):
        raise RequestRefused(422, f"Invalid key aspect {key}: it does not match the urn {proposal.urn}")
    return checked


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_CURRENT = "SELECT value, system, version FROM aspect WHERE node = ? AND name = ?"
_PUT = """
INSERT INTO aspect (node, name, version, run, written, value, system) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (node, name) DO UPDATE SET version = excluded.version, run = excluded.run, written = excluded.written,
  value = excluded.value, system = excluded.system
"""
_ARCHIVE = """
INSERT INTO history (node, name, version, run, value, system)
SELECT node, name, version, run, value, system FROM aspect WHERE node = ? AND name = ?
"""
_APPEND = "INSERT OR IGNORE INTO series (node, name, at, run, value, system) VALUES (?, ?, ?, ?, ?, ?)"
_DELETE_ENTITY = (
    "DELETE FROM aspect WHERE node = ?",
    "DELETE FROM history WHERE node = ?",
    "DELETE FROM series WHERE node = ?",
)
