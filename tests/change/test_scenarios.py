"""The scenarios of `tests/scenarios`: the removals are exactly those expected, and DuckDB confirms the claim where it can."""

from __future__ import annotations

import pytest
import yaml

from app.offline.scenario import ExpectedPlace, ExpectedRemoval, Scenario
from app.words import Config, Schema
from tests.change.executed import find_feature, run, tree
from tests.change.trees import review
from tests.suite import NAMES, find_names_with, scenario

REPLAYED = find_names_with("Removals")
EXECUTABLE = find_names_with("Rows")


def catalog(one: Scenario) -> Schema:
    """Columns by relation, from the schemaMetadata aspects."""
    found: dict[str, dict[str, str]] = {}
    for mcp in one.proposals:
        if mcp["aspectName"] == "schemaMetadata":
            fields = mcp["aspect"]["json"]["fields"]
            found[mcp["entityUrn"].split(",")[1]] = {f["fieldPath"]: f["nativeDataType"] for f in fields}
    return found


def test_none_is_overlooked() -> None:
    assert [name for name in NAMES if scenario(name).removals is not None] == REPLAYED
    assert [name for name in NAMES if scenario(name).rows] == EXECUTABLE


@pytest.mark.parametrize("name", REPLAYED)
def test_the_removals_are_those_expected(name: str) -> None:
    one = scenario(name)
    dialect = yaml.safe_load(one.base[".tether.yml"].data)["dialect"]
    report = review(
        tree(one.base),
        tree(one.head),
        dialect=dialect,
        catalog=catalog(one),
        config=Config(found=True, dialect=dialect),
    )
    found = tuple(
        ExpectedRemoval(
            kind=r.kind,
            relation=r.relation,
            column=r.column,
            new_name=r.new_name,
            level=r.level,
            effect=r.effect,
            certain=r.certain,
            side=r.evidence.side,
            path=r.evidence.path,
            line=r.evidence.line,
        )
        for r in report.removals
    )
    assert one.removals == found
    assert one.unread == tuple(ExpectedPlace(unknown.path or "", unknown.line or 0) for unknown in report.unknowns)


@pytest.mark.parametrize("name", EXECUTABLE)
def test_the_claim_is_true(name: str) -> None:
    one = scenario(name)
    base, head = tree(one.base), tree(one.head)
    before = run(base, {}, one.rows, find_feature(base))
    after = run(base, head, one.rows, find_feature(base))
    if one.verdict == "block":
        assert isinstance(after, str) or before != after, "blocked, and the feature came out equal"
    elif "does not serve" not in one.why:
        assert not isinstance(after, str), after
        assert one.verdict == "warn" or before == after
