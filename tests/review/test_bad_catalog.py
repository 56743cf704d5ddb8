"""A catalog that misbehaves, up to the verdict: every failure ends in a reason or an exception, none in a green check.

The change is harmless as long as everything can be seen: the only model that loses its input is retired. So whatever of the
catalog is missing, passing would be wrong.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from app.catalog import CatalogStore, Proposal, create_app
from app.edges.datahub import DataHubReads
from app.effects import ReviewFacts, ReviewSubject
from app.review.assess import ChangeInputs, assess
from app.words import Config, ModelConfig, Permanent, Repo, Transient, Tree
from tests.build import World, dataset, deployment, feature, feature_entity, model, model_entity, table
from tests.edges.datahub.world import STAMP, no_sleep, upstream
from tests.fakes.catalog_reads import FakeCatalogReads
from tests.fakes.isolation import InlineIsolation
from tests.fakes.serving import Answer, Faulty, json_answer, serving

TABLES = """CREATE TABLE shop.raw.orders (order_id INT, customer_id INT, discount_pct FLOAT);"""
FEATURES = """CREATE VIEW shop.f.customer AS SELECT customer_id, AVG(discount_pct) AS discount FROM shop.raw.orders GROUP BY 1;"""
DROP = "ALTER TABLE shop.raw.orders DROP COLUMN discount_pct;"
BASE = {"migrations/0001_orders.sql": TABLES, "features/customer.sql": FEATURES}
HEAD = {**BASE, "migrations/0002_drop.sql": DROP}
GROUP = "urn:li:mlModelGroup:(urn:li:dataPlatform:mlflow,churn,PROD)"
FEATURE = feature("customer.discount")


def catalog(*, status: str = "OUT_OF_SERVICE") -> list[Proposal]:
    model_properties = {
        "customProperties": {},
        "mlFeatures": [FEATURE],
        "deployments": [deployment("live")],
        "groups": [GROUP],
        "tags": [],
    }
    deployed = {"customProperties": {}, "status": status}
    return [
        Proposal(
            dataset("shop.raw.orders"),
            "datasetProperties",
            value={"name": "orders", "customProperties": {}, "tags": []},
        ),
        Proposal(
            dataset("shop.f.customer"), "upstreamLineage", value={"upstreams": [upstream(dataset("shop.raw.orders"))]}
        ),
        Proposal(
            FEATURE, "mlFeatureProperties", value={"customProperties": {}, "sources": [dataset("shop.f.customer")]}
        ),
        Proposal(model("churn"), "mlModelProperties", value=model_properties),
        Proposal(model("churn"), "deprecation", value={"deprecated": True, "note": "", "actor": STAMP["actor"]}),
        Proposal(deployment("live"), "mlModelDeploymentProperties", value=deployed),
        Proposal(GROUP, "mlModelGroupProperties", value={"customProperties": {}, "name": "churn"}),
    ]


def change(head: dict[str, str] | None = None, config: Config | None = None) -> ChangeInputs:
    base, after = Tree(BASE), Tree(head or HEAD)
    changed = frozenset(path for path in after.files if after.files.get(path) != BASE.get(path))
    return ChangeInputs(
        ReviewSubject(Repo(7, "shop/warehouse")), base, after, base, config=config or Config(), changed=changed
    )


def judge(url: str, config: Config | None = None, **options: Any) -> ReviewFacts:
    async def go() -> ReviewFacts:
        reads = DataHubReads(url, "t0ken", sleep=no_sleep, **options)
        try:
            return (await assess(change(config=config), catalog=reads, isolation=InlineIsolation())).facts
        finally:
            await reads.aclose()

    return asyncio.run(go())


@pytest.fixture(scope="module")
def store() -> Iterator[CatalogStore]:
    with CatalogStore() as held:
        held.write(catalog())
        yield held


class Switch:
    """One server for all faults: the request with a number, and every later one to the same path, is answered wrongly."""

    def __init__(self, store: CatalogStore) -> None:
        self.app = Faulty(create_app(store), self._fault)
        self.url = ""
        self._number, self._answer, self._broken = -1, Answer(), ""

    def set(self, number: int, answer: Answer) -> None:
        """Counts from now on; -1 for none."""
        self.app.requests.clear()
        self._number, self._answer, self._broken = number, answer, ""

    def _fault(self, method: str, path: str, before: int) -> Answer | None:
        del method, before
        if len(self.app.requests) == self._number:
            self._broken = path
        return self._answer if path == self._broken else None


@pytest.fixture(scope="module")
def switch(store: CatalogStore) -> Iterator[Switch]:
    made = Switch(store)
    with serving(made.app) as made.url:
        yield made


@pytest.fixture(scope="module")
def asked(switch: Switch) -> Sequence[tuple[str, str]]:
    """The requests of a review in which nothing goes wrong."""
    switch.set(-1, Answer())
    assert judge(switch.url).verdict.word == "pass"
    return tuple(switch.app.requests)


def test_names_that_may_be_features_are_asked_for_once_and_last(asked: Sequence[tuple[str, str]]) -> None:
    """Two hops lead past tables whose names and columns may be features; the feature that is there comes with its edge."""
    paths = [path for _, path in asked]

    assert paths.count("/openapi/v3/entity/mlFeature/batchGet") == 2
    assert paths[-1] == "/openapi/v3/entity/mlFeature/batchGet"


def test_it_is_green_only_because_the_model_is_retired(switch: Switch) -> None:
    with CatalogStore() as other:
        other.write(catalog(status="IN_SERVICE"))
        with serving(create_app(other)) as url:
            facts = judge(url)

    assert facts.verdict.word == "block"
    assert facts.completeness.hops >= 2
    switch.set(-1, Answer())
    assert "retired" in " ".join(judge(switch.url).verdict.notes)


FAULTS: dict[str, Answer] = {
    "401": json_answer({"message": "Unauthorized to perform this action."}, 401),
    "403": json_answer({"message": "forbidden"}, 403),
    "429": json_answer({}, 429, Retry_After="1"),
    "503": json_answer({"retryable": True}, 503),
    "500": json_answer({}, 500),
    "web page": Answer(200, b"<html>Sign in</html>", (("Content-Type", "text/html"),)),
    "half a page": Answer(200, b'{"results": [{"relationshipType": "Der'),
    "nothing": json_answer(None),
    "another shape": json_answer({"rows": []}),
    "empty list": json_answer([]),
    "list of texts": json_answer(["text"]),
    "broken connection": Answer(drop=True),
}
#: an empty list is what the server answers for entities that are not there
HONEST = {("empty list", "/batchGet")}


@pytest.mark.parametrize("name", FAULTS)
def test_no_failure_of_any_request_is_green(name: str, switch: Switch, asked: Sequence[tuple[str, str]]) -> None:
    assert len(asked) >= 10
    green = []
    for number, (_, path) in enumerate(asked):
        if (name, path[path.rfind("/") :]) in HONEST:
            continue
        switch.set(number, FAULTS[name])
        word, reasons = outcome(switch.url)
        if word not in ("block", "unassessable", "raised") or not reasons:
            green.append((number, path, word, reasons))
        assert all("t0ken" not in reason for reason in reasons)

    assert green == []


def outcome(url: str) -> tuple[str, list[str]]:
    """The verdict and its reasons; "raised" and what was said for an exception, which names the catalog."""
    try:
        facts = judge(url)
    except (Transient, Permanent) as told:
        return "raised", [str(told)] if url.removeprefix("http://") in str(told) else []
    return facts.verdict.word, [unknown.why for unknown in facts.verdict.unknowns]


# --- what decides whether a model serves was not read --------------------------------------------------------------


@pytest.mark.parametrize("kind", ["mlModel", "mlModelDeployment"])
@pytest.mark.parametrize("name", ["500", "half a page", "another shape", "list of texts"])
def test_a_model_of_which_nobody_can_tell_whether_it_serves_is_no_block(name: str, kind: str) -> None:
    """Red all the same, but nobody is told that a serving model breaks, and no incident is raised."""
    with CatalogStore() as store:
        store.write(catalog(status="IN_SERVICE"))
        broken = Faulty(
            create_app(store), lambda _, path, __: FAULTS[name] if path.endswith(f"/{kind}/batchGet") else None
        )
        with serving(broken) as url:
            facts = judge(url)
            told = judge(url, Config(models={"churn": ModelConfig(serving=True)}))
            retired = judge(url, Config(models={"churn": ModelConfig(serving=False)}))

    assert facts.verdict.word == "unassessable"
    assert {finding.level for finding in facts.verdict.findings} == {"unassessable"}
    assert any(
        "churn, which loses an input, serves cannot be told" in unknown.why for unknown in facts.verdict.unknowns
    )
    assert told.verdict.word == "block"
    assert retired.verdict.word == "unassessable"  # the walk was cut short


@pytest.mark.parametrize(
    ("aspects", "word"),
    [
        ({"versionProperties": {"aliases": [{"versionTag": "champion"}]}}, "block"),
        ({"versionProperties": {"aliases": [{"versionTag": "challenger"}]}}, "unassessable"),
        ({}, "unassessable"),
    ],
    ids=["serves", "does not", "nothing"],
)
def test_only_evidence_that_it_serves_counts_where_edges_are_missing(aspects: dict[str, Any], word: str) -> None:
    """A scoring run may stand among the edges that did not come."""
    churn = model_entity("churn", "customer.discount", serving=None, **aspects)
    world = World.of(
        table("shop.raw.orders", "order_id customer_id discount_pct"),
        CUSTOMER,
        feature_entity("customer.discount", "shop.f.customer"),
        churn,
        unread=frozenset({churn[0]}),
    )
    facts = asyncio.run(assess(change(), catalog=FakeCatalogReads(world), isolation=InlineIsolation())).facts

    assert facts.verdict.word == word


def test_a_model_that_is_gone_from_the_catalog_and_left_in_its_index_is_a_reason() -> None:
    """Deleted for good a moment ago, or hidden from the token: nothing says whether it serves."""
    world = World.of(
        CUSTOMER, feature_entity("customer.discount", "shop.f.customer"), model_entity("churn", "customer.discount")
    )
    reads = FakeCatalogReads(world)
    reads.hidden = frozenset({model("churn")})
    facts = asyncio.run(assess(change(), catalog=reads, isolation=InlineIsolation())).facts

    assert facts.verdict.word == "unassessable"
    assert any("holds nothing of it" in unknown.why for unknown in facts.verdict.unknowns)


@pytest.mark.parametrize("name", ["none", "401", "403", "500", "web page", "half a page", "nothing", "another shape"])
def test_events_that_cannot_be_read_cost_the_day_of_training_and_nothing_else(name: str) -> None:
    run = "urn:li:dataProcessInstance:train"
    proposals = catalog(status="IN_SERVICE")
    for proposal in proposals:
        if proposal.aspect == "mlModelProperties" and isinstance(proposal.value, dict):
            proposal.value["trainingJobs"] = [run]
    events = [(1_783_987_200_000, "COMPLETE"), (1_784_000_000_000, "STARTED")]
    proposals += [
        Proposal(run, "dataProcessInstanceRunEvent", value={"timestampMillis": at, "status": status})
        for at, status in events
    ]
    with CatalogStore() as store:
        store.write(proposals)
        fault = FAULTS.get(name)
        with serving(Faulty(create_app(store), lambda _, path, __: fault if path == "/aspects" else None)) as url:
            facts = judge(url)
    (finding,) = facts.verdict.findings

    assert (facts.verdict.word, facts.verdict.unknowns) == ("block", ())
    assert finding.last_trained == ("2026-07-14" if name == "none" else "unknown")
    assert ("completed" if name == "none" else "could not be read") in finding.last_trained_rule


def test_a_cap_is_a_reason(store: CatalogStore, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.edges.datahub import relationships  # noqa: PLC0415 - one test makes its caps small

    monkeypatch.setattr(relationships, "PAGE", 1)
    monkeypatch.setattr(relationships, "MOST_PAGES", 1)
    with serving(create_app(store)) as url:
        facts = judge(url)

    assert facts.verdict.word == "unassessable"
    assert any("not all were read" in unknown.why for unknown in facts.verdict.unknowns)


def test_an_older_server_gives_the_same_verdict(switch: Switch, store: CatalogStore) -> None:
    missing = json_answer({"message": "No endpoint"}, 404)
    switch.set(-1, Answer())
    newer = judge(switch.url)
    with serving(Faulty(create_app(store), lambda _, path, __: missing if path.endswith("/scroll") else None)) as url:
        older = judge(url)

    assert (older.verdict, older.removals) == (newer.verdict, newer.removals)
    assert older.completeness.requests > newer.completeness.requests
    assert older.completeness.entities == newer.completeness.entities


# --- strange catalogs ----------------------------------------------------------------------------------------------


def judged(*entities: tuple[str, dict[str, Any]], files: dict[str, str] | None = None) -> ReviewFacts:
    reads = FakeCatalogReads(World.of(table("shop.raw.orders", "order_id customer_id discount_pct"), *entities))
    return asyncio.run(assess(change(files), catalog=reads, isolation=InlineIsolation())).facts


CUSTOMER = table("shop.f.customer", "customer_id discount")


@pytest.mark.parametrize(
    "odd",
    [
        {"status": {"removed": "perhaps"}},
        {"mlFeatureProperties": {"sources": {"of": "another kind"}}},
        {"mlFeatureProperties": {"sources": [], "customProperties": "none"}},
        {"globalTags": {"tags": "all"}},
    ],
    ids=["status", "sources", "properties", "tags"],
)
def test_an_aspect_of_a_newer_schema_is_a_reason(odd: dict[str, Any]) -> None:
    urn, held = feature_entity("customer.discount", "shop.f.customer")
    facts = judged(CUSTOMER, (urn, {**held, **odd}))

    assert facts.verdict.word == "unassessable"
    assert any("shape that Tether does not know" in unknown.why for unknown in facts.verdict.unknowns)


def test_a_feature_without_sources_is_found_by_its_name() -> None:
    facts = judged(CUSTOMER, feature_entity("customer.discount"), model_entity("churn", "customer.discount"))

    assert facts.verdict.word == "block"


def test_a_feature_that_only_its_model_knows_is_found_by_its_name() -> None:
    assert judged(CUSTOMER, model_entity("churn", "customer.discount")).verdict.word == "block"


def test_a_deleted_dataset_that_is_still_referenced_carries_lineage() -> None:
    """Nobody ingested the feature's dataset; the feature and the SQL both name it."""
    lonely = feature_entity("customer.discount", "shop.f.customer")

    assert judged(lonely, model_entity("churn", "customer.discount")).verdict.word == "block"


