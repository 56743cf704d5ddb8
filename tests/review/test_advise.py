"""Advice is judged before it is offered: with its edits the change passes, and it is the smallest that is known."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from app.catalog import CatalogStore, create_app
from app.edges.datahub import DataHubReads
from app.effects import ReviewFacts, render_check, render_comment, report_json, report_text
from app.offline.local import LocalSide, local_change
from app.ports import CatalogReads, Isolation, ParseRows
from app.review.advise import advise
from app.review.assess import Assessment, ChangeInputs, assess
from app.verdict import apply_edits
from app.words import Repo, Transient, Tree
from tests import suite
from tests.fakes.isolation import InlineIsolation

Files = dict[str, str]


def files(scenario: str, side: str) -> Files:
    one = suite.scenario(scenario)
    return suite.texts(one.base if side == "base" else one.head)


def make(base: Files, head: Files) -> ChangeInputs:
    sides = [LocalSide(Tree(one), dict(one)) for one in (base, head)]
    change = local_change(sides[0], sides[1], sides[0], config_text=None)
    return replace(change, subject=replace(change.subject, repo=Repo(7, "acme/warehouse")))


class Workbench:
    """Judges with one scenario's catalog, and counts how often."""

    def __init__(self, scenario: str, path: Path) -> None:
        self.store = CatalogStore(path / "catalog.db")
        self.store.load(suite.scenario(scenario).proposals, scenario)
        self.judged = 0
        self.fail: Exception | None = None

    def run(self, change: ChangeInputs) -> ReviewFacts:
        return asyncio.run(self._run(change))

    async def _run(self, change: ChangeInputs) -> ReviewFacts:
        reads = DataHubReads("http://catalog.embedded", None, transport=httpx.ASGITransport(create_app(self.store)))

        async def judge(
            one: ChangeInputs, *, catalog: CatalogReads, isolation: Isolation, cache: ParseRows | None = None
        ) -> Assessment:
            self.judged += 1
            if self.fail is not None and self.judged > 1:
                raise self.fail
            return await assess(one, catalog=catalog, isolation=isolation, cache=cache)

        try:
            here = InlineIsolation()
            first = await judge(change, catalog=reads, isolation=here)
            return (await advise(change, first, judge, catalog=reads, isolation=here)).facts
        finally:
            await reads.aclose()


OFFERED = {
    "feature_output_renamed": ("alias", "AVG(discount_pct) AS discount_sensitivity"),
    "view_output_renamed": ("alias", "       discount_pct,"),
    "view_output_removed": ("alias", "       discount_pct,"),
    "rename_table": ("view", "CREATE VIEW shop.raw.orders AS SELECT * FROM shop.raw.orders_archive;"),
    "rename_column": ("reader", "AVG(discount_rate) AS discount_sensitivity"),
    "drop_column": ("later", ""),
    "drop_table": ("later", ""),
    "view_file_deleted": ("later", "CREATE OR REPLACE VIEW shop.analytics.v_orders AS"),
}


@pytest.mark.parametrize("scenario", OFFERED)
def test_what_is_offered_passes(scenario: str, tmp_path: Path) -> None:
    kind, text = OFFERED[scenario]
    base, head = files(scenario, "base"), files(scenario, "head")
    facts = Workbench(scenario, tmp_path).run(make(base, head))
    advice = facts.advice

    assert facts.verdict.word == "block"
    assert advice is not None
    assert advice.kind == kind
    assert text in "\n".join(edit.text for edit in advice.edits)
    mended = {**head, **apply_edits(head, advice.edits)}
    (tmp_path / "again").mkdir()
    assert Workbench(scenario, tmp_path / "again").run(make(base, mended)).verdict.word in ("pass", "warn")


def test_a_reader_that_is_not_here_cannot_be_moved_so_the_change_expands(tmp_path: Path) -> None:
    base, head = files("rename_column", "base"), files("rename_column", "head")
    hard = "SELECT customer_id, AVG(discount_pct) FILTER (WHERE 'discount_pct' <> note) AS discount_sensitivity\n"
    reader = next(path for path in base if path.startswith("features/"))
    sql = base[reader].replace("SELECT customer_id,\n       AVG(discount_pct) AS discount_sensitivity\n", hard)
    change = make({**base, reader: sql}, {**head, reader: sql})
    facts = Workbench("rename_column", tmp_path).run(change)

    assert facts.advice is not None
    assert facts.advice.kind in ("reader", "expand")


def test_a_renamed_column_is_expanded_where_its_reader_is_only_in_the_catalog(tmp_path: Path) -> None:
    scenario = "declared_column_edge_and_no_sql"
    base = files(scenario, "base")
    head = {**base, "migrations/0002_change.sql": "ALTER TABLE shop.raw.orders RENAME COLUMN discount_pct TO rate;\n"}
    facts = Workbench(scenario, tmp_path).run(make(base, head))

    assert facts.advice is not None
    assert facts.advice.kind == "expand"
    (edit,) = facts.advice.edits
    assert edit.text.splitlines()[1] == "UPDATE shop.raw.orders SET rate = discount_pct;"
    assert edit.text.startswith("ALTER TABLE shop.raw.orders ADD COLUMN rate ")


def test_a_statement_that_does_more_is_not_taken_apart(tmp_path: Path) -> None:
    base, head = files("drop_column", "base"), files("drop_column", "head")
    head["migrations/0002_change.sql"] = "ALTER TABLE shop.raw.orders DROP COLUMN discount_pct, ADD COLUMN x INTEGER;\n"
    facts = Workbench("drop_column", tmp_path).run(make(base, head))

    assert facts.advice is None


def test_nothing_is_offered_for_what_does_not_block(tmp_path: Path) -> None:
    context = Workbench("drop_unread_column", tmp_path)
    facts = context.run(make(files("drop_unread_column", "base"), files("drop_unread_column", "head")))

    assert facts.advice is None
    assert context.judged == 1


def test_a_catalog_that_goes_away_costs_the_advice_and_not_the_verdict(tmp_path: Path) -> None:
    context = Workbench("drop_column", tmp_path)
    context.fail = Transient("away")
    facts = context.run(make(files("drop_column", "base"), files("drop_column", "head")))

    assert (facts.verdict.word, facts.advice) == ("block", None)


def test_the_check_shows_the_lines_and_a_rename_lists_its_readers(tmp_path: Path) -> None:
    facts = Workbench("rename_column", tmp_path).run(
        make(files("rename_column", "base"), files("rename_column", "head"))
    )
    summary = render_check(facts).summary

    assert "### A safe way" in summary
    assert "```diff\n-       AVG(discount_pct) AS discount_sensitivity\n+       AVG(discount_rate)" in summary
    listed = summary.split("### Lines that read the old name")[1]
    assert "features/customer_features.sql:3" in listed
    assert "migrations/" not in listed.split("###")[0]
    assert "### A safe way" in (render_comment(facts) or "")
    assert report_json(facts)["advice"]["kind"] == "reader"
    assert "SAFE WAY" in report_text(facts)
