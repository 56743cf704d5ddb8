"""Aspects, read: the latest versions of many entities at once, one version of one aspect, and time series.

Every function takes a connection inside `Database.reading`, so that one answer is one snapshot. Urns are passed as one
JSON array: the number of statements does not grow with the number of entities.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from app.catalog.proposal import Stored


class Text(NamedTuple):
    """The latest version of an aspect as it is stored: JSON that an answer can carry without being parsed."""

    urn: str
    aspect: str
    value: str
    system: str
    version: int


def fetch_texts(connection: sqlite3.Connection, urns: Iterable[str], names: Sequence[str] | None = None) -> list[Text]:
    """The latest versions of every urn that has one; `names` None means every versioned aspect.

    Time series aspects are answered only when named, with their latest event.
    """
    named = "" if names is None else "AND a.name IN (SELECT value FROM json_each(:names))"
    arguments = {"urns": json.dumps(list(dict.fromkeys(urns))), "names": json.dumps(list(names or ()))}
    rows = connection.execute(
        "SELECT n.urn, a.name, a.value, a.system, a.version FROM json_each(:urns) u "  # noqa: S608 - a constant
        f"CROSS JOIN node n ON n.urn = u.value CROSS JOIN aspect a ON a.node = n.id {named}",
        arguments,
    ).fetchall()
    events = connection.execute(_LATEST_EVENTS, arguments) if names else ()
    return [Text(*row) for row in (*rows, *events)]


def fetch_aspects(
    connection: sqlite3.Connection, urns: Iterable[str], names: Sequence[str] | None = None
) -> dict[str, dict[str, Stored]]:
    """urn -> aspect name -> latest version; as `fetch_texts`, parsed."""
    found: dict[str, dict[str, Stored]] = {}
    for text in fetch_texts(connection, urns, names):
        stored = Stored(text.aspect, json.loads(text.value), json.loads(text.system), text.version)
        found.setdefault(text.urn, {})[text.aspect] = stored
    return found


_LATEST_EVENTS = """
SELECT n.urn, s.name, s.value, s.system, 1 FROM json_each(:urns) u
CROSS JOIN node n ON n.urn = u.value
CROSS JOIN json_each(:names) w
CROSS JOIN series s ON s.id = (
  SELECT l.id FROM series l WHERE l.node = n.id AND l.name = w.value ORDER BY l.at DESC, l.id DESC LIMIT 1)
"""


def fetch_aspect(connection: sqlite3.Connection, urn: str, name: str, version: int = 0) -> Stored | None:
    """One aspect as Rest.li numbers versions: 0 is the latest, 1 the oldest; None when there is none."""
    latest = fetch_aspects(connection, [urn], [name]).get(urn, {}).get(name)
    if version == 0 or latest is None or latest.version == version:
        return latest
    row = connection.execute(
        "SELECT h.value, h.system FROM history h JOIN node n ON n.id = h.node WHERE n.urn = ? AND h.name = ? AND h.version = ?",
        (urn, name, version),
    ).fetchone()
    return None if row is None else Stored(name, json.loads(row[0]), json.loads(row[1]), version)


def fetch_events(
    connection: sqlite3.Connection,
    urn: str,
    name: str,
    *,
    limit: int,
    since: int | None = None,
    until: int | None = None,
) -> tuple[Stored, ...]:
    """Events of a time series aspect, newest first; `since` and `until` are inclusive milliseconds."""
    rows = connection.execute(
        "SELECT s.value, s.system FROM series s JOIN node n ON n.id = s.node WHERE n.urn = ? AND s.name = ? "
        "AND s.at >= coalesce(?, s.at) AND s.at <= coalesce(?, s.at) ORDER BY s.at DESC, s.id DESC LIMIT ?",
        (urn, name, since, until, limit),
    )
    return tuple(Stored(name, json.loads(value), json.loads(system), 1) for value, system in rows)


def fetch_presence(connection: sqlite3.Connection, urn: str) -> tuple[bool, bool]:
    """(has any aspect, is soft-deleted)."""
    row = connection.execute("SELECT present, removed FROM node WHERE urn = ?", (urn,)).fetchone()
    return (False, False) if row is None else (bool(row[0]), bool(row[1]))