def test_a_deleted_model_that_a_feature_table_still_lists_is_gone() -> None:
    gone = model_entity("churn", "customer.discount", status={"removed": True})
    facts = judged(CUSTOMER, feature_entity("customer.discount", "shop.f.customer"), gone)

    assert facts.verdict.word == "warn"
    assert [finding.model for finding in facts.verdict.findings] == [None]


@pytest.mark.parametrize("loop", [["shop.f.customer"], ["shop.f.other"]], ids=["self-edge", "cycle"])
def test_a_cycle_ends_in_the_same_verdict(loop: list[str]) -> None:
    customer = table("shop.f.customer", "customer_id discount", tables=["shop.raw.orders", *loop])
    other = table(
        "shop.f.other", "discount", tables=["shop.f.customer"], upstream={"discount": "shop.f.customer.discount"}
    )
    facts = judged(
        customer,
        other,
        feature_entity("other.discount", "shop.f.other"),
        model_entity("churn", "other.discount"),
    )

    assert facts.verdict.word == "block"


def test_a_chain_that_does_not_end_is_cut_and_said() -> None:
    chain = [
        table(f"shop.c.t{n}", "discount", tables=[f"shop.c.t{n - 1}" if n else "shop.raw.orders"]) for n in range(80)
    ]
    facts = judged(*chain, files={"migrations/0001_orders.sql": TABLES, "migrations/0002_drop.sql": DROP})

    assert facts.verdict.word == "unassessable"
    assert any("cut after 60 hops" in unknown.why for unknown in facts.verdict.unknowns)


