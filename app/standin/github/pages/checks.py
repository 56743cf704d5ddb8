"""The box under a conversation: each check with its icon and title, and the Merge button with what holds it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from app.standin.github.pages.frame import plural, run_path
from app.standin.github.pages.markdown import render_markdown
from app.standin.github.records import CheckRun, Status

_GREEN, _RED, _GREY, _YELLOW = "#1a7f37", "#cf222e", "#818b98", "#bf8700"
_TICK: Final = '<path d="M4.5 8.3l2.3 2.3 4.7-5" fill="none" stroke="#fff" stroke-width="1.8"/>'
_CROSS: Final = '<path d="M5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6" fill="none" stroke="#fff" stroke-width="1.8"/>'
_BAR: Final = '<path d="M4.5 8h7" fill="none" stroke="#fff" stroke-width="1.8"/>'
_DOT: Final = '<circle cx="8" cy="8" r="3" fill="#fff"/>'
_ICONS: Final[Mapping[str, tuple[str, str]]] = {
    "success": (_GREEN, _TICK),
    "failure": (_RED, _CROSS),
    "timed_out": (_RED, _CROSS),
    "startup_failure": (_RED, _CROSS),
    "error": (_RED, _CROSS),
    "action_required": (_RED, _BAR),
    "neutral": (_GREY, _BAR),
    "skipped": (_GREY, _BAR),
    "cancelled": (_GREY, _BAR),
    "stale": (_GREY, _BAR),
}


def render_icon(outcome: str, size: int = 16) -> str:
    """The sign of a conclusion; a yellow dot while there is none."""
    colour, sign = _ICONS.get(outcome, (_YELLOW, _DOT))
    name = escape(outcome.replace("_", " "))
    return (
        f'<svg class="icon" role="img" aria-label="{name}" width="{size}" height="{size}" viewBox="0 0 16 16">'
        f'<circle cx="8" cy="8" r="8" fill="{colour}"/>{sign}</svg>'
    )


def render_outcome(run: CheckRun) -> str:
    """ "failure" or "in progress", as text."""
    return escape((run.conclusion or run.status).replace("_", " "))


def render_checks(runs: Sequence[CheckRun], statuses: Sequence[Status], required: frozenset[str]) -> str:
    """A row for each check of a head, its summary folded below it. `required`: names that branch protection asks for."""
    rows = [_run(run, required) for run in runs]
    rows += [_status(status, required) for status in statuses]
    seen = {run.name for run in runs} | {status.context for status in statuses}
    rows += [_expected(name) for name in sorted(required - seen)]
    return "".join(rows) or '<div class="row quiet">No checks yet.</div>'


def _run(run: CheckRun, required: frozenset[str]) -> str:
    go = f'<a class="go" href="{run_path(run)}">Details</a>'
    notes = f" · {plural(len(run.annotations), 'annotation')}" if run.annotations else ""
    title = f'<div class="quiet">{escape(run.title)}{notes}</div>' if run.title else ""
    row = _row(
        run.conclusion or run.status, run.name, render_outcome(run), title + go, is_required=run.name in required
    )
    texts = "".join(render_markdown(text) for text in (run.summary, run.text) if text)
    return row + (f"<details><summary>Summary of {escape(run.name)}</summary>{texts}</details>" if texts else "")


def _status(status: Status, required: frozenset[str]) -> str:
    text = f'<div class="quiet">{escape(status.description or "")}</div>'
    return _row(status.state, status.context, escape(status.state), text, is_required=status.context in required)


def _expected(name: str) -> str:
    return _row("expected", name, "expected: waiting for it to be reported", "", is_required=True)


def _row(icon: str, name: str, outcome: str, more: str, *, is_required: bool) -> str:
    text, go, rest = more.partition('<a class="go"')
    required = ' <span class="chip">Required</span>' if is_required else ""
    what = f'<div class="what"><b>{escape(name)}</b> <span class="quiet">{outcome}</span>{required}{text}</div>'
    return f'<div class="row">{render_icon(icon)}{what}{go}{rest}</div>'


def render_merge(refusal: str | None) -> str:
    """The button as GitHub would show it; pages know no sign-in, so that merging itself goes through the API."""
    if refusal is None:
        why = (
            "<b>This branch can be merged</b>"
            "<span>Every required check passes, and nothing is in conflict. Merge it through the API.</span>"
        )
        button = '<button type="button" class="button">Merge pull request</button>'
    else:
        why = f"<b>Merging is blocked</b><span>{escape(refusal)}</span>"
        button = '<button type="button" class="button" disabled>Merge pull request</button>'
    icon = render_icon("success" if refusal is None else "failure", 24)
    return f'<div class="merge">{icon}<span class="why">{why}</span>{button}</div>'
