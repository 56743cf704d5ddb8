"""Reading a urn: its entity type, and the dataset a schemaField belongs to. Pure.

Names inside a urn may hold commas, parentheses and any letter, so nothing here splits on them; only the prefix and the
last comma outside parentheses are looked at.
"""

from __future__ import annotations

_SCHEMA_FIELD = "urn:li:schemaField:("


def find_entity_type(urn: str) -> str | None:
    """`mlFeature` of `urn:li:mlFeature:(t,f)`; None for what is no urn."""
    parts = urn.split(":", 3)
    if len(parts) != 4 or parts[:2] != ["urn", "li"] or not parts[2] or not parts[3]:
        return None
    return parts[2]


def find_parent(urn: str) -> str | None:
    """The dataset of `urn:li:schemaField:(<dataset urn>,<field path>)`; None for any other urn."""
    if not urn.startswith(_SCHEMA_FIELD) or not urn.endswith(")"):
        return None
    depth = 0
    for index, letter in enumerate(urn[len(_SCHEMA_FIELD) : -1], len(_SCHEMA_FIELD)):
        if letter == "(":
            depth += 1
        elif letter == ")":
            depth -= 1
        elif letter == "," and depth == 0:
            # the dataset's own commas stand inside its parentheses; the first one outside ends it
            return urn[len(_SCHEMA_FIELD) : index]
    return None