@pytest.mark.parametrize("name", ["a,b", "größe", "f(x)", "with blank", "%41", "日本"])
def test_names_that_urns_have_to_encode(name: str) -> None:
    """Both as it is written and as DataHub's urn classes encode it."""
    from datahub.metadata.urns import MlFeatureUrn  # noqa: PLC0415 - the SDK's own spelling

    column = f'"{name}"'
    files = {**HEAD, "features/customer.sql": FEATURES.replace("AS discount", f"AS {column}")}
    base = {**BASE, "features/customer.sql": files["features/customer.sql"]}
    for urn in dict.fromkeys((f"urn:li:mlFeature:(customer,{name})", str(MlFeatureUrn("customer", name)))):
        churn = model_entity("churn")
        churn[1]["mlModelProperties"]["mlFeatures"] = [urn]
        source = {"mlFeatureProperties": {"sources": [dataset("shop.f.customer")], "customProperties": {}}}
        reads = FakeCatalogReads(
            World.of(table("shop.raw.orders", "order_id customer_id discount_pct"), (urn, source), churn)
        )
        inputs = ChangeInputs(
            ReviewSubject(Repo(7, "shop/warehouse")),
            Tree(base),
            Tree(files),
            Tree(base),
            changed=frozenset({"migrations/0002_drop.sql"}),
        )
        facts = asyncio.run(assess(inputs, catalog=reads, isolation=InlineIsolation())).facts
        assert (facts.verdict.word, [f.feature for f in facts.verdict.findings]) == ("block", [urn])


