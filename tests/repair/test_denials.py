"""Each way to deny an edge can deny one: what never denies would let every false edge pass."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.trail import field_urn
from app.trail.urns import parse_field
from tests.judgement import judge
from tests.repair.denials import deny_by_catalog, deny_by_lines, deny_by_running, deny_by_verdict
from tests.suite import scenario

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_each_way_to_deny_an_edge_can_deny_one() -> None:
    one = scenario("drop_unread_column")
    judged = await judge(one)
    true = next(edge for edge in judged.plan.proven if edge.direct)
    lost = (one.removals or ())[0].column or ""
    dataset, column = parse_field(true.upstream) or ("", "")
    false = replace(true, upstream=field_urn(dataset, lost), columns=(lost,))

    assert deny_by_lines(false, judged.branch)
    assert deny_by_verdict(false, one)
    assert deny_by_running(false, one)
    assert deny_by_catalog(replace(true, upstream=field_urn(dataset, column.upper())), judged.plan)
    assert deny_by_lines(replace(true, evidence=()), judged.branch)
    assert not [*deny_by_lines(true, judged.branch), *deny_by_verdict(true, one), *deny_by_running(true, one)]
