"""Edges that were written are kept: through seven runs of an ingestion, by people who confirm and refuse, while lines go."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.catalog import CatalogStore, Proposal, ServingCatalog, create_app
from app.edges.datahub import DataHubReads, DataHubWrites
from app.edges.store import EdgeRow, Store, load_edges_of, make_engine
from app.effects import BackFill
from app.effects.proof import parse_items
from app.lineage.backfill import back_fill
from app.lineage.keep import KeptEdges, keep_edges
from app.lineage.plan import Branch, fetch_repair_plan
from app.lineage.writer import REVERTED, LineageWriter
from app.words import CatalogNaming, Config, Repo, Tree
from tests.databases import make_store
from tests.fakes.isolation import InlineIsolation
from tests.fakes.serving import Answer, Faulty, json_answer, serving

INFERRED, CONFIRMED, REJECTED = (f"urn:li:tag:tether:{word}" for word in ("inferred", "confirmed", "rejected"))
FEAST = "urn:li:tag:feast"
REPO = Repo(7, "acme/features")


def dataset(name: str) -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.{name},PROD)"


def feature(table: str) -> str:
    return f"urn:li:mlFeature:({table},value)"


ORDERS, USERS, BATCH, BY_HAND = (dataset(name) for name in ("raw.orders", "raw.users", "feast.batch", "raw.by_hand"))
KEPT, VOUCHED, REFUSED, HUMAN = (feature(name) for name in ("kept_f", "vouched_f", "refused_f", "human_f"))
SQL = {
    f"features/{table}.sql": f"CREATE TABLE ml.{table} AS\nSELECT user_id,\n       avg(amount) AS value\nFROM shop.raw.orders\n"
    "GROUP BY user_id;\n"
    for table in ("kept_f", "vouched_f", "refused_f")
}
CONFIG = Config(found=True, dialect="snowflake", catalog=CatalogNaming(platform="snowflake"))


@dataclass
class Shop:
    catalog: ServingCatalog
    store: Store
    files: dict[str, str]
    runs: int = 0

    @property
    def held(self) -> CatalogStore:
        return self.catalog.store

    def ingest(self) -> None:
        """What DataHub's Feast source does on every run: whole aspects, as it knows them."""
        self.runs += 1
        system = {"runId": f"feast-{self.runs}"}
        for urn in (KEPT, VOUCHED, REFUSED):
            properties = {"customProperties": {"run": str(self.runs)}, "sources": [BATCH], "description": "of Feast"}
            self.held.write(
                [
                    Proposal(urn, "mlFeatureProperties", value=properties, system=system),
                    Proposal(urn, "globalTags", value={"tags": [{"tag": FEAST}]}, system=system),
                ]
            )

    def aspect(self, urn: str, name: str) -> dict[str, Any]:
        stored = self.held.fetch_aspects([urn]).get(urn, {}).get(name)
        return dict(stored.value) if stored else {}

    def sources(self, urn: str) -> list[str]:
        return list(self.aspect(urn, "mlFeatureProperties").get("sources", []))

    def tags(self, urn: str) -> set[str]:
        return {entry["tag"] for entry in self.aspect(urn, "globalTags").get("tags", [])}

    def items(self, urn: str) -> list[dict[str, Any]]:
        return list(parse_items(self.aspect(urn, "mlFeatureProperties").get("customProperties", {})))

    def press(self, mutation: str, tag: str, urn: str) -> None:
        """What somebody does in DataHub's pages."""
        query = f"mutation($i: TagAssociationInput!) {{ {mutation}(input: $i) }}"
        body = {"query": query, "variables": {"i": {"tagUrn": tag, "resourceUrn": urn}}}
        answer = httpx.post(f"{self.catalog.url}/api/graphql", json=body).json()
        assert answer == {"data": {mutation: True}}, answer

    def rows(self, urn: str = "") -> tuple[EdgeRow, ...]:
        with self.store.begin() as connection:
            return load_edges_of(connection, entities=[urn] if urn else None)

    def reconcile(
        self, *, read: frozenset[str] = frozenset({REPO.full_name}), run_id: str = ""
    ) -> tuple[KeptEdges, BackFill]:
        return asyncio.run(self._reconcile(read, run_id or f"run-{self.runs}"))

    async def _reconcile(self, read: frozenset[str], run_id: str) -> tuple[KeptEdges, BackFill]:
        async with self.open() as (reads, writes):
            branch = Branch(REPO, Tree(dict(self.files), f"commit{self.runs}", REPO.full_name), CONFIG)
            plan = await fetch_repair_plan([branch], catalog=reads, isolation=InlineIsolation())
            writer = LineageWriter(self.store, writes, run_id, 1)
            kept, fresh = await keep_edges(writer, plan, read=read)
            return kept, await back_fill(fresh, catalog=reads, write=writer.write, run_id=run_id)

    @asynccontextmanager
    async def open(self) -> Any:
        reads = DataHubReads(self.catalog.url, None)
        try:
            yield reads, DataHubWrites(self.catalog.url, None)
        finally:
            await reads.aclose()


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    with ServingCatalog(path=tmp_path / "catalog.db") as catalog:
        made = Shop(catalog, make_store(tmp_path / "tether.db"), dict(SQL))
        fields: list[dict[str, Any]] = [
            {"fieldPath": name, "nativeDataType": "NUMBER", "type": {"type": {"com.linkedin.schema.NumberType": {}}}}
            for name in ("user_id", "amount")
        ]
        schema = {
            "schemaName": "s",
            "platform": "urn:li:dataPlatform:snowflake",
            "version": 0,
            "hash": "",
            "fields": fields,
        }
        schema["platformSchema"] = {"com.linkedin.schema.OtherSchema": {"rawSchema": ""}}
        catalog.store.write([Proposal(ORDERS, "schemaMetadata", value=schema)])
        human = {"customProperties": {"by": "a person"}, "sources": [BY_HAND]}
        catalog.store.write([Proposal(HUMAN, "mlFeatureProperties", value=human)])
        catalog.store.write([Proposal(tag, "tagProperties", value={"name": tag}) for tag in (CONFIRMED, REJECTED)])
        made.ingest()
        yield made
    made.store.engine.dispose()