def test_a_model_with_ten_thousand_features_is_judged_by_the_lost_one() -> None:
    names = [f"wide.f{number}" for number in range(10_000)]
    facts = judged(
        CUSTOMER,
        feature_entity("customer.discount", "shop.f.customer"),
        model_entity("churn", "customer.discount", *names),
    )

    assert facts.verdict.word == "block"
    assert [finding.feature for finding in facts.verdict.findings] == [FEATURE]


def test_features_are_counted_by_whether_their_own_sql_was_read() -> None:
    """The first stands in a view of the repository; how the second's table is made of that view, only the catalog says."""
    hidden = table("shop.hidden.copy", "discount", upstream={"discount": "shop.f.customer.discount"})
    facts = judged(
        CUSTOMER,
        hidden,
        feature_entity("customer.discount", "shop.f.customer"),
        feature_entity("copy.discount", "shop.hidden.copy"),
        model_entity("churn", "customer.discount", "copy.discount"),
    )

    assert (facts.completeness.feature_sql_read, facts.completeness.feature_sql_refused) == (1, 1)


def test_models_without_inputs_are_named_and_change_nothing() -> None:
    facts = judged(CUSTOMER, model_entity("idle"), model_entity("old", serving=False), model_entity("told", "a.b"))

    assert facts.verdict.word == "pass"
    assert facts.completeness.models_without_inputs == ("idle",)


