"""What the log says of jobs: every change of state is a line, and what strangers wrote stays inside of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.review.journal import MOST, name_job, quote
from tests.jobs.requests import review


@given(st.text(max_size=2 * MOST))
def test_a_quote_is_one_printable_line(text: str) -> None:
    quoted = quote(text)

    assert quoted.isprintable()
    assert len(quoted) <= 10 * (MOST + 1) + 2  # an escape has at most ten characters


def test_a_job_is_named_by_repository_pull_and_head() -> None:
    assert name_job(review(sha="0123456789abcdef")) == "review of 'acme/warehouse' pull 7 head 0123456789ab"
