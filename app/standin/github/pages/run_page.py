"""A check run: its conclusion, what it says, its buttons, and its annotations beside the lines they mean."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from app.standin.github.pages.checks import render_icon, render_outcome
from app.standin.github.pages.diff import render_excerpt
from app.standin.github.pages.frame import plural, render_page, render_time
from app.standin.github.pages.markdown import render_markdown
from app.standin.github.pages.remarks import find_remarks
from app.standin.github.pages.texts import fetch_lines
from app.standin.github.records import CheckRun
from app.standin.github.routing import Reply
from app.standin.github.state import State


def render_run_page(state: State, run: CheckRun) -> Reply:
    parts = [_head(run), *_pulls(state, run), *_summary(run), *_buttons(run), *_annotations(state, run)]
    return render_page(f"{run.name}: {run.title or run.conclusion or run.status}", run.repo, parts)


def _head(run: CheckRun) -> str:
    when = f" · {render_time(run.completed_at)}" if run.completed_at is not None else ""
    took = ""
    if run.started_at is not None and run.completed_at is not None:
        took = f" · took {plural(int((run.completed_at - run.started_at).total_seconds()), 'second')}"
    what = f"<b>{escape(run.name)}</b> {render_outcome(run)} on <code>{run.head_sha[:12]}</code>{when}{took}"
    icon = render_icon(run.conclusion or run.status, 22)
    return f'<div class="head"><h1>{icon} {escape(run.title or run.name)}</h1><p class="quiet"><span>{what}</span></p></div>'


def _pulls(state: State, run: CheckRun) -> Iterator[str]:
    for pull in state.pulls_of(run.repo):
        if pull.head_sha == run.head_sha:
            link = escape(f"/{run.repo.full_name}/pull/{pull.number}")
            yield f'<p>Pull request <a href="{link}">#{pull.number} {escape(pull.title)}</a></p>'


def _summary(run: CheckRun) -> Iterator[str]:
    texts = [render_markdown(text) for text in (run.summary, run.text) if text]
    if texts:
        yield f'<section class="box"><div class="inner">{"".join(texts)}</div></section>'


def _buttons(run: CheckRun) -> Iterator[str]:
    """What the App offers; pressing one goes through the stand-in's controls."""
    if run.actions:
        yield "<h2>Actions</h2><p>"
        for action in run.actions:
            label, why = escape(str(action["label"])), escape(str(action["description"]))
            yield f'<button type="button" class="button plain" title="{why}">{label}</button> '
        yield "</p>"


def _annotations(state: State, run: CheckRun) -> Iterator[str]:
    remarks = find_remarks([run])
    if remarks:
        yield f'<h2>Annotations <span class="chip">{len(run.annotations)}</span></h2>'
    for path, notes in remarks.items():
        lines = fetch_lines(state.git(run.repo), run.head_sha, path) or []
        yield render_excerpt(run.repo, run.head_sha, path, lines, notes)
