"""Every scenario from its page to its verdict, judged once: verdict, rules and models; the edges that its SQL proves; the verdict
once those stand in the catalog; the verdict through an older server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from app.change.removal import RemovalKind
from app.effects import ReviewFacts
from app.offline.scenario import Scenario
from app.verdict import RULES
from tests.fakes.serving import Answer, json_answer
from tests.judgement import Judge, Judgement
from tests.repair.denials import deny_by_catalog, deny_by_lines, deny_by_running, deny_by_verdict
from tests.suite import FOLDER, NAMES, scenario

#: through an older server as well
OLDER = frozenset(NAMES[::6])
#: a listing that GitHub cuts short; a directory never is
NO_PAGE_SHOWS = {"review_is_incomplete", "config_is_invalid"}

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize("name", NAMES)
async def test_the_scenario(name: str) -> None:
    one = scenario(name)
    with Judge(one) as judge:
        cold = await judge.assess()
        check_verdict(one, cold)
        if name in OLDER:
            check_older(cold, await judge.assess(without_scrolls))
        judged = await judge.repair(cold)
        check_edges(one, judged)
        check_warm(one, judged)


def check_verdict(one: Scenario, facts: ReviewFacts) -> None:
    findings = facts.verdict.findings
    assert facts.verdict.word == one.verdict, facts.verdict.title
    assert not [finding.message for finding in findings if ".;" in finding.message]
    for model in one.models:
        assert model in {finding.model_name for finding in findings if finding.level == "block"}
    assert sorted({finding.rule for finding in findings}) == sorted(one.rules)  # no other rule speaks


def without_scrolls(method: str, path: str, before: int) -> Answer | None:
    """A server before 1.6: no relationship scroll, no entity scroll."""
    del method, before
    return json_answer({"message": "No endpoint"}, 404) if path.endswith("/scroll") else None


def check_older(newer: ReviewFacts, older: ReviewFacts) -> None:
    assert (older.verdict, older.removals, older.edges) == (newer.verdict, newer.removals, newer.edges)


def check_edges(one: Scenario, judged: Judgement) -> None:
    """No edge that SQL does not prove: against its files, against hand-written verdicts, and against DuckDB."""
    plan = judged.plan
    false = [
        said
        for edge in plan.proven
        for said in (
            *deny_by_lines(edge, judged.branch),
            *deny_by_catalog(edge, plan),
            *deny_by_verdict(edge, one),
            *(deny_by_running(edge, one) if one.rows and edge.kind == "column" else ()),
        )
    ]
    assert false == []
    if one.edges is not None:
        assert sorted(one.edges) == sorted(edge.operation or "direct" for edge in plan.proven)


def check_warm(one: Scenario, judged: Judgement) -> None:
    """A wrong edge would block what is harmless, or contradict the SQL that it claims to come from."""
    verdict = judged.warm.verdict
    assert verdict.word == one.verdict, verdict.title
    assert "edge_contradicted_by_sql" in one.rules or "edge_contradicted_by_sql" not in {
        finding.rule for finding in verdict.findings
    }


# --- the suite as a whole ------------------------------------------------------------------------------------------


def test_there_are_scenarios_of_both_colours_and_many_dialects() -> None:
    verdicts = [scenario(name).verdict for name in NAMES]
    settings = [scenario(name).base.get(".tether.yml") for name in NAMES]
    dialects = {
        match[1]
        for content in settings
        if content is not None and (match := re.search(r"^dialect: *(\w+)", content.data.decode(), re.M))
    }

    assert verdicts.count("pass") >= 60
    assert verdicts.count("block") + verdicts.count("unassessable") >= 60
    assert len(dialects) >= 6


def test_every_rule_has_a_scenario_that_it_speaks_in() -> None:
    spoken = {rule for name in NAMES for rule in scenario(name).rules}

    assert {rule.id for rule in RULES} - spoken == NO_PAGE_SHOWS


def test_every_rule_names_a_scenario_that_shows_it() -> None:
    shown = {rule.id: rule.scenario for rule in RULES if rule.scenario}

    assert {rule.id for rule in RULES} - shown.keys() == NO_PAGE_SHOWS
    assert [rule for rule, name in shown.items() if rule not in scenario(name).rules] == []


def test_the_documentation_lists_every_rule_as_it_documents_itself() -> None:
    page = (Path(__file__).parent.parent / "docs" / "rules.md").read_text()

    assert [rule.id for rule in RULES if f"| {rule.summary} |" not in page] == []
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.M)) == {rule.id for rule in RULES}


def test_every_kind_of_removal_has_a_scenario() -> None:
    shown = {removal.kind for name in NAMES for removal in scenario(name).removals or ()}

    if any("added_column_clashes" in scenario(name).rules for name in NAMES):
        shown.add("column_added")  # no removal by itself: said where somebody notices

    if any("may lose columns" in scenario(name).why for name in NAMES):
        shown.add("writer_is_unread")  # the review finds it, which knows the catalog's names

    assert set(get_args(RemovalKind)) - shown == set()


def test_the_edges_are_worth_counting() -> None:
    """A repair that finds nothing would deny no edge; each page says how many it has to find."""
    executable = [scenario(name) for name in NAMES if scenario(name).rows]
    found = [operation for one in executable for operation in one.edges or ()]

    assert [one.name for one in executable if one.edges is None] == []
    assert len(found) > 2 * len(executable) * 0.7
    assert set(found) >= {"direct", "FILTER", "JOIN", "GROUP"}


def test_a_page_is_read_in_a_minute_or_two() -> None:
    lengths = {name: len((FOLDER / f"{name}.md").read_text().splitlines()) for name in NAMES}

    assert {name: lines for name, lines in lengths.items() if lines > 125} == {}