# --- a catalog that knows more than we do ---------------------------------------------------------------------------

DECLARED = table("shop.f.copy", "discount", upstream={"discount": "shop.raw.orders.discount_pct"})
NEWER: dict[str, tuple[str, dict[str, Any]]] = {
    "field": (
        DECLARED[0],
        {"schemaMetadata": {"fields": [{"fieldPath": "discount", "vector": {"size": 3}}], "epoch": 2}},
    ),
    "union member": (
        DECLARED[0],
        {
            "schemaMetadata": {
                "fields": [{"fieldPath": "discount", "type": {"type": {"com.linkedin.schema.NewType": {}}}}]
            }
        },
    ),
    "aspect": (DECLARED[0], {"semanticContract": {"terms": []}}),
    "path in another notation": (
        DECLARED[0],
        {"schemaMetadata": {"fields": [{"fieldPath": "[version=3.0].[key=False].[type=float].discount"}]}},
    ),
    "model": (
        model("churn"),
        {"mlModelProperties": {"mlFeatures": [feature("copy.discount")], "artifacts": [{"uri": "x"}]}},
    ),
    "status": (deployment("live"), {"mlModelDeploymentProperties": {"status": "SCALING_TO_ZERO"}}),
}


@pytest.mark.parametrize("name", NEWER)
def test_what_only_a_newer_server_knows_changes_nothing(name: str) -> None:
    entities = dict(
        [
            DECLARED,
            feature_entity("copy.discount", "shop.f.copy"),
            model_entity("churn", "copy.discount", serving=None, properties={"deployments": [deployment("live")]}),
            (deployment("live"), {"mlModelDeploymentProperties": {"status": "IN_SERVICE"}}),
            ("urn:li:aiAgent:helper", {"aiAgentProperties": {"features": [feature("copy.discount")]}}),
        ]
    )
    urn, more = NEWER[name]
    entities[urn] = {**entities[urn], **more}
    facts = judged(*entities.items())

    assert facts.verdict.word == "block"
    assert facts.verdict.unknowns == ()
    assert {finding.model for finding in facts.verdict.findings if finding.level == "block"} == {model("churn")}


