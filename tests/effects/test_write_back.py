from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.effects import EdgeWrite, find_dataset, find_rejection, plan_aspects, plan_edge_writes
from app.effects.proof import EVIDENCE_KEY, MOST_PROPERTIES, PROPERTY_BYTES, find_items, merge_proof, parse_items
from app.repair import ProvenEdge
from app.words import Evidence
from tests.laws import examples

ORDERS = "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.raw.orders,PROD)"
STAGING = "urn:li:dataset:(urn:li:dataPlatform:snowflake,shop.staging.orders,PROD)"
FEATURE = "urn:li:mlFeature:(customer_features,discount_sensitivity)"
MODEL = "urn:li:mlModel:(urn:li:dataPlatform:mlflow,churn_v4,PROD)"
LINE = Evidence(
    "features/customer.sql", 12, "AVG(discount_pct) AS discount_sensitivity", "base", "acme/features", "c0ffee"
)
URL = "https://github.com/acme/features/blob/c0ffee/features/customer.sql#L12"
AT = 1_800_000_000_000


def source_edge(**changes: Any) -> ProvenEdge:
    edge = ProvenEdge("source", ORDERS, FEATURE, FEATURE, (LINE,), ("discount_pct",))
    return replace(edge, **changes)


def column_edge(**changes: Any) -> ProvenEdge:
    upstream, downstream = field(ORDERS, "discount_pct"), field(STAGING, "discount")
    return replace(ProvenEdge("column", upstream, downstream, STAGING, (LINE,), ("discount_pct",)), **changes)


def model_edge() -> ProvenEdge:
    return ProvenEdge("model", FEATURE, MODEL, MODEL, (LINE,))


def field(dataset: str, path: str) -> str:
    return f"urn:li:schemaField:({dataset},{path})"


