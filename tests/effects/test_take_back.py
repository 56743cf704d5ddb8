"""Taking back: what was written goes, and nothing else does."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.effects import INFERRED_TAG, REJECTED_TAG, EdgeWrite, plan_aspects, plan_retraction
from app.repair import ProvenEdge
from tests.effects.test_write_back import AT, FEATURE, JSON, ORDERS, SOURCES, STAGING, column_edge, field, source_edge
from tests.laws import examples

Held = dict[str, dict[str, Any]]
UPSTREAMS = [field(ORDERS, "a"), field(ORDERS, "b"), field(STAGING, "c")]
#: rows of upstreamLineage that others wrote: on the same columns, on others, wider than one edge
ROWS = st.lists(
    st.tuples(
        st.lists(
            st.sampled_from([field(ORDERS, "a"), field(ORDERS, "b"), field(STAGING, "c")]),
            min_size=1,
            max_size=2,
            unique=True,
        ),
        st.sampled_from(["discount", "other"]),
    ),
    max_size=3,
)
COLUMNS = st.lists(st.sampled_from(["a", "b", "d", "e"]), min_size=1, max_size=4, unique=True)


def write(edges: list[ProvenEdge], current: Held) -> Held:
    for edge in edges:
        current = {**current, **plan_aspects(EdgeWrite(edge, "run"), current, at=AT)}
    return current


def take(edges: list[ProvenEdge], current: Held, why: Any = "stale") -> Held:
    return {**current, **plan_retraction(edges, current, why=why, at=AT)}


def plain(held: Held) -> Held:
    """Without what says nothing."""
    return {name: value for name, value in held.items() if any(value.values())}


def tags(held: Held) -> list[str]:
    return [entry["tag"] for entry in held.get("globalTags", {}).get("tags", [])]


def column(name: str) -> ProvenEdge:
    return column_edge(upstream=field(ORDERS, name), columns=(name,))


@given(sources=SOURCES, future=JSON, custom=st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3))
@examples(25)
def test_a_source_that_was_written_and_taken_back_leaves_everything_as_it_was(
    sources: list[str], future: object, custom: dict[str, str]
) -> None:
    current: Held = {
        "mlFeatureProperties": {"sources": sources, "future": future, "customProperties": custom},
        "globalTags": {"tags": [{"tag": "urn:li:tag:pii"}], "more": future},
        "institutionalMemory": {"elements": [{"url": "u", "description": "mine"}]},
    }
    before = copy.deepcopy(current)
    after = take([source_edge()], written := write([source_edge()], current))

    assert current == before
    assert after == before
    assert (written == before) == (ORDERS in sources), "somebody's own source is neither written nor taken"


@given(rows=ROWS, columns=COLUMNS, gone=COLUMNS, future=JSON)
@examples(50)
def test_columns_that_are_taken_back_are_as_if_they_had_never_been_written(
    rows: list[tuple[list[str], str]], columns: list[str], gone: list[str], future: object
) -> None:
    lineages = [
        {"upstreams": ups, "downstreams": [field(STAGING, down)], "upstreamType": "FIELD_SET", "future": future}
        for ups, down in rows
    ]
    datasets = dict.fromkeys(ORDERS for ups, _ in rows if any(ORDERS in up for up in ups))
    entries = [{"dataset": name, "type": "COPY", "auditStamp": {"actor": "urn:li:corpuser:dbt"}} for name in datasets]
    lineage: dict[str, Any] = {"upstreams": entries, **({"fineGrainedLineages": lineages} if lineages else {})}
    current: Held = {"upstreamLineage": lineage}
    ours = [column(name) for name in columns]
    after = take([column(name) for name in gone], write(ours, current))

    left = write([edge for edge in ours if edge.columns[0] not in gone], current)
    assert plain(after).get("upstreamLineage") == plain(left).get("upstreamLineage")
    assert tags(after) == tags(left)


def test_the_edge_goes_before_its_mark() -> None:
    plan = plan_retraction([source_edge()], write([source_edge()], {}), why="stale", at=AT)

    assert list(plan) == ["mlFeatureProperties", "institutionalMemory", "globalTags"]


@pytest.mark.parametrize("why", ["stale", "reverted"])
def test_the_mark_stays_while_another_edge_needs_it(why: Any) -> None:
    other = source_edge(upstream=STAGING)
    after = take([source_edge()], write([source_edge(), other], {}), why)

    assert tags(after) == [INFERRED_TAG]
    assert after["mlFeatureProperties"]["sources"] == [STAGING]


def test_a_rejection_says_so_once_even_where_nothing_is_left_to_take() -> None:
    once = take([source_edge()], {"mlFeatureProperties": {"sources": [ORDERS]}}, "rejected")

    assert tags(once) == [REJECTED_TAG]
    assert once["mlFeatureProperties"] == {"sources": [ORDERS]}, "somebody else's, with no proof of ours beside it"
    assert plan_retraction([source_edge()], once, why="rejected", at=AT) == {}


def test_a_wider_row_of_somebody_else_stays() -> None:
    wide = {"upstreams": [field(ORDERS, "a"), field(ORDERS, "b")], "downstreams": [field(STAGING, "discount")]}
    written = write([column("d")], {"upstreamLineage": {"upstreams": [], "fineGrainedLineages": [wide]}})
    claimed = replace(column("d"), upstream=field(ORDERS, "a"), columns=("a",))

    assert take([claimed], written) == written
    assert take([column("d")], written)["upstreamLineage"]["fineGrainedLineages"] == [wide]


def test_proof_that_goes_on_in_more_properties_goes_whole() -> None:
    line = source_edge().evidence[0]
    edges = [
        source_edge(
            upstream=f"urn:li:dataset:{n}", evidence=tuple(replace(line, line=m, text="x" * 290) for m in range(1, 40))
        )
        for n in range(8)
    ]
    written = write(edges, {"mlFeatureProperties": {"customProperties": {"mine": "1"}, "sources": []}})
    assert "tether.evidence.3" in written["mlFeatureProperties"]["customProperties"]

    assert take(edges, written)["mlFeatureProperties"] == {"customProperties": {"mine": "1"}, "sources": []}
    assert edges[0].entity == FEATURE
