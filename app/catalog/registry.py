"""The entity registry, read from the SDK: which aspects an entity may have, what they look like, and what its key is.

Built from the schema classes that `acryl-datahub` ships, so a newer SDK brings newer aspects with no change here.
Absent on purpose: plug-in models and the registry endpoints that describe them.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from datahub.metadata.schema_classes import ASPECT_NAME_MAP, KEY_ASPECTS, SystemMetadataClass
from datahub.metadata.urns import Urn
from datahub.utilities.urns.error import InvalidUrnError

from app.catalog.refusal import RequestRefused
from app.catalog.relationships import RelationSpec, find_relation_specs
from app.catalog.shapes import Checker, Malformed, Shapes, wire_name

_SHAPES = Shapes()
_MAX_URN = 512  # GMS refuses longer ones (the primary key column of its SQL table)


@dataclass(frozen=True, slots=True)
class AspectSpec:
    """One aspect. `record` is its Pegasus name; `timeseries` aspects are appended, never replaced, and have no version."""

    name: str
    record: str
    timeseries: bool
    check: Checker
    relations: tuple[RelationSpec, ...]


@functools.cache
def aspect_spec(name: str) -> AspectSpec | None:
    """The aspect of that name, None when no model knows it."""
    found: Any = ASPECT_NAME_MAP.get(name)
    if found is None:
        return None
    return AspectSpec(
        name=name,
        record=wire_name(found.RECORD_SCHEMA.fullname),
        timeseries=found.get_aspect_type() == "timeseries",
        check=_SHAPES.checker(found.RECORD_SCHEMA),
        relations=find_relation_specs(found.RECORD_SCHEMA),
    )


@functools.cache
def entity_aspects(entity_type: str) -> frozenset[str]:
    """Names of the aspects this entity type may have, its key included; raises `RequestRefused` (400) for an unknown type."""
    key = KEY_ASPECTS.get(entity_type)
    if key is None:
        raise RequestRefused(400, f"Failed to find entity with name {entity_type} in EntityRegistry")
    return frozenset(key.ASPECT_INFO["entityAspects"]) | {key.ASPECT_NAME}


def key_aspect(entity_type: str) -> str:
    """Name of the key aspect; raises `RequestRefused` (400) for an unknown type."""
    entity_aspects(entity_type)
    return KEY_ASPECTS[entity_type].ASPECT_NAME


def require_aspect(entity_type: str, aspect: str) -> AspectSpec:
    """The aspect as this entity may have it; raises `RequestRefused` (400) when it may not."""
    if aspect not in entity_aspects(entity_type):
        raise RequestRefused(400, f"Unknown aspect {aspect} for entity {entity_type}")
    spec = aspect_spec(aspect)
    if spec is None:
        raise RequestRefused(400, f"Unknown aspect {aspect} for entity {entity_type}")
    return spec


def parse_entity_type(urn: str) -> str:
    """The entity type an urn names; raises `RequestRefused` (400) for what is no urn of a known type."""
    parts = urn.split(":", 3)
    if len(parts) != 4 or parts[:2] != ["urn", "li"] or not parts[3] or urn != urn.strip() or not urn.isprintable():
        raise RequestRefused(400, f"Invalid urn: {urn[:200]!r}")
    if len(urn.encode()) > _MAX_URN:
        raise RequestRefused(400, f"Urn is longer than {_MAX_URN} bytes: {urn[:200]!r}")
    entity_aspects(parts[2])
    return parts[2]


def parse_key(urn: str) -> dict[str, Any]:
    """The key aspect's value that an urn stands for; raises `RequestRefused` (400) when the urn does not fit its type's key."""
    try:
        key: Any = Urn.from_string(urn).to_key_aspect()  # type: ignore[attr-defined]  # only the generated subclasses have it
        value: dict[str, Any] = check_value(urn, key.ASPECT_NAME, key.to_obj())
    except (InvalidUrnError, ValueError, AttributeError, AssertionError, TypeError) as reason:
        raise RequestRefused(400, f"Invalid urn {urn}: {reason}") from reason
    return value


def check_value(urn: str, aspect: str, value: Any) -> dict[str, Any]:
    """The value as it is stored; raises `RequestRefused` (422) naming urn, aspect and field when it does not fit the schema."""
    spec = require_aspect(parse_entity_type(urn), aspect)
    if not isinstance(value, Mapping):
        raise RequestRefused(400, f"Invalid format for aspect: {aspect} of {urn}: expected a JSON object")
    try:
        checked: dict[str, Any] = spec.check(value)
    except Malformed as malformed:
        raise RequestRefused(422, f"Failed to validate aspect {aspect} of {urn}: {malformed}") from malformed
    except RecursionError as reason:
        raise RequestRefused(422, f"Failed to validate aspect {aspect} of {urn}: nested too deeply") from reason
    return checked


_SYSTEM = _SHAPES.checker(SystemMetadataClass.RECORD_SCHEMA)


def check_system(value: Mapping[str, Any]) -> dict[str, Any]:
    """A write's system metadata, checked; raises `RequestRefused` (400)."""
    try:
        checked: dict[str, Any] = _SYSTEM(value)
    except Malformed as malformed:
        raise RequestRefused(400, f"Invalid systemMetadata: {malformed}") from malformed
    return checked


@functools.cache
def _aspects_by_record() -> Mapping[str, str]:
    return {wire_name(found.RECORD_SCHEMA.fullname): name for name, found in ASPECT_NAME_MAP.items()}


def find_aspect_of_record(record: str) -> str | None:
    """Aspect name of a record type in either namespace, None when there is none."""
    return _aspects_by_record().get(wire_name(record))
