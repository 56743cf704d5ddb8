"""What a statement of a scenario's catalog comes to: aspects as DataHub's ingestion writes them, with its constants. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import yaml

from app.offline.scenario.names import ScenarioNames, find_title

#: urn, name, value
Aspect = tuple[str, str, dict[str, Any]]
_STAMP: Final = {"time": 0, "actor": "urn:li:corpuser:datahub"}
#: how a type begins -> DataHub's class of it; whatever begins otherwise is a string
_CLASSES: Final = (
    (re.compile(r"u?int|bigint|smallint|tinyint|number|numeric|decimal|float|double|real", re.I), "Number"),
    (re.compile(r"time|datetime", re.I), "Time"),
    (re.compile(r"date", re.I), "Date"),
    (re.compile(r"bool", re.I), "Boolean"),
)
_MATERIALIZED: Final = {"model": "table", "seed": "seed", "snapshot": "snapshot", "source": ""}
_COLUMN: Final = re.compile(r'("(?:[^"\\]|\\.)*"|\S+) +(.+)$')
_FIELD: Final = re.compile(r"(\S+) from (\S+(?: \+ \S+)*)$")


def make_table(urn: str, keyword: str, columns: str | None, names: ScenarioNames) -> list[Aspect]:
    """`columns` is None where the catalog has no schema of it."""
    title = find_title(urn)
    name = title.rpartition(".")[2]
    found: list[Aspect] = [
        (urn, "datasetProperties", {"customProperties": {}, "name": name, "qualifiedName": title, "tags": []})
    ]
    if keyword != "table":
        found.append((urn, "subTypes", {"typeNames": [keyword.capitalize()]}))
    return found if columns is None else [*found, _make_schema(urn, columns, names)]


def make_dbt(urn: str, kind: str, path: str, columns: str, names: ScenarioNames) -> list[Aspect]:
    """As ingestion from dbt describes a node: its project is called as the first part of the name."""
    if kind not in _MATERIALIZED:
        raise names.line.refuse(f"dbt has no {kind}: there are {', '.join(_MATERIALIZED)}")
    title = find_title(urn)
    parts = title.split(".")
    node = [kind, parts[0], *(parts[-2:] if kind == "source" else parts[-1:])]
    properties = {
        "node_type": kind,
        "materialization": _MATERIALIZED[kind],
        "dbt_file_path": path,
        "language": "sql",
        "dbt_unique_id": ".".join(node),
        "dbt_package_name": parts[0],
    }
    value = {"customProperties": properties, "name": parts[-1], "tags": []}
    return [(urn, "datasetProperties", value), _make_schema(urn, columns, names)]


def _make_schema(urn: str, columns: str, names: ScenarioNames) -> Aspect:
    platform = urn.split(",", maxsplit=1)[0].removeprefix("urn:li:dataset:(")
    value = {
        "schemaName": find_title(urn),
        "platform": platform,
        "version": 0,
        "hash": "",
        "created": _STAMP,
        "lastModified": _STAMP,
        "platformSchema": {"com.linkedin.schema.OtherSchema": {"rawSchema": ""}},
        "fields": [_make_field(column, names) for column in _split(columns)],
    }
    return urn, "schemaMetadata", value


def _make_field(column: str, names: ScenarioNames) -> dict[str, Any]:
    match = _COLUMN.match(column)
    if match is None:
        raise names.line.refuse(f"the column {column or '(nothing)'} has no type: write it like: order_id NUMBER")
    name, native = match[1], match[2]
    kind = next((kind for pattern, kind in _CLASSES if pattern.match(native)), "String")
    return {
        "fieldPath": json.loads(name) if name.startswith('"') else name,
        "nullable": True,
        "type": {"type": {f"com.linkedin.schema.{kind}Type": {}}},
        "nativeDataType": native,
        "recursive": False,
        "isPartOfKey": False,
    }


def _split(text: str) -> Iterator[str]:
    """By commas and ends of lines that stand in no bracket."""
    depth, part = 0, ""
    for letter in text.strip() + "\n":
        depth += (letter in "(<[") - (letter in ")>]")
        if letter in ",\n" and depth <= 0:
            if part.strip() or letter == ",":
                yield part.strip()
            part = ""
        else:
            part += letter


def make_siblings(primary: str, other: str) -> list[Aspect]:
    return [
        (primary, "siblings", {"siblings": [other], "primary": True}),
        (other, "siblings", {"siblings": [primary], "primary": False}),
    ]


def make_lineage(urn: str, upstreams: Sequence[str], columns: str, names: ScenarioNames) -> list[Aspect]:
    """A column of the one upstream is written by its name, of several as table.column."""
    value: dict[str, Any] = {
        "upstreams": [{"auditStamp": _STAMP, "dataset": upstream, "type": "TRANSFORMED"} for upstream in upstreams]
    }
    fields = [_make_edge(urn, upstreams, column, names) for column in _split(columns)]
    return [(urn, "upstreamLineage", value | ({"fineGrainedLineages": fields} if fields else {}))]


def _make_edge(urn: str, upstreams: Sequence[str], sentence: str, names: ScenarioNames) -> dict[str, Any]:
    match = _FIELD.match(sentence)
    if match is None:
        raise names.line.refuse(f"{sentence} is no edge between columns: write it like: a from b, or a from b + c")
    return {
        "upstreamType": "FIELD_SET",
        "upstreams": [_find_field(upstreams, column, names) for column in match[2].split(" + ")],
        "downstreamType": "FIELD",
        "downstreams": [f"urn:li:schemaField:({urn},{match[1]})"],
        "confidenceScore": 1.0,
    }


def _find_field(upstreams: Sequence[str], column: str, names: ScenarioNames) -> str:
    if len(upstreams) == 1:
        return f"urn:li:schemaField:({upstreams[0]},{column})"
    table, _, name = column.rpartition(".")
    if not table:
        raise names.line.refuse(f"{column} may be of {len(upstreams)} tables: write it as table.{column}")
    return f"urn:li:schemaField:({names.find_dataset(table)},{name})"


def make_view_logic(urn: str, sql: str) -> list[Aspect]:
    return [(urn, "viewProperties", {"materialized": False, "viewLogic": sql, "viewLanguage": "SQL"})]


def make_feature(urn: str, sources: Sequence[str]) -> list[Aspect]:
    return [(urn, "mlFeatureProperties", {"customProperties": {}, "sources": list(sources)})]


def make_model(urn: str, features: Sequence[str], sentence: str, names: ScenarioNames) -> list[Aspect]:
    """`said` is what is known of it: `serving true, owner growth-ml, created 2026-07-14, deployed sagemaker:live`."""
    value: dict[str, Any] = {
        "customProperties": {},
        "name": find_title(urn),
        "mlFeatures": list(features),
        "tags": [],
    }
    owners = []
    for word, _, rest in (one.partition(" ") for one in _split(sentence)):
        match word:
            case "serving":
                value["customProperties"]["serving"] = rest
            case "created":
                value["created"] = {"time": _find_time(rest, names), "actor": _STAMP["actor"]}
            case "deployed":
                value["deployments"] = [*value.get("deployments", ()), names.find("deployment", rest)]
            case "group":
                group = f"urn:li:mlModelGroup:({urn.removeprefix('urn:li:mlModel:(').split(',')[0]},{rest},PROD)"
                value["groups"] = [*value.get("groups", ()), group]
            case "owner":
                owners.append({"owner": f"urn:li:corpGroup:{rest}", "type": "TECHNICAL_OWNER"})
            case _:
                raise names.line.refuse(f"a model has no {word}: there are serving, owner, created, deployed, group")
    ownership: Aspect = (urn, "ownership", {"owners": owners, "ownerTypes": {}, "lastModified": _STAMP})
    return [(urn, "mlModelProperties", value), *([ownership] if owners else [])]


def _find_time(day: str, names: ScenarioNames) -> int:
    try:
        return round(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000)
    except ValueError:
        raise names.line.refuse(f"{day} is no day: write it like 2026-07-14") from None


def make_deployment(urn: str, status: str) -> list[Aspect]:
    return [(urn, "mlModelDeploymentProperties", {"customProperties": {}, "status": status})]


def make_any(urn: str, name: str, text: str, names: ScenarioNames) -> list[Aspect]:
    """`text` is YAML. Raises `MalformedScenario` where it is none, or no mapping."""
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        value = None
    if not isinstance(value, dict):
        raise names.line.refuse(f"the value of {name} has to be YAML with key: value pairs")
    return [(urn, name, value)]
