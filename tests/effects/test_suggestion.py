"""Suggestions: only on changed lines, all edits or none, the text as it goes into the file."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.effects import ReviewFacts, plan_suggestions
from app.verdict import Advice, Edit
from tests.effects import reviews

CHANGED = tuple((reviews.DROP.path, line) for line in (3, 4))


def facts(*edits: Edit) -> ReviewFacts:
    advice = Advice("alias", "Keep the @old name.", edits, tuple("old" for _ in edits))
    return reviews.about(replace(reviews.block(), advice=advice), changed_lines=CHANGED)


def test_a_replaced_line_becomes_one() -> None:
    (found,) = plan_suggestions(facts(Edit(reviews.DROP.path, 3, 4, "  a,\n  b")))

    assert (found.path, found.first, found.last) == (reviews.DROP.path, 3, 4)
    assert found.body.startswith(found.marker)
    assert found.body.endswith("```suggestion\n  a,\n  b\n```")
    assert "@old" not in found.body


@pytest.mark.parametrize(
    "edit",
    [
        Edit(reviews.DROP.path, 3, 2, "inserted"),
        Edit(reviews.DROP.path, 4, 5, "one line is not changed"),
        Edit("elsewhere.sql", 3, 3, "another file"),
        Edit(reviews.DROP.path, 3, 3, "x" * 40_000),
    ],
)
def test_what_does_not_fit_is_left_to_the_check_and_all_of_it(edit: Edit) -> None:
    assert plan_suggestions(facts(edit)) == ()
    assert plan_suggestions(facts(Edit(reviews.DROP.path, 4, 4, "fine"), edit)) == ()


def test_a_fence_inside_cannot_end_the_suggestion() -> None:
    (found,) = plan_suggestions(facts(Edit(reviews.DROP.path, 3, 3, "-- ```\n@octocat")))

    assert found.body.endswith("````suggestion\n-- ```\n@octocat\n````")


def test_the_command_line_suggests_nothing() -> None:
    assert plan_suggestions(reviews.about(facts(Edit(reviews.DROP.path, 3, 3, "x")), pull=None)) == ()


def test_the_same_edit_is_the_same_suggestion_whatever_the_head() -> None:
    one = facts(Edit(reviews.DROP.path, 3, 3, "x"))
    (first,), (second,) = plan_suggestions(one), plan_suggestions(reviews.about(one, head_sha="b" * 40))

    assert first.marker == second.marker
