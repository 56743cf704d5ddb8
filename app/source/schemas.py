"""What the catalog knows of the relations that SQL names: columns and types, folded as the SQL engine folds them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from app.change import ParsedFile, find_step_relations
from app.reads import fold
from app.trail import LineageGraph, Naming
from app.words import Schema

#: DataHub's field paths of version 2 carry types: [version=2.0].[type=struct].[type=string].address.city
_V2_TAG = re.compile(r"\[[^\]]*\]\.?")


def find_relations(files: Iterable[ParsedFile]) -> frozenset[str]:
    """Every relation that the files name, in statements or in DDL steps."""
    found: set[str] = set()
    for file in files:
        if file.relation:
            found.add(file.relation)
        for statement in file.statements:
            found.update(statement.relations)
            if statement.target:
                found.add(statement.target)
        for step in file.steps:
            found.update(find_step_relations(step))
    return frozenset(found)


def find_catalog_schema(relations: Iterable[str], naming: Naming, graph: LineageGraph, *, dialect: str) -> Schema:
    """relation -> columns for every relation whose dataset has a schema in the catalog."""
    schema: dict[str, Mapping[str, str]] = {}
    for relation in relations:
        urn = naming.resolve(relation).urn
        if urn is not None and (fields := graph.aspect(urn, "schemaMetadata").get("fields")):
            schema[relation] = _columns(fields, dialect)
    return schema


def _columns(fields: Iterable[Mapping[str, Any]], dialect: str) -> dict[str, str]:
    columns: dict[str, str] = {}
    for field in fields:
        name = _V2_TAG.sub("", str(field.get("fieldPath", "")))
        if name and "." not in name:  # nested fields are part of their column
            columns[fold_stored(name, dialect)] = str(field.get("nativeDataType", ""))
    return columns


def fold_stored(name: str, dialect: str) -> str:
    """A name as a catalog stores it. All of one case says nothing (DataHub may have lowered it); mixed case was quoted."""
    if name in (name.lower(), name.upper()):
        return name.lower()
    return fold(name, quoted=True, dialect=dialect)