@pytest.mark.parametrize(
    "row",
    [
        {"upstreamType": "EXPRESSION", "upstreams": [dataset("shop.raw.orders")], "downstreams": []},
        {"upstreamType": "DATASET", "upstreams": [dataset("shop.raw.orders")], "downstreams": None},
        {
            "upstreamType": "FIELD_SET",
            "upstreams": ["urn:li:schemaField:broken"],
            "downstreams": ["urn:li:schemaField:broken"],
        },
    ],
    ids=["another kind", "no columns", "broken urns"],
)
def test_lineage_of_a_kind_that_names_no_column_is_a_reason(row: dict[str, Any]) -> None:
    urn, held = table("shop.f.copy", "discount", tables=["shop.raw.orders"])
    held["upstreamLineage"]["fineGrainedLineages"] = [row]
    facts = judged(
        (urn, held),
        feature_entity("copy.discount", "shop.f.copy"),
        model_entity("churn", "copy.discount"),
    )

    assert facts.verdict.word == "unassessable"
    assert any("churn" in unknown.why for unknown in facts.verdict.unknowns)


def test_a_table_that_is_gone_for_good_and_left_in_the_index_is_a_reason() -> None:
    """Its edges are still there, its lineage is not."""
    world = World.of(
        table("shop.raw.orders", "order_id customer_id discount_pct"),
        DECLARED,
        feature_entity("copy.discount", "shop.f.copy"),
        model_entity("churn", "copy.discount"),
    )
    reads = FakeCatalogReads(world)
    reads.hidden = frozenset({DECLARED[0]})
    facts = asyncio.run(assess(change(), catalog=reads, isolation=InlineIsolation())).facts

    assert facts.verdict.word == "unassessable"
    assert any("shop.f.copy" in unknown.what and "churn" in unknown.why for unknown in facts.verdict.unknowns)
