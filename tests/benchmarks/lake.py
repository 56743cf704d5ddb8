"""A large catalog, made up: 20,000 datasets with 20 columns each, 100,000 features, 5,000 models. And its SQLite file.

Warehouse layers: raw -> staging -> intermediate -> feature tables -> features -> models -> deployments. Everything has
column-level lineage. One column of one raw table (`LOST`) flows through 10 staging and 50 intermediate tables into all
columns of 150 feature tables, so that 3,000 features stand behind it; in the `wide` lake into a quarter of the columns of
600 of them, so that 9,000 more features stand next to it.

The file is written directly, a million rows in a few statements: the catalog's own way in checks every proposal, which
takes a minute at this size. `test_lake.py` compares the two on a small lake.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from app.catalog import CatalogStore, Proposal
from app.catalog.database import Database

ENV = "PROD"
WAREHOUSE = "urn:li:dataPlatform:snowflake"
STAMP = {"time": 1_700_000_000_000, "actor": "urn:li:corpuser:lake"}
#: what the catalog stores beside an aspect
SYSTEM = {
    "lastObserved": 1,
    "runId": "lake",
    "lastRunId": "no-run-id-provided",
    "version": "1",
    "aspectCreated": STAMP,
    "aspectModified": STAMP,
}
Entity = tuple[str, dict[str, dict[str, Any]]]
#: (owner, aspect, source, name, destination, lineage)
EdgeRow = tuple[str, str, str, str, str, int]


@dataclass(frozen=True, slots=True)
class Lake:
    """How large. `fan` are the datasets of each layer behind the lost column; `lost` columns of each depend on it."""

    datasets: int = 20_000
    columns: int = 20
    tables: int = 5_000  # feature tables; each has a feature per column, and one model takes them all
    fan: tuple[int, int, int] = (10, 50, 150)
    lost: int = 20
    versions: int = 2  # models of one group

    @property
    def features(self) -> int:
        return self.tables * self.columns

    @property
    def lost_features(self) -> int:
        return self.fan[2] * self.lost

    @property
    def layers(self) -> tuple[int, int, int, int]:
        """Datasets of each layer: raw, staging, intermediate, feature tables. The fan comes first in each."""
        rest = self.datasets - self.tables
        return rest - 2 * (rest // 3), rest // 3, rest // 3, self.tables

    def entities(self) -> Iterator[Entity]:
        for layer in range(4):
            for number in range(self.layers[layer]):
                yield self._dataset(layer, number)
        for number in range(self.tables):
            for column in range(self.columns):
                yield self._feature(number, column)
            yield self._model(number)
        for group in range((self.tables + self.versions - 1) // self.versions):
            yield group_urn(group), {"mlModelGroupProperties": {"customProperties": {}, "name": f"group_{group}"}}
        for number in range(self.tables):
            yield (
                deployment_urn(number),
                {"mlModelDeploymentProperties": {"customProperties": {}, "status": "IN_SERVICE"}},
            )

    def _dataset(self, layer: int, number: int) -> Entity:
        urn = dataset_urn(layer, number)
        fields = [_field(f"c{column}") for column in range(self.columns)]
        schema = {
            "schemaName": dataset_name(layer, number),
            "platform": WAREHOUSE,
            "version": 0,
            "hash": "",
            "platformSchema": {"com.linkedin.schema.OtherSchema": {"rawSchema": ""}},
            "fields": fields,
        }
        aspects: dict[str, dict[str, Any]] = {"schemaMetadata": schema}
        if layer:
            aspects["upstreamLineage"] = self._lineage(urn, self._parent(layer, number), layer)
        return urn, aspects

    def _parent(self, layer: int, number: int) -> str:
        """Datasets of the fan come from the fan of the layer above, all others from outside it."""
        fan = (1, *self.fan)
        if number < fan[layer]:
            return dataset_urn(layer - 1, number % fan[layer - 1])
        outside = self.layers[layer - 1] - fan[layer - 1]
        return dataset_urn(layer - 1, fan[layer - 1] + number % outside)

    def _lineage(self, urn: str, parent: str, layer: int) -> dict[str, Any]:
        """Column by column; out of raw, the first columns all depend on the first."""
        rows = []
        for column in range(self.columns):
            origin = 0 if layer == 1 and column < self.lost else column
            rows.append(
                {
                    "upstreamType": "FIELD_SET",
                    "upstreams": [field_urn(parent, f"c{origin}")],
                    "downstreamType": "FIELD",
                    "downstreams": [field_urn(urn, f"c{column}")],
                    "confidenceScore": 1.0,
                }
            )
        upstreams = [{"auditStamp": STAMP, "dataset": parent, "type": "TRANSFORMED"}]
        return {"upstreams": upstreams, "fineGrainedLineages": rows}

    def _feature(self, table: int, column: int) -> Entity:
        properties = {"customProperties": {}, "sources": [dataset_urn(3, table)]}
        return feature_urn(table, column), {"mlFeatureProperties": properties}

    def _model(self, number: int) -> Entity:
        properties = {
            "customProperties": {},
            "name": f"model {number}",
            "mlFeatures": [feature_urn(number, column) for column in range(self.columns)],
            "tags": [],
            "deployments": [deployment_urn(number)],
            "groups": [group_urn(number // self.versions)],
        }
        return model_urn(number), {"mlModelProperties": properties}


LOST = "lake.raw.raw_0.c0"  # the column that the benchmark drops


LAYERS = ("raw", "staging", "intermediate", "features")


def dataset_name(layer: int, number: int) -> str:
    return f"lake.{LAYERS[layer]}.{LAYERS[layer]}_{number}"


def dataset_urn(layer: int, number: int) -> str:
    return f"urn:li:dataset:({WAREHOUSE},{dataset_name(layer, number)},{ENV})"


def field_urn(dataset: str, column: str) -> str:
    return f"urn:li:schemaField:({dataset},{column})"


def feature_urn(table: int, column: int) -> str:
    return f"urn:li:mlFeature:(features_{table},c{column})"


def model_urn(number: int) -> str:
    return f"urn:li:mlModel:(urn:li:dataPlatform:sagemaker,model_{number},{ENV})"


def group_urn(number: int) -> str:
    return f"urn:li:mlModelGroup:(urn:li:dataPlatform:sagemaker,group_{number},{ENV})"


def deployment_urn(number: int) -> str:
    return f"urn:li:mlModelDeployment:(urn:li:dataPlatform:sagemaker,endpoint_{number},{ENV})"


def _field(name: str) -> dict[str, Any]:
    return {
        "fieldPath": name,
        "nullable": False,
        "type": {"type": {"com.linkedin.schema.NumberType": {}}},
        "nativeDataType": "NUMBER",
        "recursive": False,
        "isPartOfKey": False,
    }


# --- the file ------------------------------------------------------------------------------------------------------


def open_lake(lake: Lake, folder: Path | None = None) -> Path:
    """The file of this lake, made once and kept in the machine's folder of temporary files."""
    name = sha256(repr(lake).encode() + Path(__file__).read_bytes()).hexdigest()[:16]
    path = (folder or Path(tempfile.gettempdir())) / f"tether-lake-{name}.db"
    if not path.exists():
        partial = path.with_suffix(f".{os.getpid()}")
        fill(partial, lake)
        partial.rename(path)
    return path


