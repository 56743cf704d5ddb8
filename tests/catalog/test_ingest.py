"""DataHub's own command line against a served catalog: `datahub ingest` from a file, and taking the run back."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from datahub.emitter.mcp import MetadataChangeProposalWrapper
from datahub.metadata.schema_classes import MLFeaturePropertiesClass, MLModelPropertiesClass

from app.catalog import CatalogStore, ServingCatalog
from app.catalog.scrolling import EdgeQuery
from tests.catalog.conftest import TOKEN
from tests.catalog.urns import AGE, CHURN, ENDPOINT, ORDERS


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A file of MCPs as the file sink writes them."""
    mcps = [
        MetadataChangeProposalWrapper(entityUrn=AGE, aspect=MLFeaturePropertiesClass(sources=[ORDERS])),
        MetadataChangeProposalWrapper(
            entityUrn=CHURN, aspect=MLModelPropertiesClass(mlFeatures=[AGE], deployments=[ENDPOINT])
        ),
    ]
    path = tmp_path / "pack.json"
    path.write_text(json.dumps([mcp.to_obj(simplified_structure=True) for mcp in mcps]))
    return path


def run_datahub(serving: ServingCatalog, directory: Path, *arguments: str) -> str:
    environment = {
        **os.environ,
        "DATAHUB_TELEMETRY_ENABLED": "false",
        "DATAHUB_GMS_URL": serving.url,
        "DATAHUB_GMS_TOKEN": TOKEN,
        "HOME": str(directory),
    }
    done = subprocess.run(
        [sys.executable, "-m", "datahub", *arguments],
        cwd=directory,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def names(store: CatalogStore) -> set[tuple[str, str, str]]:
    query = EdgeQuery(names=["DerivedFrom", "Consumes", "DeployedTo"])
    return {(row.source, row.name, row.destination) for row in store.scroll_edges(query, count=100).rows}


def test_ingest_and_rollback_by_the_real_command_line(serving: ServingCatalog, pack: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.yml"
    recipe.write_text(
        json.dumps(
            {
                "source": {"type": "file", "config": {"path": str(pack)}},
                "sink": {"type": "datahub-rest", "config": {"server": serving.url, "token": TOKEN}},
            }
        )
    )
    output = run_datahub(serving, tmp_path, "ingest", "-c", str(recipe))
    assert "Pipeline finished successfully" in output
    expected = {(AGE, "DerivedFrom", ORDERS), (CHURN, "Consumes", AGE), (CHURN, "DeployedTo", ENDPOINT)}
    assert expected == names(serving.store)
    stored = serving.store.fetch_aspect(AGE, "mlFeatureProperties")
    assert stored is not None
    run = stored.system["runId"]
    assert re.fullmatch(r"file-\d{4}_\d\d_\d\d-.*", run)
    assert run in run_datahub(serving, tmp_path, "ingest", "list-runs")
    run_datahub(serving, tmp_path, "ingest", "rollback", "--run-id", run, "--force")
    assert (set(), False) == (names(serving.store), serving.store.fetch_presence(AGE)[0])


def test_the_same_file_loads_without_the_command_line(store: CatalogStore, pack: Path) -> None:
    assert store.load_file(pack) == 2
    assert len(names(store)) == 3
