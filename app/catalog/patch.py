"""PATCH: JSON Patch over an aspect whose arrays are addressed by key instead of by index, as DataHub defines it.

Arrays are turned into nested maps by their primary keys, the operations are applied to the maps, and the maps are turned
back; so `add` merges, `remove` of something absent is nothing, and a shortened path removes everything beneath it.
Keys come from the document (`arrayPrimaryKeys`, the generic patch) or from the aspect's template (a bare list of
operations). Absent on purpose: the operations `test`, `move` and `copy`, which DataHub's builders never send.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from app.catalog.fine_grained import FINE_GRAINED, from_map, to_map
from app.catalog.patch_templates import TEMPLATES, Keys
from app.catalog.refusal import RequestRefused

_SEPARATOR = "\u241f"  # between the steps of a key that lies deeper in the element


def is_generic(document: Any) -> bool:
    """Whether GMS would take its generic path: then it keeps neither `systemMetadata` nor `headers` of the proposal."""
    return isinstance(document, Mapping) and bool(document.get("arrayPrimaryKeys") or document.get("forceGenericPatch"))


def apply_patch(urn: str, aspect: str, current: Mapping[str, Any] | None, document: Any) -> dict[str, Any]:
    """The patched value (not yet checked against the schema); raises `RequestRefused` (400) for one that cannot be applied."""
    keys, operations = _parse_document(urn, aspect, document)
    value: dict[str, Any] = copy.deepcopy(dict(current or {}))
    untouched = {path[0] for path in keys if path[0] not in value and current is not None} - _touched(operations)
    for path, fields in keys.items():
        _replace_arrays(value, path, fields, to_maps=True)
    for operation in operations:
        _apply(value, operation, keys, f"{aspect} of {urn}")
    for path, fields in reversed(keys.items()):
        _replace_arrays(value, path, fields, to_maps=False)
    return {name: item for name, item in value.items() if name not in untouched}


def _touched(operations: Sequence[Any]) -> set[str]:
    paths = [operation.get("path") for operation in operations if isinstance(operation, Mapping)]
    return {path.split("/")[1] for path in paths if isinstance(path, str) and path.startswith("/")}


def _parse_document(urn: str, aspect: str, document: Any) -> tuple[dict[tuple[str, ...], Keys], Sequence[Any]]:
    operations = document.get("patch") if isinstance(document, Mapping) else document
    if not isinstance(operations, list):
        raise RequestRefused(
            400, f"PATCH of {aspect} of {urn}: expected a list of operations or an object with `patch`"
        )
    if not is_generic(document):
        if aspect not in TEMPLATES:
            raise RequestRefused(400, f"Aspect: {aspect} does not currently support patch operations. ({urn})")
        return dict(TEMPLATES[aspect]), operations
    found = document.get("arrayPrimaryKeys") or {}
    if not isinstance(found, Mapping) or not all(
        isinstance(fields, list) and all(isinstance(field, str) for field in fields) for fields in found.values()
    ):
        raise RequestRefused(400, f"PATCH of {aspect} of {urn}: arrayPrimaryKeys must map a field to a list of names")
    return {tuple(field.split(_SEPARATOR)): tuple(fields) for field, fields in found.items()}, operations


def _apply(value: dict[str, Any], operation: Any, keys: Mapping[tuple[str, ...], Keys], where: str) -> None:
    if not isinstance(operation, Mapping) or operation.get("op") not in ("add", "replace", "remove"):
        raise RequestRefused(400, f"Unsupported patch operation on {where}: {operation!r}"[:500])
    pointer = operation.get("path")
    if not isinstance(pointer, str) or not pointer.startswith("/"):
        raise RequestRefused(400, f"A patch path of {where} must start with '/': {pointer!r}")
    steps = tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/"))
    if operation["op"] == "remove":
        _remove(value, steps)
        return
    new = copy.deepcopy(operation.get("value"))
    fields = keys.get(steps)
    if fields is not None and isinstance(new, list):
        new = _to_map(new, fields)
    _set(value, steps, new, where, must_exist=operation["op"] == "replace")


def _remove(value: Any, steps: tuple[str, ...]) -> None:
    parent = _descend(value, steps[:-1])
    if isinstance(parent, dict):
        parent.pop(steps[-1], None)
    elif isinstance(parent, list) and steps[-1].isdecimal() and int(steps[-1]) < len(parent):
        del parent[int(steps[-1])]


def _set(value: Any, steps: tuple[str, ...], new: Any, where: str, *, must_exist: bool) -> None:
    parent = value
    for step in steps[:-1]:
        parent = parent.setdefault(step, {}) if isinstance(parent, dict) else _descend(parent, (step,))
    last = steps[-1]
    if isinstance(parent, dict) and (last in parent or not must_exist):
        parent[last] = new
    elif isinstance(parent, list) and (last == "-" or (last.isdecimal() and int(last) <= len(parent))):
        if must_exist and last != "-" and int(last) < len(parent):
            parent[int(last)] = new
        else:
            parent.insert(len(parent) if last == "-" else int(last), new)
    else:
        raise RequestRefused(400, f"Cannot patch {where} at /{'/'.join(steps)}: there is nothing it could be set on")


def _descend(value: Any, steps: tuple[str, ...]) -> Any:
    for step in steps:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value


def _replace_arrays(value: Any, path: tuple[str, ...], fields: Keys, *, to_maps: bool) -> None:
    """Turns the array (or map) at every place that `path` leads to; `*` in a path is each element of an array above it."""
    for parent in _parents(value, path[:-1]):
        found = parent.get(path[-1])
        if to_maps:
            if found is None and len(path) > 1:
                continue
            parent[path[-1]] = _to_map(found if isinstance(found, list) else [], fields)
        elif isinstance(found, dict):
            parent[path[-1]] = _to_array(found, fields)


def _parents(value: Any, path: tuple[str, ...]) -> list[dict[str, Any]]:
    if not isinstance(value, dict):
        return []
    if not path:
        return [value]
    inner = list(value.values()) if path[0] == "*" else [value[path[0]]] if path[0] in value else []
    return [parent for item in inner for parent in _parents(item, path[1:])]


def _to_map(items: list[Any], fields: Keys) -> dict[str, Any]:
    if fields is FINE_GRAINED:
        return to_map(items)
    result: dict[str, Any] = {}
    for item in items:
        if not fields:
            result[str(item)] = item
            continue
        level = result
        for field in fields[:-1]:
            level = level.setdefault(_key(item, field), {})
        level[_key(item, fields[-1])] = item
    return result


def _to_array(level: Mapping[str, Any], fields: Keys) -> list[Any]:
    if fields is FINE_GRAINED:
        return from_map(level)
    if len(fields) > 1:
        return [
            item
            for group in level.values()
            for item in (_to_array(group, fields[1:]) if isinstance(group, Mapping) else [group])
        ]
    if not fields or _SEPARATOR in fields[0]:
        return list(level.values())
    # An element that a deeper path made (a tag on a column nobody described yet) knows its key from the path alone.
    return [{fields[0]: key, **item} if isinstance(item, Mapping) else item for key, item in level.items()]


def _key(item: Any, field: str) -> str:
    for step in field.split(_SEPARATOR):
        item = item.get(step) if isinstance(item, Mapping) else None
    return "" if item is None else str(item)
