"""Repair of a whole installation: what its default branches prove stands in the catalog, and stays there."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.catalog import Proposal, ServingCatalog
from app.edges.datahub import DataHubReads, DataHubWrites
from app.edges.store import load_edges_of
from app.effects import EdgeWrite, Performed
from app.jobs.schedules import EVERY_SIX_HOURS, Times, plan_schedules
from app.lineage.scheduled import gather_branches, repair_installation
from app.requests import Job, JobRequest, RepairRequest
from app.words import Permanent, Transient
from tests.fakes.isolation import InlineIsolation
from tests.review.shop import Killed, Shop

ORDERS = "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.raw.orders,PROD)"
FEATURE = "urn:li:mlFeature:(customer,value)"
MODEL = "urn:li:mlModel:(urn:li:dataPlatform:mlflow,churn,PROD)"
SQL = "CREATE TABLE ml.customer AS\nSELECT avg(discount) AS value\nFROM shop.raw.orders;\n"
CONFIG = "version: 1\ndialect: snowflake\ncatalog: {platform: snowflake}\n"


@pytest.fixture
def catalog() -> Iterator[ServingCatalog]:
    with ServingCatalog() as served:
        number: dict[str, Any] = {"type": {"com.linkedin.schema.NumberType": {}}}
        fields = [{"fieldPath": "discount", "nativeDataType": "NUMBER", "type": number}]
        schema: dict[str, Any] = {
            "schemaName": "s",
            "platform": "urn:li:dataPlatform:snowflake",
            "version": 0,
            "hash": "",
        }
        schema |= {"fields": fields, "platformSchema": {"com.linkedin.schema.OtherSchema": {"rawSchema": ""}}}
        served.store.write(
            [
                Proposal(ORDERS, "schemaMetadata", value=schema),
                Proposal(FEATURE, "mlFeatureProperties", value={"sources": [], "customProperties": {}}),
                Proposal(
                    MODEL,
                    "mlModelProperties",
                    value={"mlFeatures": [FEATURE], "customProperties": {"serving": "true"}, "tags": []},
                ),
            ]
        )
        yield served


def sources(catalog: ServingCatalog) -> list[str]:
    return list(catalog.store.fetch_aspects([FEATURE])[FEATURE]["mlFeatureProperties"].value["sources"])


def files(shop: Shop, texts: dict[str, str], commit: str = "base2") -> None:
    shop.forge.add_repo(2, "acme/features", texts, commit=commit)


def repair(shop: Shop, catalog: ServingCatalog, delivery: str = "r1") -> Any:
    async def work() -> Any:
        reads = DataHubReads(catalog.url, None)
        ports = replace(
            shop.context.ports, catalog=reads, writes=DataHubWrites(catalog.url, None), isolation=InlineIsolation()
        )
        try:
            request = RepairRequest(delivery, 9, "push")
            return await repair_installation(replace(shop.context, ports=ports), Job(request), request)
        finally:
            await reads.aclose()

    return asyncio.run(work())


def test_what_any_repository_proves_stands_in_the_catalog(shop: Shop, catalog: ServingCatalog) -> None:
    files(shop, {"features/customer.sql": SQL, ".tether.yml": CONFIG})
    report = repair(shop, catalog)

    assert sources(catalog) == [ORDERS]
    (model,) = report.models
    assert (model.name, model.undeclared_before, model.undeclared_after) == ("churn", (FEATURE,), ())
    with shop.store.begin() as connection:
        (row,) = load_edges_of(connection, installation_id=9)
    assert (row.state, row.evidence[0]["repo"], row.evidence[0]["path"]) == (
        *("written", "acme/features"),
        "features/customer.sql",
    )
    again = repair(shop, catalog, "r2")
    assert again.performed == ()
    assert sources(catalog) == [ORDERS]


def test_a_repository_that_only_observes_writes_nothing(shop: Shop, catalog: ServingCatalog) -> None:
    files(shop, {"features/customer.sql": SQL, ".tether.yml": f"{CONFIG}mode: observe\n"})
    report = repair(shop, catalog)

    assert sources(catalog) == []
    assert any("observe" in note for note in report.notes)


def test_a_repository_that_cannot_be_read_takes_no_edge_away(shop: Shop, catalog: ServingCatalog) -> None:
    files(shop, {"features/customer.sql": SQL, ".tether.yml": CONFIG})
    repair(shop, catalog)
    files(shop, {"features/customer.sql": SQL, ".tether.yml": "version: 2\n"}, "base3")
    report = repair(shop, catalog, "r2")

    assert sources(catalog) == [ORDERS]
    assert any(note.startswith("acme/features: ") for note in report.notes)


def test_a_push_that_removes_the_line_takes_the_edge_back(shop: Shop, catalog: ServingCatalog) -> None:
    files(shop, {"features/customer.sql": SQL, ".tether.yml": CONFIG})
    repair(shop, catalog)
    files(shop, {"README.md": "forced", ".tether.yml": CONFIG}, "base3")
    repair(shop, catalog, "r2")

    assert sources(catalog) == []


def test_a_catalog_that_is_away_makes_the_job_try_again(shop: Shop, catalog: ServingCatalog) -> None:
    files(shop, {"features/customer.sql": SQL, ".tether.yml": CONFIG})
    shop.writes.fail["write_edge"] = [Transient("away")]

    async def work() -> None:
        reads = DataHubReads(catalog.url, None)
        ports = replace(shop.context.ports, catalog=reads, isolation=InlineIsolation())
        request = RepairRequest("r1", 9, "push")
        try:
            await repair_installation(replace(shop.context, ports=ports), Job(request), request)
        finally:
            await reads.aclose()

    with pytest.raises(Transient, match="could not be settled"):
        asyncio.run(work())
    with shop.store.begin() as connection:
        assert [row.state for row in load_edges_of(connection)] == ["proposed"]


def test_a_process_that_dies_behind_a_write_doubles_nothing(shop: Shop, catalog: ServingCatalog) -> None:
    files(shop, {"features/customer.sql": SQL, ".tether.yml": CONFIG})
    dies = DataHubWrites(catalog.url, None)
    real = dies.write_edge

    async def write_and_die(write: EdgeWrite) -> Performed:
        await real(write)
        raise Killed

    dies.write_edge = write_and_die  # type: ignore[method-assign]  # the process ends between the write and its row

    async def work() -> None:
        reads = DataHubReads(catalog.url, None)
        ports = replace(shop.context.ports, catalog=reads, writes=dies, isolation=InlineIsolation())
        request = RepairRequest("r1", 9, "push")
        try:
            await repair_installation(replace(shop.context, ports=ports), Job(request), request)
        finally:
            await reads.aclose()

    with pytest.raises(Killed):
        asyncio.run(work())
    assert sources(catalog) == [ORDERS]
    repair(shop, catalog)
    assert sources(catalog) == [ORDERS]
    with shop.store.begin() as connection:
        assert [row.state for row in load_edges_of(connection)] == ["written"]


def test_a_forge_that_refuses_one_repository_reads_the_others(shop: Shop) -> None:
    shop.forge.fail["fetch_tree"] = [Permanent("blocked by a policy"), None]
    found = asyncio.run(
        gather_branches(shop.forge.installation(9), shop.context.index(Job(RepairRequest("r", 9, "push"))))
    )

    assert len(found.branches) == 1
    assert len(found.read) == 1
    assert any("blocked by a policy" in note for note in found.notes)


def test_the_clock_asks_for_each_installation_once_a_turn(shop: Shop, catalog: ServingCatalog) -> None:
    files(shop, {"features/customer.sql": SQL, ".tether.yml": CONFIG})
    repair(shop, catalog)
    asked: list[JobRequest] = []

    class Asked:
        def accept(self, request: JobRequest) -> None:
            asked.append(request)

        def delete_finished(self, before: datetime) -> int:
            raise AssertionError(f"nobody asked for a purge before {before}")

    (schedule,) = plan_schedules(Times(purge="", repair=EVERY_SIX_HOURS), shop.store, Asked())
    turn = datetime(2026, 1, 1, 6, 40, tzinfo=UTC)
    schedule.run(turn)
    schedule.run(turn)  # another process at the same turn asks for the same job, which the queue takes once
    schedule.run(turn + timedelta(hours=6))
    assert asked[0] == asked[1] == RepairRequest("repair:9:2026-01-01T06:40:00+00:00", 9, "schedule")
    assert asked[2].delivery == "repair:9:2026-01-01T12:40:00+00:00"
    assert len(asked) == 3
