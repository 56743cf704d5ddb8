"""The one comment: golden texts, the diagram, the cap, and silence when there is nothing to say."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.effects import COMMENT_MARKER, ReviewFacts, render_comment, render_resolved_comment
from app.effects.mermaid import render_diagram
from app.verdict import Verdict
from tests.effects import reviews
from tests.effects.golden_files import assert_golden

SPOKEN = [reviews.block, reviews.unassessable, reviews.warn]


@pytest.mark.parametrize("make", SPOKEN, ids=lambda make: make.__name__)
def test_each_verdict_word_for_word(make: Callable[[], ReviewFacts]) -> None:
    comment = render_comment(make())

    assert comment is not None
    assert comment.startswith(COMMENT_MARKER + "\n")
    assert_golden(f"comment_{make.__name__}.md", comment)


def test_a_repository_that_is_not_set_up_is_left_in_peace() -> None:
    assert render_comment(reviews.review(Verdict("warn", "Not set up here", notes=("add .tether.yml",)))) is None


def test_a_pass_is_silent_and_a_fix_is_not() -> None:
    assert render_comment(reviews.passed()) is None

    resolved = render_resolved_comment(reviews.passed())

    assert resolved.startswith(COMMENT_MARKER + "\n")
    assert_golden("comment_resolved.md", resolved)


def test_evidence_links_to_its_commit() -> None:
    comment = render_comment(reviews.block()) or ""

    assert f"https://github.com/acme/features/blob/{'f' * 40}/features/customer_features.sql#L12" in comment
    assert f"https://github.com/acme/warehouse/blob/{'a' * 40}/migrations/0007_drop.sql#L3" in comment


def test_the_cap_holds_and_the_cut_is_said() -> None:
    findings = tuple(reviews.finding(message="é" * 900, relation=f"r{n}" + "é" * 190, trail=()) for n in range(300))

    comment = render_comment(
        reviews.review(Verdict("block", "Blocked", findings, reviews.unassessable().verdict.unknowns))
    )

    assert comment is not None
    assert len(comment.encode()) <= 65_536
    assert "more in the check run" in comment or "the check run of this commit says the rest" in comment


def test_a_diagram_has_at_most_thirty_nodes_and_says_what_it_leaves_out() -> None:
    trails = [tuple(f"relation_{n}_{step}" for step in range(5)) for n in range(10)]

    diagram = render_diagram([reviews.finding(trail=trail) for trail in trails])

    assert len(re.findall(r"^  \w+[^\w ]", diagram, flags=re.M)) == 30, "the one that says how many more included"
    assert 'more["and 21 more"]' in diagram


def test_one_node_for_one_urn() -> None:
    diagram = render_diagram(reviews.block().verdict.findings)

    assert diagram.count("shop.raw.orders") == 1


def test_a_trail_of_one_is_no_diagram() -> None:
    assert render_diagram([reviews.finding(trail=(reviews.ORDERS,))]) == ""


@given(st.text(st.characters(exclude_categories=()), max_size=50), st.text('"`#;<>[](){}|%&\\\n-:x', max_size=30))
def test_no_name_leaves_its_label(anything: str, marks: str) -> None:
    diagram = render_diagram([reviews.finding(trail=(anything, marks, "last"), column=marks)])

    node = r'  n\d+(\[\(|\{\{|\(\[|\[\[|\[)"[^"`<>|%{}\[\]()\\\n]*"(\)\]|\}\}|\]\)|\]\]|\])'
    lines = diagram.split("\n")
    assert (lines[0], lines[1], lines[-1]) == ("```mermaid", "flowchart LR", "```")
    assert all(re.fullmatch(node, line) or re.fullmatch(r"  n\d+ --> n\d+", line) for line in lines[2:-1])
