"""`tether config --suggest`: the lines that bind what the catalog's own names leave open."""

from __future__ import annotations

import json
from pathlib import Path

from tests.commands.run import tether
from tests.commands.test_cli import write

STORE = "acme.customer_features"


def proposal(kind: str, urn: str, aspect: str, value: object) -> dict[str, object]:
    return {
        "entityType": kind,
        "entityUrn": urn,
        "changeType": "UPSERT",
        "aspectName": aspect,
        "aspect": {"json": value},
    }


def field(name: str) -> dict[str, object]:
    held: dict[str, object] = {"type": {"com.linkedin.schema.NumberType": {}}}
    return {"fieldPath": name, "nativeDataType": "FLOAT", "type": held}


def write_catalog(folder: Path, *features: str) -> None:
    """A serving model over features of one view, whose source the feature store's ingestion did not know; and a table called
    like the view.
    """
    unknown = "urn:li:dataset:(urn:li:dataPlatform:unknown,unknown,PROD)"
    table = "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.customer_features,PROD)"
    schema = {
        "schemaName": "customer_features",
        "platform": "urn:li:dataPlatform:postgres",
        "version": 0,
        "hash": "",
        "platformSchema": {"com.linkedin.schema.OtherSchema": {"rawSchema": ""}},
        "fields": [field("customer_id"), field("spend")],
    }
    model = "urn:li:mlModel:(urn:li:dataPlatform:mlflow,churn_4,PROD)"
    urns = [f"urn:li:mlFeature:({name.rpartition('.')[0]},{name.rpartition('.')[2]})" for name in features]
    told = {"customProperties": {"serving": "true"}, "mlFeatures": urns}
    found = [
        proposal("dataset", table, "schemaMetadata", schema),
        proposal("mlModel", model, "mlModelProperties", told),
        *(proposal("mlFeature", urn, "mlFeatureProperties", {"sources": [unknown]}) for urn in urns),
    ]
    write(folder, {"catalog.json": json.dumps(found)})


def test_a_line_is_ready_to_paste_where_a_table_is_called_like_the_view(tmp_path: Path) -> None:
    write_catalog(tmp_path, f"{STORE}.spend", "acme.segments.seg")
    done = tether("config", "--suggest", "--repo", ".", "--catalog", "catalog.json", cwd=tmp_path)

    assert done.returncode == 0
    assert done.stdout == (
        "features:\n"
        f"  {STORE}.spend: {{table: shop.public.customer_features, column: spend}}\n"
        "  # which table? acme.segments.seg: {table: DATABASE.SCHEMA.segments, column: seg}\n"
    )


def test_what_was_pasted_is_not_suggested_again(tmp_path: Path) -> None:
    write_catalog(tmp_path, f"{STORE}.spend")
    asked = ("config", "--suggest", "--repo", ".", "--catalog", "catalog.json")
    write(tmp_path, {".tether.yml": "version: 1\n" + tether(*asked, cwd=tmp_path).stdout})
    done = tether(*asked, cwd=tmp_path)

    assert (done.returncode, done.stdout) == (
        0,
        "# Every feature that a serving model takes is bound: nothing to add.\n",
    )
