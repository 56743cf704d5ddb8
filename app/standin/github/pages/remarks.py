"""What checks annotate and people remark on lines: as boxes, by file and line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from html import escape
from typing import Final, TypeAlias

from app.standin.github.pages.frame import render_author, run_path
from app.standin.github.pages.markdown import render_markdown
from app.standin.github.records import CheckRun, Json, ReviewComment

#: path -> line after the change -> boxes
Remarks: TypeAlias = dict[str, dict[int, list[str]]]
_LEVELS: Final[Mapping[str, str]] = {"failure": "Failure", "warning": "Warning", "notice": "Notice"}


def find_remarks(runs: Iterable[CheckRun], comments: Iterable[ReviewComment] = ()) -> Remarks:
    """Annotations of all runs, then review comments, each under the last line that it means."""
    found: Remarks = defaultdict(lambda: defaultdict(list))
    for run in runs:
        for note in run.annotations:
            found[str(note["path"])][int(note["end_line"])].append(_annotation(run, note))
    for comment in comments:
        found[comment.path][comment.line].append(_review_comment(comment))
    return found


def _annotation(run: CheckRun, note: Json) -> str:
    level = str(note["annotation_level"])
    first, last = int(note["start_line"]), int(note["end_line"])
    where = f"line {first}" if first == last else f"lines {first} to {last}"
    title = f"<b>{escape(str(note['title']))}</b>" if note.get("title") else ""
    by = f'<a href="{run_path(run)}">{escape(run.name)}</a>'
    return (
        f'<div class="annotation {level if level in _LEVELS else "notice"}">'
        f'<div class="quiet">{_LEVELS.get(level, "Notice")} on {where} · {by}</div>{title}'
        f"<p>{escape(str(note['message']))}</p></div>"
    )


def _review_comment(comment: ReviewComment) -> str:
    return (
        f'<div class="annotation notice"><div>{render_author(comment.user)}</div>{render_markdown(comment.body)}</div>'
    )
