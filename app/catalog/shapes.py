"""Checks an aspect's JSON against the SDK's schema class and brings it into the form that GMS stores and answers.

One checker per record schema, compiled once: an aspect write is checked in one walk, about ten times faster than building
the SDK's object tree. Rules: unknown fields are trimmed (as GMS does), null fields are dropped, absent fields with a
default stay absent, unions are tagged with their Pegasus name (`com.linkedin.…`) wherever more than one type may stand.
Absent on purpose: urn rules (`relationships`) and everything that looks at other aspects.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import avro.schema

Checker: TypeAlias = Callable[[Any], Any]

AVRO_NAMESPACE = "com.linkedin.pegasus2avro."
WIRE_NAMESPACE = "com.linkedin."
_INT_BITS = {"int": 31, "long": 63}


class Malformed(Exception):  # noqa: N818 - mirrors `Refused`
    """The value does not fit the schema; `path` grows on the way out, `reason` is worded as GMS words it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path: list[str] = []

    def __str__(self) -> str:
        return f"ERROR :: /{'/'.join(reversed(self.path))} :: {self.reason}"


def wire_name(full_name: str) -> str:
    """The name of a record as Rest.li and OpenAPI write it: without the Avro part of the namespace."""
    return full_name.replace(AVRO_NAMESPACE, WIRE_NAMESPACE, 1)


class Shapes:
    """Compiled checkers, one per named schema (recursive records share theirs)."""

    def __init__(self) -> None:
        self._records: dict[str, Checker] = {}

    def checker(self, schema: avro.schema.Schema, *, in_array: bool = False) -> Checker:
        """The function that returns the normalised value or raises `Malformed`."""
        if isinstance(schema, avro.schema.UnionSchema):
            return self._union(schema, in_array=in_array)
        if isinstance(schema, avro.schema.RecordSchema):
            return self._record(schema)
        if isinstance(schema, avro.schema.ArraySchema):
            return _array(self.checker(schema.items, in_array=True))
        if isinstance(schema, avro.schema.MapSchema):
            return _map(self.checker(schema.values))
        if isinstance(schema, avro.schema.EnumSchema):
            return _enum(frozenset(schema.symbols))
        return _PRIMITIVES[schema.type]

    def _record(self, schema: avro.schema.RecordSchema) -> Checker:
        known = self._records.get(schema.fullname)
        if known is not None:
            return known
        fields: list[tuple[str, Checker, bool]] = []

        def check(value: Any) -> Any:
            return _check_record(value, fields)

        self._records[schema.fullname] = check  # before the fields: schemas may be recursive
        # A union with aliases carries its discriminator in Avro only; on the wire the one present key says it.
        fields.extend(
            (field.name, self.checker(field.type), not field.has_default and not _nullable(field.type))
            for field in schema.fields
            if field.name != "fieldDiscriminator"
        )
        return check

    def _union(self, schema: avro.schema.UnionSchema, *, in_array: bool) -> Checker:
        branches = {
            wire_name(branch.fullname if isinstance(branch, avro.schema.NamedSchema) else branch.type): self.checker(
                branch
            )
            for branch in schema.schemas
            if branch.type != "null"
        }
        tagged = len(branches) > 1 or in_array

        def check(value: Any) -> Any:
            if value is None and _nullable(schema):
                return None
            tag, checked = _check_branch(value, branches)
            return {tag: checked} if tagged else checked

        return check


def _nullable(schema: avro.schema.Schema) -> bool:
    return isinstance(schema, avro.schema.UnionSchema) and any(branch.type == "null" for branch in schema.schemas)


def _check_record(value: Any, fields: list[tuple[str, Checker, bool]]) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise Malformed(f"{_shown(value)} cannot be coerced to a record")
    result = {}
    for name, check, required in fields:
        given = value.get(name)
        if given is None:
            if required:
                missing = Malformed("field is required but not found and has no default value")
                missing.path.append(name)
                raise missing
            continue
        try:
            checked = check(given)
        except Malformed as malformed:
            malformed.path.append(name)
            raise
        if checked is not None:
            result[name] = checked
    return result


def _check_branch(value: Any, branches: Mapping[str, Checker]) -> tuple[str, Any]:
    if isinstance(value, Mapping) and len(value) == 1:
        ((tag, inner),) = value.items()
        check = branches.get(wire_name(tag))
        if check is not None:
            return wire_name(tag), _at(tag, check, inner)
    if len(branches) == 1:
        ((name, check),) = branches.items()
        return name, check(value)
    # An untagged value: what the SDK's own reader accepts, the first branch that fits.
    for name, check in branches.items():
        try:
            return name, check(value)
        except Malformed:
            continue
    raise Malformed(f"{_shown(value)} is not a member type of union [{', '.join(branches)}]")


def _at(step: str, check: Checker, value: Any) -> Any:
    try:
        return check(value)
    except Malformed as malformed:
        malformed.path.append(step)
        raise


def _array(check: Checker) -> Checker:
    def checked(value: Any) -> Any:
        if not isinstance(value, list):
            raise Malformed(f"{_shown(value)} cannot be coerced to an array")
        result = []
        for index, item in enumerate(value):
            try:
                result.append(check(item))
            except Malformed as malformed:
                malformed.path.append(str(index))
                raise
        return result

    return checked


def _map(check: Checker) -> Checker:
    def checked(value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise Malformed(f"{_shown(value)} cannot be coerced to a map")
        return {key: _at(str(key), check, item) for key, item in value.items() if item is not None}

    return checked


def _enum(symbols: frozenset[str]) -> Checker:
    def checked(value: Any) -> Any:
        if not isinstance(value, str) or value not in symbols:
            raise Malformed(f"{_shown(value)} is not an enum symbol")
        return value

    return checked


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise Malformed(f"{_shown(value)} cannot be coerced to String")
    return value


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Malformed(f"{_shown(value)} cannot be coerced to Boolean")
    return value


def _integer(kind: str) -> Checker:
    bound = 1 << _INT_BITS[kind]

    def checked(value: Any) -> int:
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not whole or not -bound <= value < bound:
            raise Malformed(f"{_shown(value)} cannot be coerced to {kind.capitalize()}")
        return int(value)

    return checked


def _floating(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise Malformed(f"{_shown(value)} cannot be coerced to Double")
    return value


def _null(value: Any) -> None:
    if value is not None:
        raise Malformed(f"{_shown(value)} is not null")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."


_PRIMITIVES: Mapping[str, Checker] = {
    "string": _string,
    "bytes": _string,
    "boolean": _boolean,
    "int": _integer("int"),
    "long": _integer("long"),
    "float": _floating,
    "double": _floating,
    "null": _null,
}
