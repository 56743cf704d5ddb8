"""Edges and incidents, written with the real SDK over HTTP into the embedded catalog, with and without faults in between."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from app.catalog import CatalogStore, Proposal, create_app
from app.edges.datahub import DataHubWrites
from app.edges.datahub.threads import OUTAGES
from app.effects import EdgeWrite, Incident, Performed, find_dataset, incident_urn
from app.effects.incident import parse_pulls, render_pulls
from app.effects.proof import parse_items
from app.repair import ProvenEdge
from app.words import Evidence, Permanent, Transient
from tests.edges.datahub.conftest import MakeCatalog
from tests.edges.datahub.world import FEATURE, MODEL, ORDERS, STAGING, field, no_sleep, run, upstream
from tests.fakes.serving import Answer, Faulty, json_answer, serving

TOKEN = "s3cret-token"
LINE = Evidence("features/c.sql", 12, "AVG(größe) AS discount", "base", "acme/features", "c0ffee")
SOURCE = ProvenEdge("source", ORDERS, FEATURE, FEATURE, (LINE,), ("discount_pct",))
COLUMN = ProvenEdge("column", field(ORDERS, "qty"), field(STAGING, "units"), STAGING, (LINE,), ("qty",))
PULL = "https://github.com/acme/warehouse/pull/7"
OTHER = "https://github.com/acme/warehouse/pull/8"
INFERRED = "urn:li:tag:tether:inferred"

Fault = Callable[[str, str, int], Answer | None]
Open = Callable[..., DataHubWrites]


@pytest.fixture
def writer() -> Iterator[Open]:
    """`writer(store, fault)`: a client of the catalog with that fault in between."""
    with ExitStack() as stack:

        def make(store: CatalogStore, fault: Fault = lambda *_: None, token: str | None = None) -> DataHubWrites:
            app = Faulty(create_app(store, token=token), fault)
            return DataHubWrites(stack.enter_context(serving(app)), TOKEN, sleep=no_sleep)

        yield make


def write(client: DataHubWrites, edge: ProvenEdge = SOURCE, run_id: str = "run-1") -> Performed:
    return run(client.write_edge(EdgeWrite(edge, run_id)))


def held(store: CatalogStore, urn: str, aspect: str) -> Any:
    stored = store.fetch_aspects([urn]).get(urn, {}).get(aspect)
    return stored.value if stored else None


def tags(store: CatalogStore, urn: str) -> list[str]:
    return [entry["tag"] for entry in (held(store, urn, "globalTags") or {"tags": []})["tags"]]


def on_write(answer: Answer, entity: str = "", *, times: int = 1_000_000) -> Fault:
    """`answer` to writes of that entity type; reads pass."""

    def fault(method: str, path: str, before: int) -> Answer | None:
        writes = path.startswith("/openapi/v3/entity/") and path.endswith(entity) and "batchGet" not in path
        return answer if writes and before < times else None

    return fault


# --- edges -----------------------------------------------------------------------------------------------------------


def test_an_edge_is_written_with_its_marks_and_what_others_wrote_stays(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()

    assert write(writer(store)).outcome == "written"

    value = held(store, FEATURE, "mlFeatureProperties")
    assert value["sources"][-1] == ORDERS
    assert len(value["sources"]) == 2
    assert value["customProperties"]["by"] == "feast"
    (item,) = parse_items(value["customProperties"])
    assert (item["path"], item["line"], item["columns"]) == (LINE.path, 12, ["discount_pct"])
    assert LINE.text not in json.dumps(item)
    assert tags(store, FEATURE) == [INFERRED]
    (link,) = held(store, FEATURE, "institutionalMemory")["elements"]
    assert link["url"] == "https://github.com/acme/features/blob/c0ffee/features/c.sql#L12"
    assert held(store, INFERRED, "tagProperties")["name"] == "tether:inferred"
    stored = store.fetch_aspects([FEATURE])[FEATURE]["mlFeatureProperties"]
    assert stored.system["runId"] == "run-1"


def test_an_edge_that_is_there_is_not_written_again(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    client = writer(store)
    write(client)
    before = store.fetch_aspects([FEATURE])[FEATURE]

    assert write(client, run_id="run-2") == Performed(f"{ORDERS} -> {FEATURE}", "edge", "already there")
    assert store.fetch_aspects([FEATURE])[FEATURE] == before


def test_a_column_edge_is_readable_as_an_edge(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()

    assert write(writer(store), COLUMN).outcome == "written"

    value = held(store, STAGING, "upstreamLineage")
    assert [entry["downstreams"] for entry in value["fineGrainedLineages"]] == [
        [field(STAGING, "discount")],
        [field(STAGING, "units")],
    ]
    assert parse_items(value["upstreams"][0]["properties"])[0]["columns"] == ["qty"]
    assert tags(store, STAGING) == [INFERRED]


def test_a_model_gets_its_input(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    other = "urn:li:mlFeature:(customer_features,tenure)"
    before = held(store, MODEL, "mlModelProperties")

    assert write(writer(store), ProvenEdge("model", other, MODEL, MODEL, (LINE,))).outcome == "written"

    after = held(store, MODEL, "mlModelProperties")
    assert after["mlFeatures"] == [FEATURE, other]
    assert {**after, "mlFeatures": 0, "customProperties": 0} == {**before, "mlFeatures": 0, "customProperties": 0}


def test_a_dataset_without_lineage_gets_some(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    edge = replace(COLUMN, upstream=field(STAGING, "a"), downstream=field(ORDERS, "b"), entity=ORDERS)

    assert write(writer(store), edge).outcome == "written"
    assert held(store, ORDERS, "upstreamLineage")["upstreams"][0]["dataset"] == STAGING


def test_an_entity_that_is_not_there_is_not_invented(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    gone = "urn:li:mlFeature:(customer_features,gone)"

    done = write(writer(store), replace(SOURCE, downstream=gone, entity=gone))

    assert (done.outcome, held(store, gone, "globalTags")) == ("failed", None)
    assert "not in the catalog" in done.detail


def test_a_deleted_entity_is_left_alone(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    store.write([Proposal(FEATURE, "status", value={"removed": True})])

    assert write(writer(store)).outcome == "failed"
    assert tags(store, FEATURE) == []


def test_a_rejection_is_respected(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    store.write([Proposal(FEATURE, "globalTags", value={"tags": [{"tag": "urn:li:tag:tether:rejected"}]})])

    assert write(writer(store)).outcome == "rejected"
    assert ORDERS not in held(store, FEATURE, "mlFeatureProperties")["sources"]


def test_a_destination_that_the_server_refuses_is_a_failure_with_its_reason(catalog: MakeCatalog, writer: Open) -> None:
    done = write(writer(catalog()), replace(SOURCE, upstream=field(ORDERS, "qty")))

    assert done.outcome == "failed"
    assert "422" in done.detail


@pytest.mark.parametrize("status", [401, 403])
def test_a_token_that_may_not_write_is_said(status: int, catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    done = write(writer(store, on_write(json_answer({"message": "User is unauthorized"}, status))))

    assert done.outcome == "not allowed"
    assert "TETHER_DATAHUB_TOKEN" in done.detail
    assert TOKEN not in done.detail
    assert ORDERS not in held(store, FEATURE, "mlFeatureProperties")["sources"]


def test_a_wrong_token_is_said(catalog: MakeCatalog, writer: Open) -> None:
    done = write(writer(catalog(), token="another"))

    assert done.outcome == "not allowed"
    assert TOKEN not in done.detail


def test_a_token_that_no_header_can_carry_is_refused() -> None:
    with pytest.raises(Permanent, match="TETHER_DATAHUB_TOKEN"):
        DataHubWrites("http://catalog.test", "two\nlines")


def test_an_outage_that_lasts_is_transient_and_says_no_secret(
    catalog: MakeCatalog, writer: Open, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(Transient) as caught:
        write(writer(catalog(), lambda *_: Answer(503)))

    assert TOKEN not in str(caught.value)
    assert TOKEN not in caplog.text


def test_writes_that_keep_failing_are_transient_though_reads_work(catalog: MakeCatalog, writer: Open) -> None:
    seen: list[str] = []

    def fault(method: str, path: str, before: int) -> Answer | None:
        answer = on_write(Answer(503), "/mlFeature")(method, path, before)
        seen.extend([path] if answer else [])
        return answer

    with pytest.raises(Transient, match="503"):
        write(writer(catalog(), fault))

    assert len(seen) == OUTAGES


@pytest.mark.parametrize("answer", [Answer(429), Answer(500), Answer(503), json_answer({}, 503, Retry_After="1")])
def test_a_short_outage_is_only_waited_for(answer: Answer, catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()

    assert write(writer(store, on_write(answer, "/mlFeature", times=2))).outcome == "written"
    assert ORDERS in held(store, FEATURE, "mlFeatureProperties")["sources"]


def test_a_connection_that_drops_after_the_write_doubles_nothing(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()

    assert write(writer(store, on_write(Answer(drop=True), "/mlFeature", times=3))).outcome == "written"

    assert held(store, FEATURE, "mlFeatureProperties")["sources"].count(ORDERS) == 1
    assert tags(store, FEATURE) == [INFERRED]
    assert len(held(store, FEATURE, "institutionalMemory")["elements"]) == 1


def test_a_storm_of_conflicts_is_outlasted(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    storm = on_write(json_answer({"error": "Precondition Error", "message": "version"}, 412), "/mlFeature", times=15)

    assert write(writer(store, storm)).outcome == "written"


def test_a_storm_that_does_not_end_is_a_failure(catalog: MakeCatalog, writer: Open) -> None:
    done = write(writer(catalog(), on_write(json_answer({"message": "version"}, 412), "/mlFeature")))

    assert done.outcome == "failed"
    assert "kept changing" in done.detail


def test_success_that_wrote_nothing_is_not_believed(catalog: MakeCatalog, writer: Open) -> None:
    page = Answer(200, b"<html>Sign in</html>", (("Content-Type", "text/html"),))

    assert write(writer(catalog(), on_write(page))).outcome == "failed"


def test_a_read_that_answers_a_web_page_is_an_outage(catalog: MakeCatalog, writer: Open) -> None:
    page = Answer(200, b"<html>Sign in</html>", (("Content-Type", "text/html"),))

    with pytest.raises(Transient):
        write(writer(catalog(), lambda _, path, __: page if "batchGet" in path else None))


def test_an_aspect_of_an_unknown_shape_is_a_failure(catalog: MakeCatalog, writer: Open) -> None:
    odd = json_answer(
        [{"urn": STAGING, "upstreamLineage": {"value": {"upstreams": ["text"], "fineGrainedLineages": 5}}}]
    )

    done = write(writer(catalog(), lambda _, path, __: odd if "batchGet" in path else None), COLUMN)

    assert done.outcome == "failed"
    assert "cannot be stored" in done.detail


def test_another_writer_between_read_and_write_is_not_undone(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    third = "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.third,PROD)"

    def fault(method: str, path: str, before: int) -> Answer | None:
        if on_write(Answer(), "/mlFeature")(method, path, before) and before == 2:
            value = {**held(store, FEATURE, "mlFeatureProperties"), "description": "new"}
            store.write(
                [Proposal(FEATURE, "mlFeatureProperties", value={**value, "sources": [*value["sources"], third]})]
            )
        return None

    assert write(writer(store, fault)).outcome == "written"

    value = held(store, FEATURE, "mlFeatureProperties")
    assert value["description"] == "new"
    assert {third, ORDERS} < set(value["sources"])


def test_two_writers_lose_and_drop_nothing(catalog: MakeCatalog, writer: Open) -> None:
    """Two clients, 500 column edges each, on one aspect that a human also wrote to."""
    human = {**upstream(ORDERS), "type": "COPY", "properties": {"by": "somebody"}}
    store = catalog([Proposal(STAGING, "upstreamLineage", value={"upstreams": [human], "fineGrainedLineages": []})])
    first, second = writer(store), writer(store)

    def edges(name: str) -> list[ProvenEdge]:
        return [
            replace(COLUMN, upstream=field(ORDERS, f"{name}{number}"), downstream=field(STAGING, f"{name}{number}"))
            for number in range(500)
        ]

    async def both() -> list[Performed]:
        works = [
            client.write_edge(EdgeWrite(edge, "r"))
            for client, name in ((first, "a"), (second, "b"))
            for edge in edges(name)
        ]
        return await asyncio.gather(*works)

    outcomes = [done.outcome for done in run(both())]

    assert outcomes == ["written"] * 1000
    value = held(store, STAGING, "upstreamLineage")
    pairs = [(entry["upstreams"][0], entry["downstreams"][0]) for entry in value["fineGrainedLineages"]]
    assert sorted(pairs) == sorted((edge.upstream, edge.downstream) for edge in edges("a") + edges("b"))
    assert (value["upstreams"][0]["type"], value["upstreams"][0]["properties"]["by"]) == ("COPY", "somebody")
    assert len(parse_items(value["upstreams"][0]["properties"])) == 1000
    assert {find_dataset(pair[0]) for pair in pairs} == {ORDERS}
    assert tags(store, STAGING) == [INFERRED]


def test_two_writers_that_take_turns_lose_nothing_either(catalog: MakeCatalog, writer: Open) -> None:
    """One edge after the other in each client: nothing is written together, every write meets the other client's."""
    store = catalog()
    clients = {"a": writer(store), "b": writer(store)}

    async def one(name: str) -> list[str]:
        edges = [
            replace(COLUMN, upstream=field(ORDERS, f"{name}{n}"), downstream=field(STAGING, f"{name}{n}"))
            for n in range(25)
        ]
        return [(await clients[name].write_edge(EdgeWrite(edge, name))).outcome for edge in edges]

    async def both() -> list[list[str]]:
        return await asyncio.gather(*(one(name) for name in clients))

    assert run(both()) == [["written"] * 25] * 2
    value = held(store, STAGING, "upstreamLineage")
    assert len(value["fineGrainedLineages"]) == 51
    assert len(parse_items(value["upstreams"][0]["properties"])) == 50


