"""Every scenario folder from its trees to its verdict: base, head, catalog in; verdict, removals, models out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest

from app.catalog import CatalogStore, create_app
from app.change.removal import RemovalKind
from app.edges.datahub import DataHubReads
from app.edges.git import list_directory, read_directory
from app.effects import ReviewFacts
from app.offline.local import LocalSide, local_change
from app.review.assess import assess
from app.source.selection import choose_read
from app.verdict import RULES
from tests.fakes.isolation import InlineIsolation
from tests.fakes.serving import Answer, Faulty, json_answer

SCENARIOS = Path(__file__).parent / "scenarios"
Fault = Callable[[str, str, int], Answer | None]
FOLDERS = sorted(path.parent.parent for path in SCENARIOS.glob("*/expected/verdict.json"))
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def judge_folder(folder: Path, database: Path, fault: Fault | None = None) -> ReviewFacts:
    """The scenario's facts, through the embedded catalog and the real client."""
    store = CatalogStore(database)
    catalog = folder / "catalog" / "catalog.json"
    if catalog.is_file():
        store.load_file(catalog)
    app = create_app(store) if fault is None else Faulty(create_app(store), fault)
    reads = DataHubReads("http://catalog.embedded", None, transport=httpx.ASGITransport(app))
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


#: a listing that GitHub cuts short; a directory never is
NO_FOLDER_SHOWS = {"review_is_incomplete"}


def test_there_are_scenarios_of_both_colours_and_many_dialects() -> None:
    verdicts = [expected(folder)["verdict"] for folder in FOLDERS]
    settings = [folder / "base" / ".tether.yml" for folder in FOLDERS]
    dialects = {
        match[1]
        for path in settings
        if path.is_file() and (match := re.search(r"^dialect: *(\w+)", path.read_text(), re.M))
    }

    assert verdicts.count("pass") >= 60
    assert verdicts.count("block") + verdicts.count("unassessable") >= 60
    assert len(dialects) >= 6


def test_every_rule_has_a_scenario_that_it_speaks_in() -> None:
    spoken = {rule for folder in FOLDERS for rule in expected(folder)["rules"]}

    assert {rule.id for rule in RULES} - spoken == NO_FOLDER_SHOWS


def test_every_rule_names_a_scenario_that_shows_it() -> None:
    shown = {rule.id: rule.scenario for rule in RULES if rule.scenario}

    assert {rule.id for rule in RULES} - shown.keys() == NO_FOLDER_SHOWS
    assert [r for r, scenario in shown.items() if r not in expected(SCENARIOS / scenario)["rules"]] == []


def test_the_readme_lists_every_rule_as_it_documents_itself() -> None:
    readme = (Path(__file__).parent.parent / "README.md").read_text()

    assert [rule.id for rule in RULES if f"| {rule.summary} |" not in readme] == []
    assert set(re.findall(r"^\| `(\w+)` \|", readme, re.M)) == {rule.id for rule in RULES}


def test_every_kind_of_removal_has_a_scenario() -> None:
    files = (folder / "expected" / "removals.json" for folder in FOLDERS)
    shown = {
        removal["kind"] for path in files if path.is_file() for removal in json.loads(path.read_text())["removals"]
    }

    if any("added_column_clashes" in expected(folder)["rules"] for folder in FOLDERS):
        shown.add("column_added")  # no removal by itself: said where somebody notices

    assert set(get_args(RemovalKind)) - shown == set()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
async def test_the_verdict(folder: Path, tmp_path: Path) -> None:
    facts = await judge_folder(folder, tmp_path / "catalog.db")
    want = expected(folder)

    assert facts.verdict.word == want["verdict"], facts.verdict.title
    assert not [finding.message for finding in facts.verdict.findings if ".;" in finding.message]
    for model in want.get("models", ()):
        assert model in {finding.model_name for finding in facts.verdict.findings if finding.level == "block"}
    assert sorted({finding.rule for finding in facts.verdict.findings}) == want["rules"]  # no other rule speaks


def without_scrolls(method: str, path: str, before: int) -> Answer | None:
    """A server before 1.6: no relationship scroll, no entity scroll."""
    del method, before
    return json_answer({"message": "No endpoint"}, 404) if path.endswith("/scroll") else None


@pytest.mark.parametrize("folder", FOLDERS[::6], ids=lambda folder: folder.name)
async def test_an_older_server_leads_to_the_same_verdict(folder: Path, tmp_path: Path) -> None:
    newer = await judge_folder(folder, tmp_path / "newer.db")
    older = await judge_folder(folder, tmp_path / "older.db", without_scrolls)

    assert (older.verdict, older.removals, older.edges) == (newer.verdict, newer.removals, newer.edges)
