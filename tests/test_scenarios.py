"""Every scenario folder from its trees to its verdict: base, head, catalog in; verdict, removals, models out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.edges.datahub import DataHubReads
from app.edges.git import list_directory, read_directory
from app.effects import ReviewFacts
from app.job.assess import assess
from app.job.local import LocalSide, choose_read, local_change
from app.sandbox.catalog import CatalogStore, create_app
from tests.fakes.isolation import InlineIsolation

SCENARIOS = Path(__file__).parent / "scenarios"
FOLDERS = sorted(path.parent.parent for path in SCENARIOS.glob("*/expected/verdict.json"))
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def judge_folder(folder: Path, database: Path) -> ReviewFacts:
    """The scenario's facts, through the embedded catalog and the real client."""
    store = CatalogStore(database)
    catalog = folder / "catalog" / "catalog.json"
    if catalog.is_file():
        store.load_file(catalog)
    reads = DataHubReads("http://catalog.embedded", None, transport=httpx.ASGITransport(create_app(store)))
    try:
        base, head = side(folder / "base"), side(folder / "head")
        tip = side(folder / "base_tip") if (folder / "base_tip").is_dir() else base
        change = local_change(base, head, tip, config_text=None)
        return (await assess(change, catalog=reads, isolation=InlineIsolation())).facts
    finally:
        await reads.aclose()
        store.close()


def side(folder: Path) -> LocalSide:
    found = read_directory(folder, choose_read(list_directory(folder)))
    return LocalSide(found.tree, found.digests)


def expected(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "expected" / "verdict.json").read_text())
    return found


def test_there_are_scenarios_of_both_colours() -> None:
    verdicts = {expected(folder)["verdict"] for folder in FOLDERS}

    assert {"block", "pass"} <= verdicts


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
async def test_the_verdict(folder: Path, tmp_path: Path) -> None:
    facts = await judge_folder(folder, tmp_path / "catalog.db")
    want = expected(folder)

    assert facts.verdict.word == want["verdict"], facts.verdict.title
    for model in want.get("models", ()):
        assert model in {finding.model_name for finding in facts.verdict.findings if finding.level == "block"}
    for rule in want.get("rules", ()):
        assert rule in {finding.rule for finding in facts.verdict.findings}
