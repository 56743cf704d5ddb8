"""How a urn is shown to people: its kind and its name. The urn itself stays the key everywhere else."""

from __future__ import annotations

from typing import Final
from urllib.parse import unquote

_KINDS: Final = {
    "dataset": "dataset",
    "schemaField": "column",
    "mlFeature": "feature",
    "mlPrimaryKey": "feature",
    "mlFeatureTable": "feature table",
    "mlModel": "model",
    "mlModelGroup": "model group",
    "mlModelDeployment": "deployment",
    "dashboard": "dashboard",
    "chart": "chart",
    "dataJob": "job",
    "dataProcessInstance": "run",
}


def find_kind(urn: str) -> str:
    """The kind of entity in words; "relation" for a name that has no urn."""
    parts = urn.split(":", 3)
    return _KINDS.get(parts[2], parts[2]) if _is_urn(parts) else "relation"


def find_name(urn: str) -> str:
    """The name people know: `shop.raw.orders` of a dataset, `table.feature` of a feature; any other text as it is."""
    parts = urn.split(":", 3)
    if not _is_urn(parts):
        return urn
    kind, key = parts[2], parts[3]
    if not (key.startswith("(") and key.endswith(")")):
        return unquote(key)
    fields = _split(key[1:-1])
    match kind:
        case "mlFeature" | "mlPrimaryKey":
            return ".".join(unquote(field) for field in fields)
        case "schemaField" if len(fields) == 2:
            return f"{find_name(fields[0])}.{unquote(fields[1])}"
        case "dataJob" if len(fields) == 2:
            return unquote(fields[1])
    return unquote(fields[1] if len(fields) > 1 else fields[0])


def _is_urn(parts: list[str]) -> bool:
    return len(parts) == 4 and parts[:2] == ["urn", "li"]


def _split(key: str) -> list[str]:
    """The fields of a key; commas inside a nested urn's brackets do not separate."""
    fields, depth, start = [], 0, 0
    for position, character in enumerate(key):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            fields.append(key[start:position])
            start = position + 1
    return [*fields, key[start:]]