def test_seven_runs_of_an_ingestion_that_overwrites_everything(shop: Shop) -> None:
    first = shop.reconcile()[1]
    assert {one.outcome for one in first.performed} == {"written"}
    assert shop.sources(KEPT) == [BATCH, ORDERS]
    shop.press("addTag", CONFIRMED, VOUCHED)
    shop.press("removeTag", INFERRED, REFUSED)
    shop.reconcile()
    human = shop.aspect(HUMAN, "mlFeatureProperties")
    lines = shop.items(KEPT)
    assert lines

    for run in range(2, 9):
        shop.ingest()
        assert shop.sources(KEPT) == [BATCH], "the ingestion dropped our edge"
        kept, fresh = shop.reconcile()

        for urn in (KEPT, VOUCHED):
            assert shop.sources(urn) == [BATCH, ORDERS]
            assert {INFERRED, FEAST} <= shop.tags(urn)
            assert [(item["path"], item["line"]) for item in shop.items(urn)], "and its evidence is back"
        assert [{**item, "commit": "", "run": ""} for item in shop.items(KEPT)] == [
            {**item, "commit": "", "run": ""} for item in lines
        ]
        assert CONFIRMED in shop.tags(VOUCHED)
        assert {row.state for row in shop.rows(VOUCHED)} == {"confirmed"}
        assert shop.aspect(KEPT, "mlFeatureProperties")["customProperties"]["run"] == str(run), "theirs stays theirs"
        assert shop.aspect(HUMAN, "mlFeatureProperties") == human
        assert shop.sources(REFUSED) == [BATCH], "never proposed again"
        assert INFERRED not in shop.tags(REFUSED)
        assert {row.state for row in shop.rows(REFUSED)} == {"rejected"}
        assert {one.outcome for one in kept.restored} == {"written"}
        assert not [one for one in fresh.performed if one.outcome != "rejected"]
        assert shop.reconcile()[0] == KeptEdges(), "a second look changes nothing"


