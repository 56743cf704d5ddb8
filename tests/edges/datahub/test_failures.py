"""What the reading client does when the server misbehaves: each case ends in a reason or an exception, none in silence."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from app.catalog import CatalogStore, Proposal, create_app
from app.edges.datahub.breaker import Breaker
from app.edges.datahub.wire import ATTEMPTS, DataHubWire
from app.trail import GraphSlice
from app.words import Permanent, Transient
from tests.edges.datahub.conftest import MakeCatalog
from tests.edges.datahub.world import FEATURE, FEATURES, MODEL, ORDERS, STAGING, no_sleep, reads, run
from tests.fakes.serving import Answer, Faulty, json_answer

TOKEN = "s3cret-token"
SCROLL = "/openapi/v3/relationship/scroll"
HTML = Answer(200, b"<html>Sign in</html>", (("Content-Type", "text/html; charset=utf-8"),))

Fault = Callable[[str, str, int], Answer | None]


def faulty(store: CatalogStore, fault: Fault) -> Faulty:
    return Faulty(create_app(store), fault)


def only(path: str, answer: Answer, *, first: int = 1_000_000) -> Fault:
    """`answer` to the first requests of a path; everything else is answered by the catalog."""
    return lambda _, asked, before: answer if path in asked and before < first else None


def neighbours(app: Faulty, *urns: str, **options: Any) -> GraphSlice:
    return run(reads(app, TOKEN, **options).fetch_neighbours(frozenset(urns or (ORDERS,))))


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_an_outage_that_lasts_is_transient(status: int, catalog: MakeCatalog) -> None:
    app = faulty(catalog(), only("", Answer(status)))

    with pytest.raises(Transient, match=rf"catalog\.test:8080 answered {status}") as caught:
        neighbours(app)

    assert len(app.requests) == ATTEMPTS
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_short_outage_is_only_waited_for(status: int, catalog: MakeCatalog) -> None:
    part = neighbours(faulty(catalog(), only("", Answer(status), first=2)))

    assert part.reasons == ()
    assert STAGING in part.aspects


def test_the_pause_that_the_server_asks_for_is_kept(catalog: MakeCatalog) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    app = faulty(catalog(), only("", json_answer({}, 429, Retry_After="7"), first=1))
    run(reads(app, sleep=sleep).fetch_aspects(frozenset({ORDERS})))

    assert pauses == [7.0]


def test_a_long_pause_is_left_to_the_job_queue(catalog: MakeCatalog) -> None:
    app = faulty(catalog(), only("", json_answer({}, 503, Retry_After="120")))

    with pytest.raises(Transient) as caught:
        neighbours(app)

    assert caught.value.retry_after == 120.0
    assert len(app.requests) == 1


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_token_is_permanent_and_named(status: int, catalog: MakeCatalog) -> None:
    app = faulty(catalog(), only("", json_answer({"message": "no"}, status)))

    with pytest.raises(Permanent, match="TETHER_DATAHUB_TOKEN") as caught:
        neighbours(app)

    assert len(app.requests) == 1
    assert TOKEN not in str(caught.value)
    assert app.headers[0]["authorization"] == f"Bearer {TOKEN}"


def test_a_refused_graphql_query_is_permanent(catalog: MakeCatalog) -> None:
    errors = {"errors": [{"message": "Unauthorized", "extensions": {"code": 403}}], "data": None}

    with pytest.raises(Permanent, match="TETHER_DATAHUB_TOKEN"):
        run(reads(faulty(catalog(), only("/api/graphql", json_answer(errors))), TOKEN).fetch_identity())


@pytest.mark.parametrize(
    "answer",
    [
        HTML,
        Answer(302, b"", (("Location", "/login"),)),
        Answer(500, b"{}"),
        Answer(200, b'[{"urn": "urn:li:dataset:(urn:li:dat'),
        json_answer({"unexpected": 1}),
        json_answer("text"),
        json_answer([{"noUrn": 1}]),
        json_answer([{"urn": ORDERS, "schemaMetadata": {"systemMetadata": {}}}]),
        json_answer([{"urn": ORDERS, "schemaMetadata": "text"}]),
        json_answer(None),
    ],
    ids=["html", "redirect", "500", "half", "object", "string", "no urn", "no value", "odd value", "null"],
)
def test_aspects_that_cannot_be_read_are_a_reason(answer: Answer, catalog: MakeCatalog) -> None:
    part = neighbours(faulty(catalog(), only("/batchGet", answer)))

    assert part.reasons != ()
    assert part.edges != ()


@pytest.mark.parametrize(
    "answer",
    [
        HTML,
        Answer(500, b"{}"),
        Answer(400, b"{}"),
        Answer(200, b'{"results": [{"relationshipType": "Der'),
        json_answer({}),
        json_answer([]),
        json_answer({"results": [{"relationshipType": "DerivedFrom", "source": {"urn": FEATURE}}]}),
        json_answer({"results": ["text"]}),
        json_answer({"results": [{"relationshipType": 5, "source": {"urn": FEATURE}, "destination": {"urn": ORDERS}}]}),
        json_answer({"results": [], "scrollId": "the same for ever"}),
    ],
    ids=["html", "500", "400", "half", "no results", "list", "no destination", "odd row", "odd type", "stuck"],
)
def test_relationships_that_cannot_be_read_are_a_reason(answer: Answer, catalog: MakeCatalog) -> None:
    part = neighbours(faulty(catalog(), only(SCROLL, answer)))

    assert part.reasons != ()


def test_a_failed_second_page_is_a_reason_and_keeps_the_first(catalog: MakeCatalog) -> None:
    row = {"relationshipType": "DownstreamOf", "source": {"urn": STAGING}, "destination": {"urn": ORDERS}}
    first = json_answer({"results": [row], "scrollId": "next"})
    app = faulty(catalog(), lambda _, path, before: (first if before < 1 else HTML) if path == SCROLL else None)

    part = neighbours(app)

    assert [edge.source for edge in part.edges] == [STAGING]
    assert any("page of relationships could not be read" in reason for reason in part.reasons)


def test_a_connection_that_fails_is_transient_and_says_no_secret() -> None:
    class Refusing(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            raise httpx.ConnectError(f"could not connect with {request.headers['Authorization']}")

    with pytest.raises(Transient, match=r"ConnectError") as caught:
        run(reads(Refusing(), TOKEN).fetch_neighbours(frozenset({ORDERS})))

    assert TOKEN not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_token_that_no_header_can_carry_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(Permanent, match="TETHER_DATAHUB_TOKEN") as caught:
        DataHubWire("http://catalog.test", "two\nlines")

    assert "lines\n" not in str(caught.value)
    assert "two" not in str(caught.value)


def test_the_password_in_a_url_is_not_told() -> None:
    wire = DataHubWire("http://user:pass@catalog.test", TOKEN)

    assert "pass" not in repr(wire) + wire.host
    assert TOKEN not in repr(wire)


def test_a_catalog_that_stays_down_is_left_alone_for_a_while(catalog: MakeCatalog) -> None:
    now = [0.0]
    breaker = Breaker(failures=2, cool_down=30, clock=lambda: now[0])
    down = [True]
    app = faulty(catalog(), lambda *_: Answer(503) if down[0] else None)
    client = reads(app, breaker=breaker)

    for _ in range(2):
        with pytest.raises(Transient):
            run(client.fetch_aspects(frozenset({ORDERS})))
    asked = len(app.requests)
    with pytest.raises(Transient, match="left alone"):
        run(client.fetch_aspects(frozenset({ORDERS})))
    assert len(app.requests) == asked

    now[0], down[0] = 31.0, False
    assert run(client.fetch_aspects(frozenset({ORDERS}))).reasons == ()


def test_a_catalog_that_is_still_down_after_the_pause_is_left_alone_again() -> None:
    now = [0.0]
    breaker = Breaker(failures=1, cool_down=30, clock=lambda: now[0])
    breaker.failed()
    assert breaker.find_wait() == 30.0

    now[0] = 40.0
    assert breaker.find_wait() is None
    breaker.failed()
    assert breaker.find_wait() == 30.0


def test_an_older_server_is_asked_without_the_newer_aspects(catalog: MakeCatalog) -> None:
    bodies: list[set[str]] = []
    inner = create_app(catalog())

    async def old(scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        if scope["path"].endswith("/mlModel/batchGet"):
            names = set(json.loads(body)[0])
            bodies.append(names)
            if "versionProperties" in names:
                await send({"type": "http.response.start", "status": 400, "headers": []})
                await send({"type": "http.response.body", "body": b'{"message": "unknown aspect"}'})
                return
        replay = asyncio.Queue[Any]()
        replay.put_nowait({"type": "http.request", "body": body, "more_body": False})
        await inner(scope, replay.get, send)

    client = reads(old)
    first = run(client.fetch_aspects(frozenset({MODEL})))
    second = run(client.fetch_aspects(frozenset({MODEL})))

    assert (first.reasons, second.reasons) == ((), ())
    assert first.aspects[MODEL]["mlModelProperties"]["mlFeatures"] == [FEATURE]
    assert ["versionProperties" in names for names in bodies] == [True, False, False]


def test_keys_of_a_newer_schema_are_passed_on(catalog: MakeCatalog) -> None:
    newer = json_answer(
        [{"urn": ORDERS, "schemaMetadata": {"value": {"fields": [], "invented": {"later": 1}}}, "futureAspect": None}]
    )

    part = run(reads(faulty(catalog(), only("/dataset/batchGet", newer))).fetch_aspects(frozenset({ORDERS})))

    assert part.aspects == {ORDERS: {"schemaMetadata": {"fields": [], "invented": {"later": 1}}}}
    assert part.reasons == ()


def test_a_feature_without_sources_has_no_edge_and_no_reason(catalog: MakeCatalog) -> None:
    lonely = "urn:li:mlFeature:(t,lonely)"
    store = catalog([Proposal(lonely, "mlFeatureProperties", value={"customProperties": {}})])

    part = run(reads(create_app(store)).fetch_neighbours(frozenset({lonely})))

    assert (part.edges, part.reasons) == ((), ())
    assert part.aspects[lonely]["mlFeatureProperties"] == {"customProperties": {}}


def test_a_model_with_ten_thousand_features(catalog: MakeCatalog) -> None:
    features = [f"urn:li:mlFeature:(wide,f{number})" for number in range(10_000)]
    store = catalog(
        [Proposal(MODEL, "mlModelProperties", value={"mlFeatures": features, "customProperties": {}, "tags": []})]
    )

    part = run(reads(create_app(store)).fetch_neighbours(frozenset(features[:300])))

    assert part.reasons == ()
    assert {edge.destination for edge in part.edges} == set(features[:300])
    assert {edge.source for edge in part.edges} == {MODEL}


@pytest.mark.parametrize(
    "answer",
    [
        HTML,
        Answer(500, b"{}"),
        json_answer({}),
        json_answer({"entities": [{}]}),
        json_answer({"entities": [{"urn": ORDERS}], "totalCount": 3}),
        json_answer({"entities": [], "scrollId": "the same for ever"}),
    ],
    ids=["html", "500", "no entities", "no urn", "cut short", "stuck"],
)
def test_a_listing_that_is_not_whole_is_no_answer(answer: Answer, catalog: MakeCatalog) -> None:
    with pytest.raises(Transient, match="could not be listed"):
        run(reads(faulty(catalog(), only("/entity/scroll", answer))).fetch_urns("dataset"))


def test_the_web_interface_is_not_the_metadata_service(catalog: MakeCatalog) -> None:
    with pytest.raises(Permanent, match="TETHER_DATAHUB_URL"):
        run(reads(faulty(catalog(), only("/config", json_answer({"config": 1})))).fetch_server())
    with pytest.raises(Transient, match="web page"):
        run(reads(faulty(catalog(), only("/config", HTML))).fetch_server())


def test_deleted_but_referenced_entities_are_told_from_missing_ones(catalog: MakeCatalog) -> None:
    store = catalog()
    store.delete(FEATURES)

    part = run(reads(create_app(store)).fetch_aspects(frozenset({FEATURES, FEATURE})))

    assert part.aspects[FEATURES] == {}
    assert part.aspects[FEATURE]["mlFeatureProperties"]["sources"] == [FEATURES]


def test_pauses_grow_between_attempts(catalog: MakeCatalog) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        await no_sleep(seconds)

    with pytest.raises(Transient):
        run(reads(faulty(catalog(), only("", Answer(503))), sleep=sleep).fetch_aspects(frozenset({ORDERS})))

    assert len(pauses) == ATTEMPTS - 1
    assert all(0.25 <= pause <= 2.0 for pause in pauses)
    assert pauses[-1] > pauses[0]


def test_of_more_unfinished_runs_than_are_asked_for_the_rest_is_unread(
    catalog: MakeCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their events tell a day and no more, so that they are no reason either."""
    from app.edges.datahub import events  # noqa: PLC0415 - one test makes its cap small

    monkeypatch.setattr(events, "MOST_RUNS", 2)
    runs = [f"urn:li:dataProcessInstance:r{number}" for number in range(5)]
    store = catalog(
        [
            Proposal(run, "dataProcessInstanceRunEvent", value={"timestampMillis": at, "status": status})
            for run in runs
            for at, status in ((1_783_987_200_000, "COMPLETE"), (1_784_000_000_000, "STARTED"))
        ]
    )
    part = run(reads(create_app(store)).fetch_aspects(frozenset(runs)))

    assert (part.unread, part.reasons) == (frozenset(runs[2:]), ())
    assert [len(part.aspects[urn]["dataProcessInstanceRunEvent"].get("events", ())) for urn in runs] == [2, 2, 0, 0, 0]
    assert part.requests == 3
