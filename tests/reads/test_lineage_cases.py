"""Cases from public issue trackers of other lineage tools, with their right answers, where they are at hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.reads import find_reads

FILE = Path(__file__).parents[3] / "shared" / "cases" / "lineage_cases.json"
CASES = json.loads(FILE.read_text()) if FILE.exists() else []


@pytest.mark.skipif(not CASES, reason="the shared lineage cases are not here")
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_lineage_case(case: dict[str, object]) -> None:
    found: dict[str, set[str]] = {}
    for read in find_reads(str(case["sql"]), dialect=str(case["dialect"]), schema=case["schema"]):  # type: ignore[arg-type]  # JSON
        found.setdefault(read.relation, set()).add(read.column)
    expected = {table: set(columns) for table, columns in case["reads"].items()}  # type: ignore[attr-defined]  # JSON
    assert expected == found
