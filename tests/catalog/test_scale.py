"""Size: requests with a thousand urns stay on the indexes, whatever else the catalog holds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from app.catalog import CatalogStore
from app.catalog.scrolling import EdgeQuery
from tests.catalog.urns import upsert

_TABLES = [f"urn:li:dataset:(urn:li:dataPlatform:x,t{number},PROD)" for number in range(1_000)]
_FEATURES = [f"urn:li:mlFeature:(t,f{number})" for number in range(8_000)]


@pytest.fixture(scope="module")
def large() -> Iterator[CatalogStore]:
    with CatalogStore() as store:
        store.write(
            upsert(urn, "mlFeatureProperties", {"sources": [_TABLES[number % len(_TABLES)]]})
            for number, urn in enumerate(_FEATURES)
        )
        yield store


def _urns(urns: list[str]) -> Any:
    return {"and": [{"criteria": [{"field": "urn", "values": urns}]}]}


@pytest.mark.parametrize("side", ["source_filter", "destination_filter"])
def test_filters_by_urn_use_the_index_on_that_end(large: CatalogStore, side: str) -> None:
    from app.catalog import scrolling  # noqa: PLC0415 - this one test looks at the plan of its query
    from app.catalog.filters import Arguments  # noqa: PLC0415

    arguments = Arguments()
    where = scrolling._edge_conditions(replace(EdgeQuery(names=["DerivedFrom"]), **{side: _urns(_TABLES)}), arguments)  # noqa: SLF001
    sql = f"EXPLAIN QUERY PLAN {scrolling.edge_page_sql(where, arguments, after=0, count=10)}"
    with large.reading() as connection:
        plan = " ".join(row[3] for row in connection.execute(sql, arguments.values))
    assert f"edge_{'out' if side == 'source_filter' else 'in'}" in plan
    assert "SCAN e" not in plan


def test_a_thousand_urns_at_once(large: CatalogStore) -> None:
    """Well under 200 ms each on 100,000 features on a developer's machine; ten times that here, for busy ones."""
    started = time.process_time()
    found = large.fetch_aspects(_FEATURES[:1000], ["mlFeatureProperties", "status"])
    page = large.scroll_edges(EdgeQuery(destination_filter=_urns(_TABLES)), count=10_000)
    seconds = time.process_time() - started
    assert (len(found), len(page.rows)) == (1000, 8000)
    assert seconds < 2.0
