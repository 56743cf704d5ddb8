"""PATCH documents, those of the SDK's own builders among them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from datahub.emitter.mcp_patch_builder import MetadataPatchProposal
from datahub.metadata.schema_classes import (
    EdgeClass,
    FineGrainedLineageClass,
    InstitutionalMemoryMetadataClass,
    MetadataChangeProposalClass,
    OwnerClass,
    TagAssociationClass,
    UpstreamClass,
)
from datahub.specific.datajob import DataJobPatchBuilder
from datahub.specific.dataset import DatasetPatchBuilder
from hypothesis import given
from hypothesis import strategies as st

from app.catalog.patch import apply_patch
from app.catalog.refusal import RequestRefused
from app.catalog.registry import check_value
from tests.catalog.urns import AGE, FEATURES, ORDERS, column

INFERRED = "urn:li:tag:tether:inferred"


def patched(mcps: Iterable[MetadataChangeProposalClass], start: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """All of a builder's patches on one aspect, applied in order and checked."""
    value = start
    for mcp in mcps:
        assert mcp.entityUrn is not None
        assert mcp.aspectName is not None
        assert mcp.aspect is not None
        document = json.loads(mcp.aspect.value)
        value = check_value(mcp.entityUrn, mcp.aspectName, apply_patch(mcp.entityUrn, mcp.aspectName, value, document))
    return dict(value or {})


def sources(*operations: tuple[str, str]) -> dict[str, Any]:
    patch = [
        {"op": op, "path": f"/sources/{urn.replace('~', '~0').replace('/', '~1')}", "value": urn}
        for op, urn in operations
    ]
    return {"arrayPrimaryKeys": {"sources": []}, "patch": patch}


def test_generic_patch_on_a_missing_aspect_keeps_other_sources_and_repeats_harmlessly() -> None:
    once = apply_patch(AGE, "mlFeatureProperties", None, sources(("add", ORDERS)))
    twice = apply_patch(AGE, "mlFeatureProperties", once, sources(("add", ORDERS), ("add", FEATURES)))
    assert once == {"sources": [ORDERS]}
    assert twice == {"sources": [ORDERS, FEATURES]}
    assert twice == apply_patch(AGE, "mlFeatureProperties", twice, sources(("add", FEATURES)))


@given(st.lists(st.tuples(st.sampled_from(["add", "remove"]), st.sampled_from(["urn:a", "urn:b/x", "urn:~c"]))))
def test_generic_patch_is_a_set(operations: list[tuple[str, str]]) -> None:
    expected: dict[str, None] = {}
    for op, urn in operations:
        expected.update({urn: None}) if op == "add" else expected.pop(urn, None)
    assert {"sources": list(expected)} == apply_patch(AGE, "mlFeatureProperties", {"sources": []}, sources(*operations))


def test_custom_properties_are_a_map() -> None:
    document = {
        "arrayPrimaryKeys": {},
        "forceGenericPatch": True,
        "patch": [{"op": "add", "path": "/customProperties/tether.evidence", "value": "x"}],
    }
    expected = {"customProperties": {"a": "1", "tether.evidence": "x"}}
    assert expected == apply_patch(AGE, "mlFeatureProperties", {"customProperties": {"a": "1"}}, document)


def test_tags_of_the_sdk_builder_merge_and_leave() -> None:
    start = {"tags": [{"tag": "urn:li:tag:pii"}]}
    builder = DatasetPatchBuilder(ORDERS).add_tag(TagAssociationClass(tag=INFERRED))
    added = patched(builder.build(), start)
    assert [one["tag"] for one in added["tags"]] == ["urn:li:tag:pii", INFERRED]
    assert start == patched(DatasetPatchBuilder(ORDERS).remove_tag(INFERRED).build(), added)


def test_links_and_owners_of_the_sdk_builder() -> None:
    class Links(DatasetPatchBuilder):
        pass

    stamp = MetadataPatchProposal._mint_auditstamp()  # noqa: SLF001 - the SDK's builders call it too
    link = InstitutionalMemoryMetadataClass(url="https://x/y~z", description="line", createStamp=stamp)
    document = {
        "arrayPrimaryKeys": {"elements": ["url"]},
        "patch": [{"op": "add", "path": "/elements/https:~1~1x~1y~0z", "value": link.to_obj()}],
    }
    value = apply_patch(AGE, "institutionalMemory", None, document)
    assert [one["url"] for one in value["elements"]] == ["https://x/y~z"]
    owned = patched(Links(ORDERS).add_owner(OwnerClass("urn:li:corpuser:a", "DATAOWNER")).build())
    assert [one["owner"] for one in owned["owners"]] == ["urn:li:corpuser:a"]
    assert patched(Links(ORDERS).remove_owner("urn:li:corpuser:a").build(), owned)["owners"] == []


