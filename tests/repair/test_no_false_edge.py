"""No edge that SQL does not prove: counted over every scenario, against its files, against hand-written verdicts (before and
after the edges are written), and against DuckDB, which runs the statement without the column."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest

from app.catalog import CatalogStore, Proposal, create_app
from app.edges.datahub import DataHubReads
from app.effects import ReviewFacts, plan_aspects, plan_edge_writes
from app.lineage.plan import Branch, RepairPlan, fetch_repair_plan
from app.offline.local import local_change
from app.repair import ProvenEdge
from app.review.assess import assess
from app.review.config import parse_config
from app.trail import field_urn, find_title
from app.trail.urns import parse_field
from app.words import Repo, Tree
from tests.change.test_scenarios import EXECUTABLE, _definitions, _migrations, tree
from tests.fakes.isolation import InlineIsolation
from tests.test_scenarios import side

ROOT = Path(__file__).parent.parent / "scenarios"
FOLDERS = sorted(path.parent.parent for path in ROOT.glob("*/expected/verdict.json"))
COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.S)

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass(frozen=True)
class Mended:
    """`warm`: the verdict on the scenario's change once the missing edges stand in the catalog."""

    tree: Tree
    plan: RepairPlan
    warm: ReviewFacts


#: several tests ask about one folder
MENDED: dict[str, Mended] = {}


async def mend(folder: Path) -> Mended:
    if folder.name not in MENDED:
        with CatalogStore() as store:
            MENDED[folder.name] = await _mend(folder, store)
    return MENDED[folder.name]


async def _mend(folder: Path, store: CatalogStore) -> Mended:
    """What a repair finds on the scenario's base branch, and what the change comes to after it."""
    if (folder / "catalog" / "catalog.json").is_file():
        store.load_file(folder / "catalog" / "catalog.json")
    base, head = side(folder / "base"), side(folder / "head")
    tip = side(folder / "base_tip") if (folder / "base_tip").is_dir() else base
    now = Tree(tip.tree.files, "c0ffee", "acme/sql", tip.tree.unread)
    branch = Branch(Repo(1, "acme/sql"), now, parse_config(now.files.get(".tether.yml")))
    reads = DataHubReads("http://catalog.embedded", None, transport=httpx.ASGITransport(create_app(store)))
    try:
        plan = await fetch_repair_plan([branch], catalog=reads, isolation=InlineIsolation())
        write_all(plan, store)
        change = local_change(base, head, tip, config_text=None)
        return Mended(now, plan, (await assess(change, catalog=reads, isolation=InlineIsolation())).facts)
    finally:
        await reads.aclose()


def write_all(plan: RepairPlan, store: CatalogStore) -> None:
    """What the writer plans, put into the catalog without its network."""
    held: dict[str, dict[str, Any]] = {}
    for write in plan_edge_writes(plan.missing, "run"):
        entity = write.edge.entity
        current = held.setdefault(entity, {**plan.graph.aspects.get(entity, {})})
        for name, value in plan_aspects(write, current, at=1).items():
            current[name] = value
            store.write([Proposal(entity, name, value=value)])


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
async def test_no_edge_of_a_scenario_is_false(folder: Path) -> None:
    mended = await mend(folder)
    false = [
        said
        for edge in mended.plan.proven
        for said in (
            *deny_by_lines(edge, mended.tree),
            *deny_by_catalog(edge, mended.plan),
            *deny_by_verdict(edge, folder),
        )
    ]

    assert false == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
async def test_the_verdict_is_the_same_once_the_edges_stand_in_the_catalog(folder: Path) -> None:
    """A wrong edge would block what is harmless, or contradict the SQL that it claims to come from."""
    mended = await mend(folder)
    wanted = json.loads((folder / "expected" / "verdict.json").read_text())

    assert mended.warm.verdict.word == wanted["verdict"], mended.warm.verdict.title
    assert "edge_contradicted_by_sql" in wanted["rules"] or "edge_contradicted_by_sql" not in {
        finding.rule for finding in mended.warm.verdict.findings
    }


@pytest.mark.parametrize("folder", EXECUTABLE, ids=lambda folder: folder.name)
async def test_without_its_upstream_column_the_statement_fails_or_computes_something_else(folder: Path) -> None:
    mended = await mend(folder)
    false = [said for edge in mended.plan.proven if edge.kind == "column" for said in deny_by_running(edge, folder)]

    assert false == []


async def test_the_scenarios_are_worth_counting() -> None:
    """A repair that finds nothing would pass every test above."""
    found = [await mend(folder) for folder in EXECUTABLE]

    assert sum(len(one.plan.proven) for one in found) > 2 * len(EXECUTABLE) * 0.7
    assert {edge.operation for one in found for edge in one.plan.proven} >= {"", "FILTER", "JOIN", "GROUP"}


# --- four ways to deny an edge -------------------------------------------------------------------------------------


