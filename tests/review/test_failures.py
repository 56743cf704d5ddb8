"""What people see where there is no verdict, word for word."""

from __future__ import annotations

import pytest

from app.effects import CheckOutput
from app.review.failures import observe_failure, render_given_up, render_superseded, render_waiting
from tests.effects.golden_files import assert_golden

WHY = "DataHub: could not be reached at https://datahub.internal (ConnectError)"


def show(output: CheckOutput) -> str:
    actions = [" / ".join(action) for action in output.actions]
    return "\n\n".join([output.conclusion, output.title, output.summary, "--- actions", *actions]) + "\n"


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("waiting", render_waiting(WHY, 120)),
        ("given_up", render_given_up(WHY)),
        ("bug", render_given_up("KeyError; the log of Tether says more", "bug")),
        ("observed_given_up", observe_failure(render_given_up(WHY))),
        ("superseded", render_superseded()),
    ],
)
def test_each_failure_word_for_word(name: str, output: CheckOutput) -> None:
    assert_golden(f"check_{name}.md", show(output))


@pytest.mark.parametrize("why", ["", "x\n# heading\n```\n@octocat <img src=x>", "é" * 5_000, "line\n" * 5_000])
def test_a_reason_is_shown_and_never_interpreted(why: str) -> None:
    for output in (render_waiting(why, 30), render_given_up(why), render_given_up(why, "bug")):
        assert len(output.title) <= 255
        assert len(output.summary.encode()) <= 65_535
        quoted = output.summary.split(":\n\n", 1)[1].split("\n\n")[0]
        assert all(line.startswith("    ") for line in quoted.splitlines())