def test_a_tag_that_an_ingestion_dropped_is_no_refusal_even_after_somebody_tagged_by_hand(shop: Shop) -> None:
    shop.reconcile()
    shop.ingest()
    shop.press("addTag", CONFIRMED, HUMAN)  # elsewhere
    shop.held.write([Proposal("urn:li:tag:pii", "tagProperties", value={"name": "pii"})])
    shop.press(
        "addTag", "urn:li:tag:pii", KEPT
    )  # the newest version of the tags is a person's, and it is no answer to us
    shop.reconcile()

    assert shop.sources(KEPT) == [BATCH, ORDERS]
    assert {INFERRED, "urn:li:tag:pii", FEAST} <= shop.tags(KEPT)


@pytest.mark.parametrize("how", ["tag", "command"])
def test_a_refusal_takes_the_edges_back_and_lists_them(shop: Shop, how: str) -> None:
    shop.reconcile()
    if how == "tag":
        shop.press("addTag", REJECTED, REFUSED)
        kept = shop.reconcile()[0]
        assert [(one.what, one.outcome) for one in kept.rejected] == [(f"{ORDERS} -> {REFUSED}", "taken back")]
    else:

        async def refuse() -> None:
            async with shop.open() as (_, writes):
                await LineageWriter(shop.store, writes, "by-hand", 1).reject([REFUSED])

        asyncio.run(refuse())

    assert shop.sources(REFUSED) == [BATCH]
    assert shop.items(REFUSED) == []
    assert shop.tags(REFUSED) >= {REJECTED, FEAST}
    assert INFERRED not in shop.tags(REFUSED)
    shop.reconcile()
    assert shop.sources(REFUSED) == [BATCH]


def test_an_edge_goes_when_its_line_goes_and_comes_back_with_it(shop: Shop) -> None:
    shop.reconcile()
    gone = shop.files.pop("features/kept_f.sql")  # also what a forced push that drops the file looks like
    kept = shop.reconcile()[0]

    assert [one.outcome for one in kept.taken_back] == ["taken back"]
    assert shop.sources(KEPT) == [BATCH]
    assert shop.tags(KEPT) == {FEAST}
    assert shop.aspect(KEPT, "institutionalMemory").get("elements", []) == []
    assert {row.state for row in shop.rows(KEPT)} == {"stale"}

    shop.files["features/kept_f.sql"] = gone
    shop.reconcile()
    assert shop.sources(KEPT) == [BATCH, ORDERS]
    assert {row.state for row in shop.rows(KEPT)} == {"written"}


def test_a_confirmed_edge_outlives_its_line(shop: Shop) -> None:
    shop.reconcile()
    shop.press("addTag", CONFIRMED, VOUCHED)
    shop.reconcile()
    del shop.files["features/vouched_f.sql"]
    shop.ingest()
    kept = shop.reconcile()[0]

    assert kept.taken_back == ()
    assert shop.sources(VOUCHED) == [BATCH, ORDERS]
    assert CONFIRMED in shop.tags(VOUCHED)


@pytest.mark.parametrize("trouble", ["unreached", "unreadable"])
def test_what_could_not_be_looked_at_stays(shop: Shop, trouble: str) -> None:
    shop.reconcile()
    broken = "CREATE TABLE ml.kept_f AS SELECT FROM FROM WHERE (("
    shop.files["features/kept_f.sql"] = broken if trouble == "unreadable" else "SELECT 1"
    kept = shop.reconcile(read=frozenset() if trouble == "unreached" else frozenset({REPO.full_name}))[0]

    assert kept.taken_back == ()
    assert kept.unsure == 1
    assert shop.sources(KEPT) == [BATCH, ORDERS]


