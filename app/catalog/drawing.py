"""Nodes and edges as rows: every urn that was ever named has a number, every aspect's edges stand beside it."""

from __future__ import annotations

import sqlite3

from app.catalog.relationships import GraphEdge


def load_node(connection: sqlite3.Connection, urn: str) -> int | None:
    """The row number of an urn, None when nothing ever named it."""
    found = connection.execute("SELECT id FROM node WHERE urn = ?", (urn,)).fetchone()
    return None if found is None else found[0]


def upsert_node(connection: sqlite3.Connection, urn: str) -> int:
    """The row number of an urn, made if new."""
    number = load_node(connection, urn)
    if number is None:
        row = (urn, urn.split(":", 3)[2])
        number = connection.execute("INSERT INTO node (urn, type) VALUES (?, ?) RETURNING id", row).fetchone()[0]
    return number


def redraw_edges(connection: sqlite3.Connection, owner: int, aspect: str, edges: tuple[GraphEdge, ...]) -> None:
    """Makes the stored edges of an aspect equal to these; edges that stay keep their row, so a running scroll sees them once."""
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


def erase_edges(connection: sqlite3.Connection, owner: int, aspect: str | None = None) -> None:
    """Removes the edges that an entity's aspect draws; all of the entity's without an aspect."""
    connection.execute(
        "DELETE FROM edge WHERE owner = :owner AND (:aspect IS NULL OR aspect = :aspect)",
        {"owner": owner, "aspect": aspect},
    )