def proposals(lake: Lake) -> Iterator[Proposal]:
    """The same lake for the catalog's own way in."""
    for urn, aspects in lake.entities():
        for name, value in aspects.items():
            yield Proposal(urn, name, value=value, system={"runId": "lake", "lastObserved": 1})


def load(store: CatalogStore, lake: Lake) -> None:
    store.write(proposals(lake))


def fill(path: Path, lake: Lake) -> None:
    """Writes nodes, aspects and edges as the catalog would have; the file must not exist."""
    database = Database(path)
    try:
        with database.writing() as connection:
            connection.execute("PRAGMA defer_foreign_keys = ON")
            nodes: dict[str, int] = {}
            for urn, aspects in lake.entities():
                _put(connection, nodes, urn, aspects)
            _number(connection, nodes)
    finally:
        database.close()


def _put(connection: sqlite3.Connection, nodes: dict[str, int], urn: str, aspects: dict[str, dict[str, Any]]) -> None:
    present = {_key_name(urn): _key(urn), **aspects}
    node = nodes.setdefault(urn, len(nodes) + 1)
    system = json.dumps(SYSTEM, separators=(",", ":"))
    connection.executemany(
        "INSERT INTO aspect (node, name, version, run, written, value, system) VALUES (?, ?, 1, 'lake', 1, ?, ?)",
        [(node, name, json.dumps(value, separators=(",", ":")), system) for name, value in present.items()],
    )
    rows = [row for name, value in aspects.items() for row in draw(urn, name, value)]
    connection.executemany(
        "INSERT INTO edge (owner, aspect, source, name, destination, lineage) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (
                nodes.setdefault(owner, len(nodes) + 1),
                aspect,
                nodes.setdefault(source, len(nodes) + 1),
                name,
                nodes.setdefault(destination, len(nodes) + 1),
                lineage,
            )
            for owner, aspect, source, name, destination, lineage in rows
        ],
    )


def _number(connection: sqlite3.Connection, nodes: dict[str, int]) -> None:
    present = {row[0] for row in connection.execute("SELECT DISTINCT node FROM aspect")}
    connection.executemany(
        "INSERT INTO node (id, urn, type, present) VALUES (?, ?, ?, ?)",
        ((number, urn, urn.split(":", 3)[2], int(number in present)) for urn, number in nodes.items()),
    )


def draw(urn: str, aspect: str, value: dict[str, Any]) -> Iterator[EdgeRow]:
    """The edges of the few aspects that a lake has."""

    def rows(name: str, destinations: Iterable[str], lineage: int) -> Iterator[EdgeRow]:
        yield from ((urn, aspect, urn, name, destination, lineage) for destination in destinations)

    match aspect:
        case "upstreamLineage":
            fine = value["fineGrainedLineages"]
            yield from rows("DownstreamOf", [one["dataset"] for one in value["upstreams"]], 1)
            ups = dict.fromkeys(up for one in fine for up in one["upstreams"])
            yield from rows("DownstreamOf", ups, 0)
            for one in fine:
                yield urn, aspect, one["downstreams"][0], "DownstreamOf", one["upstreams"][0], 0
        case "mlFeatureProperties":
            yield from rows("DerivedFrom", value["sources"], 1)
        case "mlModelProperties":
            yield from rows("Consumes", value["mlFeatures"], 1)
            yield from rows("DeployedTo", value["deployments"], 0)
            yield from rows("MemberOf", value["groups"], -1)


def _key_name(urn: str) -> str:
    return f"{urn.split(':', 3)[2]}Key"


def _key(urn: str) -> dict[str, Any]:
    fields = urn.split("(", 1)[1].rstrip(")").rsplit(",", 2)
    match urn.split(":", 3)[2]:
        case "mlFeature":
            table, _, name = urn.split("(", 1)[1].rstrip(")").rpartition(",")
            return {"featureNamespace": table, "name": name}
        case "mlModelGroup":
            return {"platform": fields[0], "name": fields[1], "origin": fields[2]}
        case _:
            return {"platform": fields[0], "name": fields[1], "origin": fields[2]}
