"""A warehouse -> the catalog that an ordinary ingestion of it would have left, as MCPs: lineage partly missing, models behind it.

What is missing and who serves is chosen by a hash of the name, so that it is the same in every run: 4 % of the datasets have no
lineage, 8 % lineage of tables alone; a share of the tables at the end of the line are feature tables with a model each, 85 % of
which serve.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.benchmarks.replay.repositories import Repository
from tests.benchmarks.replay.warehouse import Column, Table, Warehouse, find_column_sources, find_upstream

WITHOUT_LINEAGE, OF_TABLES_ALONE = 0.04, 0.12
TAKEN, SERVING = 0.75, 0.85
MOST_FEATURES, OWNERS = 40, 5
NO_FEATURE = re.compile(r"(^|_)(sk|pk|uuid)$")
STAMP = {"time": 0, "actor": "urn:li:corpuser:unknown"}
TYPES = (
    (re.compile(r"(_at|_ts|timestamp|_datetime)$"), "TIMESTAMP"),
    (re.compile(r"(_date|_dt|^date)$"), "DATE"),
    (re.compile(r"^(is_|has_)"), "BOOLEAN"),
    (re.compile(r"^(num_|count_|n_|total_|sum_|avg_)|(count|_amount|_total|_pct|_rate)$"), "NUMERIC"),
)

Proposal = dict[str, Any]


def find_chance(*parts: str) -> float:
    """0 to 1, by the parts alone."""
    return int(hashlib.sha256("|".join(parts).encode()).hexdigest()[:8], 16) / 0xFFFFFFFF


def find_proposals(held: Warehouse, repository: Repository, share: float) -> list[Proposal]:
    """`share` of the last tables are feature tables. The columns are filled before."""
    made = _Catalog(repository.platform)
    for table in (*held.stored, *held.sources.values()):
        made.add_table(table)
    if repository.kind == "migrations":
        taken = [table for table in held.stored if find_chance("src", table.name) <= share]
        features = [made.add_feature_table(table, repository.database) for table in taken]
    else:
        features = [table for table in _find_last(held, repository.marts) if find_chance("leaf", table.name) < share]
    for table in features:
        made.add_model(table)
    return made.proposals


def _find_last(held: Warehouse, marts: str) -> list[Table]:
    """The models that no other reads, and those in a folder of marts."""
    read = {above.name for table in held.tables.values() for above in table.upstream}
    models = [table for table in held.stored if table.kind == "model" and table.columns]
    last = [table for table in models if table.name not in read]
    return last + [t for t in models if t.name in read and t.path is not None and re.search(marts, t.path)]


@dataclass(slots=True)
class _Catalog:
    platform: str
    proposals: list[Proposal] = field(default_factory=list)

    def put(self, kind: str, urn: str, aspect: str, body: Mapping[str, Any]) -> None:
        self.proposals.append(
            {
                "entityType": kind,
                "entityUrn": urn,
                "changeType": "UPSERT",
                "aspectName": aspect,
                "aspect": {"json": dict(body)},
            }
        )

    def dataset(self, name: str) -> str:
        return f"urn:li:dataset:(urn:li:dataPlatform:{self.platform},{name},PROD)"

    def add_table(self, table: Table) -> None:
        """With as much of its lineage as chance leaves."""
        lineage = {column: find_column_sources(table, column) for column, _ in table.columns or ()}
        upstream = find_upstream(table) | {above for sources in lineage.values() for above, _ in sources}
        chance = find_chance("lineage", table.name)
        if chance < WITHOUT_LINEAGE:
            upstream, lineage = set(), {}
        elif chance < OF_TABLES_ALONE:
            lineage = {}
        kind = "View" if table.view == "yes" else "Table"
        self._add_dataset(table.name, table.columns or [], upstream, lineage, kind)

    def add_feature_table(self, table: Table, database: str) -> Table:
        """A table of features over one of the application's."""
        name = f"{database}.features.{table.name.rpartition('.')[2]}_features".lower()
        columns = list(table.columns or ())
        self._add_dataset(
            name, columns, {table.name}, {column: {(table.name, column)} for column, _ in columns}, "Table"
        )
        return Table(name, "model", columns=columns)

    def _add_dataset(
        self,
        name: str,
        columns: Iterable[Column],
        upstream: set[str],
        lineage: Mapping[str, set[tuple[str, str]]],
        kind: str,
    ) -> None:
        urn = self.dataset(name)
        about = {"customProperties": {}, "name": name.rpartition(".")[2], "qualifiedName": name, "tags": []}
        self.put("dataset", urn, "datasetProperties", about)
        self.put("dataset", urn, "status", {"removed": False})
        self.put("dataset", urn, "subTypes", {"typeNames": [kind]})
        if fields := [_field(*column) for column in columns]:
            self.put("dataset", urn, "schemaMetadata", {**_schema(name, self.platform), "fields": fields})
        if not upstream:
            return
        ups = [
            {
                "dataset": self.dataset(one),
                "type": "TRANSFORMED",
                "auditStamp": {**STAMP, "actor": "urn:li:corpuser:datahub"},
            }
            for one in sorted(upstream)
        ]
        fine = [self._trace(urn, column, sources) for column, sources in lineage.items() if sources]
        self.put(
            "dataset", urn, "upstreamLineage", {"upstreams": ups, **({"fineGrainedLineages": fine} if lineage else {})}
        )

    def _trace(self, urn: str, column: str, sources: set[tuple[str, str]]) -> dict[str, Any]:
        return {
            "upstreamType": "FIELD_SET",
            "upstreams": [f"urn:li:schemaField:({self.dataset(table)},{name})" for table, name in sorted(sources)],
            "downstreamType": "FIELD",
            "downstreams": [f"urn:li:schemaField:({urn},{column})"],
            "confidenceScore": 1.0,
        }

    def add_model(self, table: Table) -> None:
        """A feature for each column, a feature table, and a model that takes most of them."""
        name = "_".join(table.name.split(".")[-2:])
        columns = [column for column, _ in table.columns or () if not NO_FEATURE.search(column)][:MOST_FEATURES]
        features = [f"urn:li:mlFeature:({name},{column})" for column in columns]
        for feature in features:
            said = {
                "description": "",
                "dataType": "CONTINUOUS",
                "sources": [self.dataset(table.name)],
                "customProperties": {},
            }
            self.put("mlFeature", feature, "mlFeatureProperties", said)
        held = {"mlFeatures": features, "customProperties": {}}
        self.put(
            "mlFeatureTable",
            f"urn:li:mlFeatureTable:(urn:li:dataPlatform:feast,{name})",
            "mlFeatureTableProperties",
            held,
        )
        takes = [feature for feature in features if find_chance("takes", feature) < TAKEN] or features
        self._add_served(f"model_{name}", takes, table)

    def _add_served(self, name: str, takes: list[str], table: Table) -> None:
        urn = f"urn:li:mlModel:(urn:li:dataPlatform:mlflow,{name},PROD)"
        deployment = f"urn:li:mlModelDeployment:(urn:li:dataPlatform:sagemaker,{name}-live,PROD)"
        created = {"time": 1780000000000, "actor": "urn:li:corpuser:datahub"}
        about = {
            "name": name,
            "customProperties": {},
            "mlFeatures": takes,
            "deployments": [deployment],
            "created": created,
        }
        self.put("mlModel", urn, "mlModelProperties", {**about, "tags": [], "trainingMetrics": [], "hyperParams": []})
        status = "IN_SERVICE" if find_chance("serving", table.name) < SERVING else "OUT_OF_SERVICE"
        self.put(
            "mlModelDeployment", deployment, "mlModelDeploymentProperties", {"customProperties": {}, "status": status}
        )
        owner = f"urn:li:corpGroup:ml-{int(find_chance('own', table.name) * OWNERS)}"
        owners = [{"owner": owner, "type": "TECHNICAL_OWNER"}]
        self.put("mlModel", urn, "ownership", {"owners": owners, "ownerTypes": {}, "lastModified": STAMP})


def _schema(name: str, platform: str) -> dict[str, Any]:
    raw = {"com.linkedin.schema.OtherSchema": {"rawSchema": ""}}
    stamps = {"created": STAMP, "lastModified": STAMP}
    where = {"schemaName": name, "platform": f"urn:li:dataPlatform:{platform}", "version": 0, "hash": ""}
    return {**where, **stamps, "platformSchema": raw}


def _field(name: str, native: str | None) -> dict[str, Any]:
    guessed = next((kind for pattern, kind in TYPES if pattern.search(name.lower())), "VARCHAR")
    return {
        "fieldPath": name,
        "nullable": True,
        "type": {"type": {"com.linkedin.schema.StringType": {}}},
        "nativeDataType": native or guessed,
        "recursive": False,
        "isPartOfKey": False,
    }