def gather_or_cancel(client: DataHubWrites, *edges: ProvenEdge) -> list[Performed]:
    async def all_of_them() -> list[Performed]:
        return await asyncio.gather(*(client.write_edge(EdgeWrite(edge, "r")) for edge in edges))

    return run(all_of_them())


def test_one_bad_edge_does_not_keep_the_others_out(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    bad = replace(SOURCE, upstream=field(ORDERS, "qty"))
    odd = replace(SOURCE, kind="column")

    done = gather_or_cancel(writer(store), SOURCE, bad, odd, replace(SOURCE, upstream=STAGING), SOURCE)

    assert [result.outcome for result in done] == ["written", "failed", "failed", "written", "already there"]
    sources = held(store, FEATURE, "mlFeatureProperties")["sources"]
    assert {ORDERS, STAGING} < set(sources)
    assert bad.upstream not in sources


def test_everybody_who_waits_learns_of_an_outage(catalog: MakeCatalog, writer: Open) -> None:
    client = writer(catalog(), lambda *_: Answer(503))

    async def all_of_them() -> list[Performed | BaseException]:
        edges = (SOURCE, replace(SOURCE, upstream=STAGING))
        works = (client.write_edge(EdgeWrite(edge, "r")) for edge in edges)
        return await asyncio.gather(*works, return_exceptions=True)

    assert [type(result) for result in run(all_of_them())] == [Transient, Transient]


def test_a_writer_that_is_stopped_leaves_nobody_waiting(catalog: MakeCatalog, writer: Open) -> None:
    client = writer(catalog())

    async def stopped() -> Performed | BaseException:
        first = asyncio.create_task(client.write_edge(EdgeWrite(SOURCE, "r")))
        second = asyncio.create_task(client.write_edge(EdgeWrite(replace(SOURCE, upstream=STAGING), "r")))
        await asyncio.sleep(0)
        first.cancel()
        return (await asyncio.wait_for(asyncio.gather(second, return_exceptions=True), 20))[0]

    result = run(stopped())
    assert isinstance(result, Transient | Performed)


def test_the_restli_path_of_older_servers_tells_conflicts_from_refusals(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    config = {
        "noCode": "true",
        "versions": {"acryldata/datahub": {"version": "v0.13.0"}},
        "datahub": {"serverEnv": "core"},
    }
    third = "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.third,PROD)"
    emitted: list[int] = []

    def fault(_: str, path: str, before: int) -> Answer | None:
        if path == "/aspects":
            emitted.append(before)
            if before == 3:  # between the read and the write of the edge itself
                value = held(store, FEATURE, "mlFeatureProperties")
                store.write(
                    [Proposal(FEATURE, "mlFeatureProperties", value={**value, "sources": [*value["sources"], third]})]
                )
        return json_answer(config) if path == "/config" else None

    client = writer(store, fault)

    assert write(client).outcome == "written"
    assert {third, ORDERS} < set(held(store, FEATURE, "mlFeatureProperties")["sources"])
    assert emitted != []
    refused = write(client, replace(SOURCE, upstream=field(ORDERS, "qty")))
    assert (refused.outcome, "422" in refused.detail) == ("failed", True)


# --- incidents -------------------------------------------------------------------------------------------------------


def incident(pull: str = PULL, body: str = "Merging breaks it.", model: str = MODEL) -> Incident:
    return Incident(
        urn=incident_urn(ORDERS, "qty", model),
        dataset=ORDERS,
        column="qty",
        model=model,
        title="Schema change blocks churn_v4 (orders.qty)",
        description=render_pulls([(pull, None)]) + "\n\n" + body,
        pulls=(pull,),
    )


def info(store: CatalogStore) -> Any:
    return held(store, incident().urn, "incidentInfo")


def test_an_incident_is_raised_once(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    client = writer(store)

    assert run(client.raise_incident(incident())) == Performed(incident().urn, "incident", "written")
    assert run(client.raise_incident(incident())) == Performed(incident().urn, "incident", "already there")

    value = info(store)
    assert (value["type"], value["priority"], value["status"]["state"]) == ("DATA_SCHEMA", 0, "ACTIVE")
    assert value["entities"] == [ORDERS, MODEL]
    assert value["title"] == incident().title


def test_a_server_that_takes_no_incident_on_a_model_gets_it_on_the_dataset(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    refused = json_answer(
        {"message": "Entity type mlModel is not a valid destination for field path: /entities/*"}, 422
    )

    assert run(writer(store, on_write(refused, "/incident", times=1)).raise_incident(incident())).outcome == "written"
    assert info(store)["entities"] == [ORDERS]


def test_a_server_that_refuses_incidents_altogether_is_said(catalog: MakeCatalog, writer: Open) -> None:
    done = run(writer(catalog(), on_write(json_answer({"message": "no"}, 422), "/incident")).raise_incident(incident()))

    assert (done.outcome, done.kind) == ("failed", "incident")


def test_a_token_that_may_not_raise_incidents_is_said(catalog: MakeCatalog, writer: Open) -> None:
    done = run(writer(catalog(), on_write(json_answer({"message": "no"}, 403), "/incident")).raise_incident(incident()))

    assert done.outcome == "not allowed"
    assert "TETHER_DATAHUB_TOKEN" in done.detail


def test_a_connection_that_drops_after_raising_makes_one_incident(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    client = writer(store, on_write(Answer(drop=True), "/incident", times=1))

    assert run(client.raise_incident(incident())).outcome in ("written", "already there")
    assert len(store.fetch_aspects([incident().urn])) == 1
    assert parse_pulls(info(store)["description"]) == ((PULL, None),)


def test_two_pull_requests_share_it_and_the_last_one_ends_it(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    client = writer(store)
    urn = incident().urn
    run(client.raise_incident(incident()))
    assert run(client.raise_incident(incident(OTHER, "Newer words."))).outcome == "written"
    assert parse_pulls(info(store)["description"]) == ((PULL, None), (OTHER, None))
    assert "Newer words." in info(store)["description"]

    assert run(client.resolve_incident(urn, PULL, "closed unmerged")).outcome == "withdrawn"
    assert info(store)["status"]["state"] == "ACTIVE"
    assert run(client.resolve_incident(urn, OTHER, "fixed by a push")).outcome == "withdrawn"
    assert (info(store)["status"]["state"], info(store)["status"]["message"]) == ("RESOLVED", "fixed by a push")
    assert run(client.resolve_incident(urn, OTHER, "fixed by a push")).outcome == "already there"

    assert run(client.raise_incident(incident())).outcome == "written"
    assert info(store)["status"]["state"] == "ACTIVE"
    assert parse_pulls(info(store)["description"]) == ((PULL, None), (OTHER, "fixed by a push"))


def test_resolving_what_is_not_there_is_no_failure(catalog: MakeCatalog, writer: Open) -> None:
    done = run(writer(catalog()).resolve_incident(incident().urn, PULL, "fixed"))

    assert done.outcome == "already there"


def test_what_people_add_to_an_incident_stays(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    client = writer(store)
    run(client.raise_incident(incident()))
    assigned = [{"actor": "urn:li:corpuser:ana", "assignedAt": {"time": 1, "actor": "urn:li:corpuser:ana"}}]
    store.write([Proposal(incident().urn, "incidentInfo", value={**info(store), "priority": 2, "assignees": assigned})])

    run(client.raise_incident(incident(OTHER)))
    run(client.resolve_incident(incident().urn, PULL, "fixed"))

    assert (info(store)["priority"], info(store)["assignees"]) == (2, assigned)


def test_many_writers_of_one_incident_lose_no_pull_request(catalog: MakeCatalog, writer: Open) -> None:
    store = catalog()
    clients = [writer(store), writer(store)]
    pulls = [f"https://github.com/acme/warehouse/pull/{number}" for number in range(20)]

    async def all_of_them() -> list[Performed]:
        works = [clients[number % 2].raise_incident(incident(pull)) for number, pull in enumerate(pulls)]
        return await asyncio.gather(*works)

    assert {done.outcome for done in run(all_of_them())} == {"written"}
    assert sorted(url for url, _ in parse_pulls(info(store)["description"])) == sorted(pulls)
