"""The organisation's defaults under a repository's own file: which value holds, and where each comes from.

Sections merge key by key. What people name themselves (features, models, parameters, rules) merges by name, each entry whole;
lists and single values of the repository take the place of the organisation's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args, get_origin

from pydantic import BaseModel

from app.review.config.document import Lines, Path

#: (file, line) by path
Origins: TypeAlias = Mapping[Path, tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Defaults:
    """The organisation's `.tether.yml`; `name` is what it is called in errors and explanations."""

    text: str
    name: str


@dataclass(frozen=True, slots=True)
class Layer:
    """One valid file."""

    name: str
    value: Mapping[str, Any]
    lines: Lines


@dataclass(frozen=True, slots=True)
class MergedLayers:
    """`value` has the keys that stand in some file; `origins` the file and line of each path in it."""

    value: dict[str, Any]
    origins: Origins


@dataclass(frozen=True, slots=True)
class Origin:
    """`source`: "default", or the file and line that the value comes from."""

    key: str
    value: object
    source: str


def merge_layers(shape: type[BaseModel], layers: Sequence[Layer]) -> MergedLayers:
    """Later layers win."""
    value: dict[str, Any] = {}
    origins: dict[Path, tuple[str, int]] = {}
    for layer in layers:
        value = _merge(shape, value, layer, (), origins)
    return MergedLayers(value, origins)


def find_origins(shape: type[BaseModel], merged: MergedLayers) -> tuple[Origin, ...]:
    """Every value that holds, in the schema's order: those of no file are defaults."""
    whole = shape.model_validate({"version": 1, **merged.value}).model_dump(by_alias=True, exclude_none=False)
    return tuple(_leaves(whole, (), merged.origins))


def _merge(
    shape: type[BaseModel], under: Mapping[str, Any], layer: Layer, path: Path, origins: dict[Path, tuple[str, int]]
) -> dict[str, Any]:
    over: Mapping[str, Any] = layer.value
    for part in path:
        over = over[str(part)]
    fields = {field.alias or name: field.annotation for name, field in shape.model_fields.items()}
    merged = dict(under)
    for key, value in over.items():
        here = (*path, key)
        section = find_section(fields.get(key))
        old = under.get(key)
        if section is not None and isinstance(old, dict) and isinstance(value, dict):
            merged[key] = _merge(section, old, layer, here, origins)
        elif _is_named(fields.get(key)) and isinstance(old, dict) and isinstance(value, dict):
            for name in value:
                _note(layer, (*here, name), origins)
            merged[key] = {**old, **value}
        else:
            _note(layer, here, origins)
            merged[key] = value
    return merged


def _note(layer: Layer, path: Path, origins: dict[Path, tuple[str, int]]) -> None:
    """This layer gives everything at and below the path."""
    for known in [known for known in origins if known[: len(path)] == path]:
        del origins[known]
    for known, line in layer.lines.items():
        if known[: len(path)] == path:
            origins[known] = (layer.name, line)


def find_section(annotation: object) -> type[BaseModel] | None:
    """The section of a key, also of one that may be null."""
    for one in (annotation, *get_args(annotation)):
        if isinstance(one, type) and issubclass(one, BaseModel):
            return one
    return None


def _is_named(annotation: object) -> bool:
    return get_origin(annotation) is dict


def _leaves(value: Mapping[str, Any], path: Path, origins: Origins) -> Iterator[Origin]:
    for key, held in value.items():
        here = (*path, key)
        if isinstance(held, Mapping) and held:
            yield from _leaves(held, here, origins)
            continue
        found = origins.get(here)
        source = f"{found[0]} line {found[1]}" if found else "default"
        yield Origin(".".join(str(part) for part in here), held, source)