def test_moved_lines_are_no_news_and_stay_proven(shop: Shop) -> None:
    shop.reconcile()
    shop.files["features/kept_f.sql"] = "-- a comment above\n" + shop.files["features/kept_f.sql"]
    shop.reconcile()

    assert shop.sources(KEPT) == [BATCH, ORDERS]
    assert {row.evidence[0]["line"] for row in shop.rows(KEPT)} == {4}


def test_a_run_that_was_taken_back_stays_away_until_somebody_asks(shop: Shop) -> None:
    before = {urn: shop.sources(urn) for urn in (KEPT, VOUCHED, REFUSED)}
    shop.reconcile(run_id="the-run")

    async def revert() -> None:
        async with shop.open() as (_, writes):
            rows = [row for row in shop.rows() if row.run_id == "the-run"]
            await LineageWriter(shop.store, writes, "revert", 1).take_back(rows, "reverted", REVERTED)

    asyncio.run(revert())
    assert {urn: shop.sources(urn) for urn in before} == before
    assert all(shop.tags(urn) == {FEAST} for urn in before)
    shop.reconcile()
    assert {urn: shop.sources(urn) for urn in before} == before

    async def ask() -> None:
        async with shop.open() as (reads, writes):
            branch = Branch(REPO, Tree(dict(shop.files), "c", REPO.full_name), CONFIG)
            plan = await fetch_repair_plan([branch], catalog=reads, isolation=InlineIsolation())
            writer = replace(LineageWriter(shop.store, writes, "asked", 1), origin="asked")
            await back_fill(plan, catalog=reads, write=writer.write, run_id="asked")

    asyncio.run(ask())
    assert shop.sources(KEPT) == [BATCH, ORDERS]


def test_a_token_that_may_only_read_loses_nothing_and_is_said(shop: Shop) -> None:
    """Every edge is proposed with the reason; once the token may write, the next run writes them."""

    def fault(method: str, path: str, before: int) -> Answer | None:
        writes = path.startswith("/openapi/v3/entity/") and "batchGet" not in path and "scroll" not in path
        return json_answer({"message": "may not edit"}, 403) if writes else None

    async def locked() -> BackFill:
        with serving(Faulty(create_app(shop.held), fault)) as url:
            reads = DataHubReads(url, None)
            try:
                branch = Branch(REPO, Tree(dict(shop.files), "c", REPO.full_name), CONFIG)
                plan = await fetch_repair_plan([branch], catalog=reads, isolation=InlineIsolation())
                writer = LineageWriter(shop.store, DataHubWrites(url, None), "locked", 1)
                return await back_fill(plan, catalog=reads, write=writer.write, run_id="locked")
            finally:
                await reads.aclose()

    report = asyncio.run(locked())
    assert {one.outcome for one in report.performed} == {"not allowed"}
    assert all("403" in one.detail for one in report.failed)
    assert [row.state for row in shop.rows()] == ["proposed"] * 3
    assert shop.sources(KEPT) == [BATCH]

    shop.reconcile()
    assert [row.state for row in shop.rows()] == ["written"] * 3
    assert shop.sources(KEPT) == [BATCH, ORDERS]


def test_two_processes_that_repair_at_once_double_and_lose_nothing(shop: Shop, tmp_path: Path) -> None:
    other = Shop(shop.catalog, Store(make_engine(f"sqlite:///{tmp_path}/tether.db")), shop.files)

    async def both() -> None:
        await asyncio.gather(
            *(
                asyncio.to_thread(one.reconcile, run_id=f"process-{number}")
                for number, one in enumerate((shop, other, shop))
            )
        )

    asyncio.run(both())
    for urn in (KEPT, VOUCHED, REFUSED):
        assert sorted(shop.sources(urn)) == sorted([BATCH, ORDERS])
        assert len(shop.items(urn)) == len({(item["path"], item["line"], *item["columns"]) for item in shop.items(urn)})
        assert [entry["tag"] for entry in shop.aspect(urn, "globalTags")["tags"]].count(INFERRED) == 1
    assert [row.state for row in shop.rows()] == ["written"] * 3
    other.store.engine.dispose()