def test_upstream_lineage_template() -> None:
    fine = FineGrainedLineageClass(
        upstreamType="FIELD_SET",
        downstreamType="FIELD",
        upstreams=[column(ORDERS, "price")],
        downstreams=[column(FEATURES, "spend")],
        transformOperation="FILTER",
        confidenceScore=0.9,
    )
    builder = DatasetPatchBuilder(FEATURES).add_upstream_lineage(UpstreamClass(ORDERS, "TRANSFORMED"))
    value = patched(builder.add_fine_grained_lineage(fine).build())
    assert [one["dataset"] for one in value["upstreams"]] == [ORDERS]
    assert fine.to_obj() == {**value["fineGrainedLineages"][0], "upstreamType": "FIELD_SET"}
    gone = patched(DatasetPatchBuilder(FEATURES).remove_fine_grained_lineage(fine).build(), value)
    assert ([one["dataset"] for one in gone["upstreams"]], gone["fineGrainedLineages"]) == ([ORDERS], [])


def test_fine_grained_patch_merges_upstreams_of_one_column() -> None:
    start = {
        "upstreams": [],
        "fineGrainedLineages": [
            {
                "upstreamType": "FIELD_SET",
                "downstreamType": "FIELD",
                "upstreams": [column(ORDERS, "price")],
                "downstreams": [column(FEATURES, "spend")],
                "confidenceScore": 1.0,
            }
        ],
    }
    path = f"/fineGrainedLineages/NONE/{column(FEATURES, 'spend')}/NONE/{column(ORDERS, 'qty')}"
    value = apply_patch(
        FEATURES, "upstreamLineage", start, [{"op": "add", "path": path, "value": {"confidenceScore": 1.0}}]
    )
    assert [[column(ORDERS, "price"), column(ORDERS, "qty")]] == [
        one["upstreams"] for one in value["fineGrainedLineages"]
    ]


def test_tag_on_a_column_nobody_described() -> None:
    builder = DatasetPatchBuilder(ORDERS)
    builder.for_field("price").add_tag(TagAssociationClass(tag=INFERRED))
    value = patched(builder.build())
    assert [(one["fieldPath"], one["globalTags"]["tags"][0]["tag"]) for one in value["editableSchemaFieldInfo"]] == [
        ("price", INFERRED)
    ]


def test_job_inputs_template() -> None:
    job = "urn:li:dataJob:(urn:li:dataFlow:(airflow,train,PROD),fit)"
    value = patched(DataJobPatchBuilder(job).add_input_dataset(EdgeClass(destinationUrn=ORDERS)).build())
    assert [one["destinationUrn"] for one in value["inputDatasetEdges"]] == [ORDERS]


def test_patch_leaves_untouched_arrays_absent() -> None:
    start = {"upstreams": [{"dataset": ORDERS, "type": "VIEW"}]}
    document = [{"op": "add", "path": f"/upstreams/{FEATURES}", "value": {"dataset": FEATURES, "type": "VIEW"}}]
    assert list(apply_patch(FEATURES, "upstreamLineage", start, document)) == ["upstreams"]


@pytest.mark.parametrize(
    ("aspect", "document", "message"),
    [
        (
            "mlFeatureProperties",
            [{"op": "add", "path": "/description", "value": "x"}],
            "does not currently support patch",
        ),
        ("mlFeatureProperties", {"patch": [], "arrayPrimaryKeys": {}}, "does not currently support patch"),
        ("mlFeatureProperties", "text", "list of operations"),
        ("globalTags", [{"op": "test", "path": "/tags/x", "value": 1}], "Unsupported patch operation"),
        ("globalTags", [{"op": "add", "path": "tags", "value": 1}], "must start with '/'"),
        ("globalTags", [{"op": "replace", "path": "/tags/nope", "value": {}}], "nothing it could be set on"),
        ("globalTags", {"arrayPrimaryKeys": {"tags": "tag"}, "patch": []}, "arrayPrimaryKeys must map"),
    ],
)
def test_documents_that_cannot_be_applied(aspect: str, document: Any, message: str) -> None:
    with pytest.raises(RequestRefused, match=message) as refused:
        apply_patch(AGE, aspect, None, document)
    assert refused.value.status == 400
