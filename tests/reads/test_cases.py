"""Every case of tests/reads/cases, through both doors of the engine."""

from __future__ import annotations

import pytest

from app.reads import Unreadable, find_reads, read_statements
from tests.reads.cases import Case, load_cases, show_outputs, show_reads

CASES = list(load_cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    dialect = case.meta["dialect"]
    if "unreadable" in case.meta:
        with pytest.raises(Unreadable, match=case.meta["unreadable"]):
            find_reads(case.sql, dialect=dialect, schema=case.schema)
        return
    statements = read_statements(case.sql, dialect=dialect, schema=case.schema, relation=case.meta.get("relation"))
    statement = statements[-1]
    if "reads" in case.meta:
        lines = "@" in case.meta["reads"]
        expected = set(case.meta["reads"].split())
        assert expected == show_reads(statement.reads, lines=lines)
        if len(statements) == 1:
            assert expected == show_reads(find_reads(case.sql, dialect=dialect, schema=case.schema), lines=lines)
    if "outputs" in case.meta:
        expected_outputs = [part.strip() for part in case.meta["outputs"].split(";") if part.strip()]
        assert expected_outputs == show_outputs(statement.outputs)
    for key in ("kind", "target"):
        if key in case.meta:
            assert case.meta[key] == getattr(statement, key)
    if "relations" in case.meta:
        assert case.meta["relations"].split() == list(statement.relations)
    if "columns" in case.meta:
        assert case.meta["columns"] == ", ".join(f"{name} {kind}".strip() for name, kind in statement.columns)
    if "why" in case.meta:
        assert case.meta["why"] in statement.why


def test_there_are_cases() -> None:
    assert len(CASES) >= 150
    assert len({case.name for case in CASES}) == len(CASES)
