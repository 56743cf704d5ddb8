"""Reading a urn: its entity type. Pure. Which dataset a schemaField belongs to is `app.effects.find_dataset`'s to say."""

from __future__ import annotations


def find_entity_type(urn: str) -> str | None:
    """`mlFeature` of `urn:li:mlFeature:(t,f)`; None for what is no urn."""
    parts = urn.split(":", 3)
    if len(parts) != 4 or parts[:2] != ["urn", "li"] or not parts[2] or not parts[3]:
        return None
    return parts[2]