def deny_by_lines(edge: ProvenEdge, files: Tree) -> list[str]:
    """Every line stands in the file as it is quoted, outside of comments; together they name every column."""
    if not edge.evidence:
        return [f"{edge} has no evidence"]
    wrong = []
    said = ""
    for line in edge.evidence:
        lines = files.files.get(line.path, "").splitlines()
        if not (0 < line.line <= len(lines)) or lines[line.line - 1].strip() != line.text:
            wrong.append(f"{line.path}:{line.line} does not say {line.text!r}")
        if (line.side, line.repo, line.commit) != ("base", "acme/sql", "c0ffee"):
            wrong.append(f"{line} is not of the default branch")
        code = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), files.files.get(line.path, ""))
        said += " " + (code.splitlines()[line.line - 1] if line.line <= len(code.splitlines()) else "")
    missing = [c for c in edge.columns if not re.search(rf"(?<!\w){re.escape(c)}(?!\w)", said, re.I)]
    wrong += [f"no line of {edge.upstream} -> {edge.downstream} names {column}" for column in missing]
    return wrong


def deny_by_catalog(edge: ProvenEdge, plan: RepairPlan) -> list[str]:
    """Both ends are columns that the catalog stores in exactly this spelling, where it stores any of the dataset."""
    wrong = []
    for urn in (edge.upstream, edge.downstream) if edge.kind == "column" else ():
        dataset, path = parse_field(urn) or ("", "")
        fields = plan.graph.aspect(dataset, "schemaMetadata").get("fields") or ()
        if fields and path not in {str(field["fieldPath"]).rpartition("].")[2] for field in fields}:
            wrong.append(f"the catalog has no column {path} of {dataset}")
    return wrong


def deny_by_verdict(edge: ProvenEdge, folder: Path) -> list[str]:
    """Where people wrote that the loss of a column hurts nobody, and no other file changes, nobody reads that column."""
    verdict = json.loads((folder / "expected" / "verdict.json").read_text())
    if verdict["verdict"] != "pass" or verdict["rules"] or not (folder / "expected" / "removals.json").is_file():
        return []
    base, head = tree(folder / "base"), tree(folder / "head")
    touched = {path for path in base.keys() | head.keys() if base.get(path) != head.get(path)}
    if any(not path.startswith("migrations/") for path in touched) or "serv" in verdict["why"]:
        return []  # the reader moved along, or nobody serves
    lost = json.loads((folder / "expected" / "removals.json").read_text())["removals"]
    gone = {(r["relation"], r["column"]) for r in lost if r["kind"] in ("column_dropped", "column_renamed")}
    dataset, path = parse_field(edge.upstream) or ("", "")
    spelled = {f'"{path}"'} if path == path.lower() else {f'"{path}"', path.lower()}
    if not any(column and column.startswith('"') for _, column in gone):
        spelled |= {path.lower()}  # a catalog of lower case says nothing of quotes, as long as nobody wrote any
    hit = any((find_title(dataset).lower(), name) in gone for name in spelled)
    return [f"{edge.upstream} is lost without harm, and an edge says it is read"] if hit else []


def deny_by_running(edge: ProvenEdge, folder: Path) -> list[str]:
    """The statement is run again over its upstream without that one column."""
    (source, column), (target, output) = (parse_field(urn) or ("", "") for urn in (edge.upstream, edge.downstream))
    upstream, downstream = find_title(source), find_title(target)
    files = tree(folder / "base")
    owners = [sql for sql in _definitions(files) if downstream.lower() in sql.lower().split("select")[0]]
    with duckdb.connect(":memory:", config={"threads": 1}) as db:
        db.execute("ATTACH ':memory:' AS shop")
        for schema in ("raw", "analytics", "features"):
            db.execute(f"CREATE SCHEMA shop.{schema}")
        for sql in (*_migrations(files), (folder / "expected" / "rows.sql").read_text(), *_definitions(files)):
            db.execute(sql)
        question = f'SELECT "{output}" FROM {downstream} ORDER BY ALL'  # noqa: S608 - the scenario's own names
        before = db.execute(question).fetchall()
        kind = "VIEW" if db.execute(
            "SELECT count(*) FROM duckdb_views() WHERE schema_name || '.' || view_name = ?", [upstream.split(".", 1)[1]]
        ).fetchone() == (1,) else "TABLE"  # fmt: skip
        db.execute(f'CREATE TABLE shop.without AS SELECT * EXCLUDE ("{column}") FROM {upstream}')  # noqa: S608
        db.execute(f"DROP {kind} {upstream} CASCADE")
        db.execute(f"CREATE TABLE {upstream} AS FROM shop.without")
        try:
            for sql in owners:
                db.execute(sql)
            after = db.execute(question).fetchall()
        except duckdb.Error:
            return []
    if not owners:
        return [f"no file of the scenario builds {downstream}"]
    return [f"{downstream}.{output} is the same without {upstream}.{column}"] if before == after else []


async def test_each_way_to_deny_an_edge_can_deny_one() -> None:
    folder = ROOT / "drop_unread_column"
    mended = await mend(folder)
    true = next(edge for edge in mended.plan.proven if edge.direct)
    lost = json.loads((folder / "expected" / "removals.json").read_text())["removals"][0]["column"]
    dataset, column = parse_field(true.upstream) or ("", "")
    false = replace(true, upstream=field_urn(dataset, lost), columns=(lost,))

    assert deny_by_lines(false, mended.tree)
    assert deny_by_verdict(false, folder)
    assert deny_by_running(false, folder)
    assert deny_by_catalog(replace(true, upstream=field_urn(dataset, column.upper())), mended.plan)
    assert deny_by_lines(replace(true, evidence=()), mended.tree)
    assert not [*deny_by_lines(true, mended.tree), *deny_by_verdict(true, folder), *deny_by_running(true, folder)]