def plan(edge: ProvenEdge, current: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return plan_aspects(EdgeWrite(edge, "run-1"), current, at=AT)


def apply(edge: ProvenEdge, current: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {**current, **plan(edge, current)}


def test_a_source_edge_becomes_a_source_with_its_columns_and_lines() -> None:
    planned = plan(
        source_edge(),
        {"mlFeatureProperties": {"description": "d", "sources": [STAGING], "customProperties": {"a": "b"}}},
    )

    properties = planned["mlFeatureProperties"]
    assert properties["description"] == "d"
    assert properties["sources"] == [STAGING, ORDERS]
    assert properties["customProperties"]["a"] == "b"
    assert json.loads(properties["customProperties"][EVIDENCE_KEY]) == [
        {
            "upstream": ORDERS,
            "downstream": FEATURE,
            "repo": "acme/features",
            "commit": "c0ffee",
            "path": "features/customer.sql",
            "line": 12,
            "columns": ["discount_pct"],
            "direct": True,
            "operation": "",
            "run": "run-1",
        }
    ]


def test_the_mark_is_written_before_the_edge() -> None:
    assert list(plan(source_edge(), {})) == ["globalTags", "institutionalMemory", "mlFeatureProperties"]


def test_the_tag_says_where_it_comes_from_and_the_link_shows_the_line() -> None:
    planned = plan(source_edge(), {"globalTags": {"tags": [{"tag": "urn:li:tag:pii"}]}})

    assert [entry["tag"] for entry in planned["globalTags"]["tags"]] == ["urn:li:tag:pii", "urn:li:tag:tether:inferred"]
    detail = planned["globalTags"]["tags"][1]["attribution"]["sourceDetail"]
    assert detail == {"appSource": "tether", "runId": "run-1", "upstream": ORDERS, "evidence": URL}
    assert [element["url"] for element in planned["institutionalMemory"]["elements"]] == [URL]


def test_an_edge_that_somebody_declared_is_left_alone() -> None:
    assert plan(source_edge(), {"mlFeatureProperties": {"sources": [ORDERS]}}) == {}


def test_writing_twice_changes_nothing_the_second_time() -> None:
    for edge in (source_edge(), column_edge(), model_edge()):
        assert plan(edge, apply(edge, {})) == {}


def test_a_new_column_of_our_own_edge_is_added_to_its_evidence() -> None:
    first = apply(source_edge(), {})
    second = plan(source_edge(columns=("quantity",)), first)

    assert list(second) == ["mlFeatureProperties"]
    assert second["mlFeatureProperties"]["sources"] == [ORDERS]
    items = parse_items(second["mlFeatureProperties"]["customProperties"])
    assert [item["columns"] for item in items] == [["discount_pct"], ["quantity"]]


def test_a_new_commit_of_the_same_line_is_no_news() -> None:
    first = apply(source_edge(), {})

    assert plan(source_edge(evidence=(replace(LINE, commit="beef"),)), first) == {}


def test_a_column_edge_brings_its_table_edge() -> None:
    other = {"dataset": "urn:li:dataset:other", "type": "VIEW", "future": {"key": 1}}
    declared = {"upstreamType": "FIELD_SET", "upstreams": ["x"], "downstreamType": "FIELD", "downstreams": ["y"]}
    held = {"upstreams": [other], "fineGrainedLineages": [declared], "unknown": True}

    value = plan(column_edge(), {"upstreamLineage": held})["upstreamLineage"]

    assert value["unknown"] is True
    assert value["upstreams"][0] == other
    assert (value["upstreams"][1]["dataset"], value["upstreams"][1]["type"]) == (ORDERS, "TRANSFORMED")
    assert len(parse_items(value["upstreams"][1]["properties"])) == 1
    assert value["fineGrainedLineages"][0] == declared
    assert value["fineGrainedLineages"][1]["upstreams"] == [field(ORDERS, "discount_pct")]
    assert value["fineGrainedLineages"][1]["downstreams"] == [field(STAGING, "discount")]
    assert value["fineGrainedLineages"][1]["transformOperation"] == "DIRECT"


def test_a_column_edge_keeps_the_table_edge_that_is_there() -> None:
    held = {"upstreams": [{"dataset": ORDERS, "type": "COPY", "properties": {"by": "ingestion"}}]}

    value = plan(column_edge(), {"upstreamLineage": held})["upstreamLineage"]

    assert len(value["upstreams"]) == 1
    assert value["upstreams"][0]["type"] == "COPY"
    assert value["upstreams"][0]["properties"]["by"] == "ingestion"


@pytest.mark.parametrize(
    ("direct", "operation", "expected"),
    [(True, "", "DIRECT"), (False, "filter", "FILTER"), (False, "", "INDIRECT"), (True, "Join", "JOIN")],
)
def test_the_operation_says_how_the_column_is_used(direct: bool, operation: str, expected: str) -> None:  # noqa: FBT001 - a case
    value = plan(column_edge(direct=direct, operation=operation), {})["upstreamLineage"]

    assert value["fineGrainedLineages"][0]["transformOperation"] == expected


def test_a_column_edge_between_other_things_is_refused() -> None:
    with pytest.raises(ValueError, match="no edge between columns"):
        plan(column_edge(upstream=ORDERS), {})
    with pytest.raises(ValueError, match="no edge between columns"):
        plan(column_edge(entity=ORDERS), {})


def test_a_model_edge_becomes_an_input_of_the_model() -> None:
    held = {"name": "churn", "mlFeatures": ["urn:li:mlFeature:(a,b)"], "deployments": ["urn:li:mlModelDeployment:x"]}

    value = plan(model_edge(), {"mlModelProperties": held})["mlModelProperties"]

    assert value["mlFeatures"] == ["urn:li:mlFeature:(a,b)", FEATURE]
    assert (value["name"], value["deployments"]) == ("churn", ["urn:li:mlModelDeployment:x"])


def test_a_rejection_is_seen() -> None:
    assert find_rejection({"globalTags": {"tags": [{"tag": "urn:li:tag:tether:rejected"}]}})
    assert not find_rejection({"globalTags": {"tags": [{"tag": "urn:li:tag:tether:inferred"}]}})


def test_only_lines_of_a_default_branch_count() -> None:
    head = replace(LINE, side="head")
    catalog = replace(LINE, side="catalog")

    assert plan_edge_writes([source_edge(evidence=(head,)), model_edge()], "r") == (EdgeWrite(model_edge(), "r"),)
    assert plan_edge_writes([source_edge(evidence=(catalog, LINE))], "r") == (EdgeWrite(source_edge(), "r"),)


def test_duplicates_are_one_write_with_all_evidence() -> None:
    second = replace(LINE, line=20)
    filtered = source_edge(evidence=(second,), columns=("channel",), direct=False, operation="FILTER")

    (write,) = plan_edge_writes([filtered, source_edge()], "r")

    assert write.edge.evidence == (second, LINE)
    assert write.edge.columns == ("channel", "discount_pct")
    assert write.edge.direct


def test_proof_that_outgrows_one_property_goes_on_in_the_next() -> None:
    lines = tuple(replace(LINE, line=number, text="x" * 200) for number in range(1, 301))
    stored = merge_proof({"mine": "1"}, find_items(source_edge(evidence=lines), "r"))

    assert stored is not None
    assert stored["mine"] == "1"
    assert f"{EVIDENCE_KEY}.2" in stored
    assert max(len(text.encode()) for text in stored.values()) <= PROPERTY_BYTES
    assert [item["line"] for item in parse_items(stored)] == list(range(1, 301))


def test_proof_that_fits_nowhere_is_refused() -> None:
    lines = tuple(replace(LINE, line=number, path="p" * 900) for number in range(1, MOST_PROPERTIES * 40))

    with pytest.raises(ValueError, match="needs more than"):
        merge_proof({}, find_items(source_edge(evidence=lines), "r"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
SOURCES = st.lists(st.sampled_from([ORDERS, STAGING, "urn:li:dataset:a", "urn:li:dataset:b"]), unique=True, max_size=4)


@given(sources=SOURCES, future=JSON, custom=st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3))
@examples(25)
def test_nothing_of_others_is_dropped_and_the_input_is_not_touched(
    sources: list[str], future: object, custom: dict[str, str]
) -> None:
    current: dict[str, dict[str, Any]] = {
        "mlFeatureProperties": {"sources": sources, "future": future, "customProperties": custom},
        "globalTags": {"tags": [{"tag": "urn:li:tag:pii", "context": "c"}], "more": future},
    }
    before = copy.deepcopy(current)

    after = apply(source_edge(), current)

    assert current == before
    assert after["mlFeatureProperties"]["future"] == future
    assert set(sources) <= set(after["mlFeatureProperties"]["sources"])
    assert ORDERS in after["mlFeatureProperties"]["sources"]
    assert custom.items() <= after["mlFeatureProperties"]["customProperties"].items()
    assert before["globalTags"]["tags"][0] in after["globalTags"]["tags"]
    assert plan(source_edge(), after) == {}


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="()"), min_size=1, max_size=8)


@given(name=NAMES, path=st.text(min_size=1, max_size=12))
@examples(25)
def test_the_dataset_of_a_column_survives_odd_names(name: str, path: str) -> None:
    dataset = f"urn:li:dataset:(urn:li:dataPlatform:x,{name},(a,b),PROD)"

    assert find_dataset(field(dataset, path)) == dataset


def test_what_is_no_column_has_no_dataset() -> None:
    assert find_dataset(ORDERS) is None
    assert find_dataset("urn:li:schemaField:(broken") is None


def test_a_primary_key_holds_its_sources_as_a_feature_does() -> None:
    key = "urn:li:mlPrimaryKey:(customer_features,customer_id)"

    planned = plan(source_edge(downstream=key, entity=key), {"mlPrimaryKeyProperties": {"sources": [STAGING]}})

    assert planned["mlPrimaryKeyProperties"]["sources"] == [STAGING, ORDERS]


def test_an_entity_that_cannot_hold_the_edge_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot hold"):
        plan(source_edge(entity=ORDERS), {})
    with pytest.raises(ValueError, match="cannot hold"):
        plan(source_edge(entity="no urn"), {})
