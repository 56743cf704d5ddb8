"""The columns that the configuration of a snapshot or an incremental model names: what it builds fails without them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from app.render.node_config import KEYS
from app.render.nodes import Node
from app.render.target import Target

#: docs.getdbt.com/docs/build/snapshots, "Snapshot meta-fields", in the order in which dbt selects them
_META: Final = ("dbt_scd_id", "dbt_updated_at", "dbt_valid_from", "dbt_valid_to")
_WORD: Final = re.compile(r"[A-Za-z_]\w*")


def find_keys(node: Node, config: Mapping[str, Any], target: Target) -> tuple[tuple[str, int], ...]:
    """(folded column, line of the file) for each; expressions and `all` are left out."""
    if node.kind != "snapshot" and config.get("materialized") != "incremental":
        return ()
    lines = node.text.lower().split("\n")
    named = ((key, name) for key in KEYS for name in _names(config.get(key)))
    return tuple((target.fold(name), _find_line(lines, key, name.lower())) for key, name in named)


def find_meta_columns(node: Node, config: Mapping[str, Any], target: Target) -> tuple[tuple[str, str], ...]:
    """(folded column, its standard name) of those that dbt puts behind a snapshot's own, as they are called here."""
    if node.kind != "snapshot":
        return ()
    told = config.get("snapshot_meta_column_names")
    names = told if isinstance(told, Mapping) else {}
    deleted = ("dbt_is_deleted",) if config.get("hard_deletes") == "new_record" else ()
    called = ((standard, str(names.get(standard) or standard)) for standard in (*_META, *deleted))
    return tuple((target.fold(name) if _WORD.fullmatch(name) else f'"{name}"', standard) for standard, name in called)


def _names(value: object) -> Iterator[str]:
    """Of one name or a list of them."""
    for item in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(item, str) and _WORD.fullmatch(item) and item.lower() != "all":
            yield item


def _find_line(lines: list[str], key: str, name: str) -> int:
    """Where the column stands behind the word of the configuration; else where that word does, or the query begins."""
    start = next((n for n, line in enumerate(lines) if key in line), None)
    if start is None:
        return next((n for n, line in enumerate(lines, 1) if line.strip()), 1)
    word = re.compile(rf"\b{re.escape(name)}\b")
    return next((n + 1 for n, line in enumerate(lines[start:], start) if word.search(line)), start + 1)
