"""`manifest.json`, as dbt writes it -> what it says its nodes are called.

It tells of the base branch, and of a state that was built: the files of a tree win wherever they say something.

Deliberately absent: values of variables (dbt does not write them there), and everything that the tree or the catalog tells.
Keys: schemas.getdbt.com/dbt/manifest.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from app.render.known import Parts

_KINDS: Final = frozenset({"model", "seed", "snapshot", "source"})
#: of a project of thousands of models; a larger one is not read
MOST_MANIFEST_BYTES: Final = 60_000_000
MANIFEST: Final = "manifest.json"
#: folders that are known to hold a manifest, beside a project's own
_FOLDERS: Final = frozenset({"target", "artifacts", "dbt_artifacts", "state"})


class BadManifest(Exception):  # noqa: N818 - a word for the reader of the message
    """The file is not what dbt writes."""


def read_manifest(text: str) -> Mapping[str, Parts]:
    """Unique id -> its relation; {} for a file of that name which is not dbt's. Raises BadManifest."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        if "dbt_schema_version" in text[:2_000]:
            raise BadManifest(f"it is not JSON: {str(error).splitlines()[0]}") from error
        return {}
    if not isinstance(content, dict) or "dbt_schema_version" not in _mapping(content.get("metadata")):
        return {}
    found: dict[str, Parts] = {}
    for group in ("nodes", "sources"):
        for unique, node in _mapping(content.get(group)).items():
            parts = _find_parts(_mapping(node)) if unique.split(".")[0] in _KINDS else None
            if parts is not None:
                found[unique] = parts
    return found


def _find_parts(node: Mapping[str, Any]) -> Parts | None:
    identifier = node.get("identifier") or node.get("alias") or node.get("name")
    parts = (node.get("database"), node.get("schema"), identifier)
    if not identifier or _mapping(node.get("config")).get("materialized") == "ephemeral":
        return None
    return tuple(str(part) for part in parts if part)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def is_manifest(path: str, dbt: Collection[str]) -> bool:
    """By its name and the folders of dbt projects: many other tools call a file `manifest.json` too."""
    folder, _, name = path.rpartition("/")
    if name != MANIFEST or not dbt:
        return False
    return folder in dbt or folder.rpartition("/")[2] in _FOLDERS


def read_manifests(texts: Iterable[tuple[str, str]]) -> tuple[Mapping[str, Parts], tuple[str, ...]]:
    """All of them as one, without what two of them call otherwise; and a sentence for each that cannot be read."""
    found: dict[str, set[Parts]] = {}
    notes: list[str] = []
    for path, text in texts:
        try:
            for unique, parts in read_manifest(text).items():
                found.setdefault(unique, set()).add(parts)
        except BadManifest as error:
            notes.append(f"{path}: {error}")
    return {unique: parts.pop() for unique, parts in found.items() if len(parts) == 1}, tuple(notes)
