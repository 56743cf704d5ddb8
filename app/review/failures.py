"""What a check run says when its review did not come to a verdict. Plain sentences, cut to GitHub's sizes."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

from app.effects import CheckOutput

#: what a review failed by: something that was foreseen (GitHub or the catalog away, a refused token), or a bug of Tether's
Cause: TypeAlias = Literal["outside", "bug"]
#: GitHub refuses longer ones with 422, which would leave the check run in progress
MAX_TITLE = 255
MAX_WHY = 2_000
RECHECK = ("Re-check", "Review this head again", "recheck")


def render_waiting(why: str, retry_in: float) -> CheckOutput:
    """Red, because nothing was proven safe; `retry_in` in seconds."""
    return CheckOutput(
        "failure",
        _title(f"Not checked yet: retrying in {_span(retry_in)}"),
        f"Tether could not finish this review:\n\n{_quote(why)}\n\nIt tries again in {_span(retry_in)} and then updates this "
        "check. The check stays red until then, because a change that nobody checked is never shown as safe.",
        actions=(RECHECK,),
    )


def render_given_up(why: str, cause: Cause = "outside") -> CheckOutput:
    """Nobody tries again: something outside has to be repaired first, or Tether itself."""
    if cause == "bug":
        return CheckOutput(
            "failure",
            "Internal error (a bug in Tether): this change was not checked",
            f"Tether met an error that it did not foresee:\n\n{_quote(why)}\n\n"
            "That is a bug in Tether and says nothing about your change. The check stays red, because a change that nobody "
            "checked is never shown as safe. Press **Re-run** to try once more. If it ends like this again, tell whoever runs "
            "Tether, who finds the job among the dead letters of `/admin/health`.",
            actions=(RECHECK,),
        )
    return CheckOutput(
        "failure",
        "Not checked: the review failed; re-run it once the cause is repaired",
        f"Tether could not finish this review, and it does not try again by itself:\n\n{_quote(why)}\n\n"
        "Once the cause is repaired, press **Re-run** (or **Re-check**) on this check, or push again. Whoever runs Tether finds "
        "the job among the dead letters of `/admin/health`.",
        actions=(RECHECK,),
    )


def observe_failure(output: CheckOutput) -> CheckOutput:
    """The same under `mode: observe`: nothing blocks, not even what could not be judged."""
    lead = "`mode: observe` in `.tether.yml`: nothing blocks. Enforced, this check would be red:\n\n"
    title = _title(f"Observing only; this would fail: {output.title}")
    return replace(output, conclusion="neutral", title=title, summary=lead + output.summary)


def render_superseded() -> CheckOutput:
    return CheckOutput(
        "cancelled",
        "Superseded: this commit is no longer the head of an open pull request",
        "A newer commit was pushed, or the pull request was closed, before the review of this commit finished.",
    )


def _title(text: str) -> str:
    return text[:MAX_TITLE]


def _quote(why: str) -> str:
    """As an indented block: whatever the reason quotes, it is shown and never interpreted."""
    lines = why[:MAX_WHY].splitlines() or ["(no reason was given)"]
    return "\n".join(f"    {line}" for line in lines)


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} seconds"
    minutes = round(seconds / 60)
    return f"{minutes} minutes" if minutes < 120 else f"{round(minutes / 60)} hours"
