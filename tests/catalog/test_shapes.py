"""What the checker of aspect values lets through, and what the SDK makes of it."""

from __future__ import annotations

from typing import Any

import avro.schema
import pytest
from datahub.emitter.serialization_helper import post_json_transform
from datahub.metadata.schema_classes import ASPECT_NAME_MAP, KEY_ASPECTS
from hypothesis import given
from hypothesis import strategies as st

from app.catalog.refusal import RequestRefused
from app.catalog.registry import aspect_spec, check_value, entity_aspects
from app.catalog.shapes import Malformed
from tests.catalog.urns import AGE, ORDERS
from tests.laws import examples

# Unions with aliases exist on the wire in one place only, and the SDK's reader handles that place by its name.
_ASPECTS = sorted(name for name in ASPECT_NAME_MAP if name != "cost")


def values(schema: avro.schema.Schema, depth: int = 0, *, in_array: bool = False) -> st.SearchStrategy[Any]:
    """JSON that a schema allows, as the wire writes it."""
    match schema:
        case avro.schema.UnionSchema():
            result = _union_values(schema, depth, in_array=in_array)
        case avro.schema.RecordSchema():
            result = _record_values(schema, depth)
        case avro.schema.ArraySchema():
            result = st.lists(values(schema.items, depth + 1, in_array=True), max_size=2 if depth < 3 else 0)
        case avro.schema.MapSchema():
            result = st.dictionaries(st.text(max_size=5), values(schema.values, depth + 1), max_size=2)
        case avro.schema.EnumSchema():
            result = st.sampled_from(schema.symbols)
        case _:
            result = _PRIMITIVES[schema.type]
    return result


def _union_values(schema: avro.schema.UnionSchema, depth: int, *, in_array: bool) -> st.SearchStrategy[Any]:
    branches = [branch for branch in schema.schemas if branch.type != "null"]
    nullable = len(branches) < len(schema.schemas)
    if nullable and depth > 3:
        return st.none()
    tagged = len(branches) > 1 or in_array
    options = [_tag(branch, values(branch, depth + 1)) if tagged else values(branch, depth) for branch in branches]
    return st.one_of(*([st.none()] if nullable else []), *options)


def _record_values(schema: avro.schema.RecordSchema, depth: int) -> st.SearchStrategy[Any]:
    required: dict[str, st.SearchStrategy[Any]] = {}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    for field in schema.fields:
        place = optional if field.has_default else required
        place[field.name] = _later(field.type, depth + 1)
    return st.fixed_dictionaries(required, optional=optional if depth < 3 else {})


def _later(schema: avro.schema.Schema, depth: int) -> st.SearchStrategy[Any]:
    """Built when drawn: schemas are recursive."""
    return st.deferred(lambda: values(schema, depth))


_PRIMITIVES = {
    "string": st.text(max_size=8),
    "bytes": st.text(max_size=8),
    "boolean": st.booleans(),
    "int": st.integers(-(2**31), 2**31 - 1),
    "long": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(allow_nan=False, allow_infinity=False, width=32),
    "double": st.floats(allow_nan=False, allow_infinity=False),
}


def _tag(branch: avro.schema.Schema, inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    name = branch.fullname if isinstance(branch, avro.schema.NamedSchema) else branch.type
    return inner.map(lambda value: {name.replace("com.linkedin.pegasus2avro.", "com.linkedin."): value})


@examples(60)
@given(data=st.data(), name=st.sampled_from(_ASPECTS))
def test_stored_values_are_stable_and_read_by_the_sdk(data: st.DataObject, name: str) -> None:
    spec = aspect_spec(name)
    assert spec is not None
    value = data.draw(values(ASPECT_NAME_MAP[name].RECORD_SCHEMA))
    stored = spec.check(value)
    assert stored == spec.check(stored)
    assert isinstance(ASPECT_NAME_MAP[name].from_obj(post_json_transform(stored)), ASPECT_NAME_MAP[name])


def test_every_aspect_of_every_entity_is_known() -> None:
    names = {name for entity_type in KEY_ASPECTS for name in entity_aspects(entity_type)}
    assert set() == {name for name in names if aspect_spec(name) is None}


@pytest.mark.parametrize(
    ("aspect", "value", "place"),
    [
        ("mlFeatureProperties", {"sources": [1]}, "/sources/0"),
        ("mlFeatureProperties", {"dataType": "NOPE"}, "/dataType"),
        ("mlFeatureProperties", {"customProperties": {"a": 1}}, "/customProperties/a"),
        ("status", {"removed": "yes"}, "/removed"),
        ("globalTags", {}, "/tags"),
        ("globalTags", {"tags": [{}]}, "/tags/0/tag"),
        ("status", {"removed": 1}, "/removed"),
        ("versionProperties", {"versionSet": "urn:li:versionSet:(a,mlModel)"}, "/version"),
    ],
)
def test_malformed_values_name_the_place(aspect: str, value: Any, place: str) -> None:
    spec = aspect_spec(aspect)
    assert spec is not None
    with pytest.raises(Malformed, match=f"^ERROR :: {place} :: "):
        spec.check(value)


def test_refusal_names_urn_and_aspect() -> None:
    with pytest.raises(RequestRefused) as refused:
        check_value(AGE, "mlFeatureProperties", {"sources": "x"})
    assert (
        refused.value.status,
        AGE in refused.value.message,
        "mlFeatureProperties" in refused.value.message,
    ) == (422, True, True)


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 1.5, True, "7", float("nan"), float("inf")])
def test_numbers_that_are_no_long(number: Any) -> None:
    spec = aspect_spec("incidentInfo")
    assert spec is not None
    stamp = {"time": number, "actor": "urn:li:corpuser:a"}
    value = {
        "type": "CUSTOM",
        "entities": [ORDERS],
        "created": stamp,
        "status": {"state": "ACTIVE", "lastUpdated": stamp},
    }
    with pytest.raises(Malformed):
        spec.check(value)


def test_unknown_fields_are_trimmed_and_nulls_dropped() -> None:
    expected = {"description": "d"}
    assert expected == check_value(AGE, "mlFeatureProperties", {"description": "d", "extra": 1, "sources": None})


def test_unions_are_tagged_in_the_wire_namespace() -> None:
    given = {
        "type": {"type": {"com.linkedin.pegasus2avro.schema.NumberType": {}}},
        "fieldPath": "a",
        "nativeDataType": "int",
    }
    value = {
        "schemaName": "s",
        "platform": "urn:li:dataPlatform:snowflake",
        "version": 0,
        "hash": "",
        "platformSchema": {"com.linkedin.pegasus2avro.schema.OtherSchema": {"rawSchema": ""}},
        "fields": [given],
    }
    stored = check_value(ORDERS, "schemaMetadata", value)
    assert stored["fields"][0]["type"]["type"] == {"com.linkedin.schema.NumberType": {}}
    assert stored["platformSchema"] == {"com.linkedin.schema.OtherSchema": {"rawSchema": ""}}


def test_deeply_nested_values_are_refused_not_crashed_on() -> None:
    nested: Any = {"rawSchema": ""}
    for _ in range(5000):
        nested = [nested]
    with pytest.raises(RequestRefused):
        check_value(AGE, "mlFeatureProperties", {"sources": nested})
