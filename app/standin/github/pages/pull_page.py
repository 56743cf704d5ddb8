"""A pull request: what was said, what its checks came to, whether it may be merged, and its files with remarks on lines."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from html import escape

from app.standin.github.git_diff import Change, commits_between, find_changes
from app.standin.github.merging import find_refusal, pull_base
from app.standin.github.pages.checks import render_checks, render_merge
from app.standin.github.pages.diff import render_diff, render_excerpt
from app.standin.github.pages.frame import plural, render_author, render_face, render_page, render_time
from app.standin.github.pages.markdown import render_markdown
from app.standin.github.pages.remarks import find_remarks
from app.standin.github.pages.texts import fetch_lines
from app.standin.github.records import Account, CheckRun, PullRecord, Status
from app.standin.github.routing import Reply
from app.standin.github.state import State


def render_pull_page(state: State, pull: PullRecord) -> Reply:
    runs = state.latest_runs_on(pull.repo, pull.head_sha)
    git = state.git(pull.repo)
    changes = find_changes(git, pull_base(state, pull), pull.head_sha, patch_bytes=state.limits.patch_bytes)
    parts = [_head(state, pull, len(changes))]
    parts += [_render_post(pull.user, pull.created_at, pull.body or "*No description.*")]
    parts += [_render_post(talk.user, talk.created_at, talk.body) for talk in state.comments_on(pull.repo, pull.number)]
    parts += [_checks(state, pull, runs), *_files(state, pull, runs, changes)]
    return render_page(f"{pull.title} #{pull.number}", pull.repo, parts)


def _head(state: State, pull: PullRecord, files: int) -> str:
    how = "merged" if pull.merged_at is not None else "draft" if pull.draft and pull.state == "open" else pull.state
    commits = len(commits_between(state.git(pull.repo), pull.base_sha, pull.head_sha))
    asks = "merged" if how == "merged" else "wants to merge"
    source = pull.head_ref if pull.head_owner is pull.repo.owner else f"{pull.head_owner.login}:{pull.head_ref}"
    sentence = (
        f"{render_author(pull.user)} {asks} {plural(commits, 'commit')} in {plural(files, 'file')} "
        f'into <code class="ref">{escape(pull.base_ref)}</code> from <code class="ref">{escape(source)}</code>'
    )
    return (
        f'<div class="head"><h1>{escape(pull.title)} <small>#{pull.number}</small></h1>'
        f'<p><span class="pill {how}">{how.capitalize()}</span><span class="quiet">{sentence}</span></p></div>'
    )


def _render_post(who: Account, when: datetime, text: str) -> str:
    bar = f'<div class="bar"><span>{render_author(who)} commented</span>{render_time(when)}</div>'
    box = f'<div class="box">{bar}<div class="inner">{render_markdown(text)}</div></div>'
    return f'<article class="comment">{render_face(who)}{box}</article>'


def _checks(state: State, pull: PullRecord, runs: list[CheckRun]) -> str:
    protection = pull.repo.protections.get(pull.base_ref)
    required = frozenset(check.context for check in protection.checks) if protection is not None else frozenset()
    newest: dict[str, Status] = {}
    for status in state.statuses_on(pull.repo, pull.head_sha):
        newest.setdefault(status.context, status)
    rows = render_checks(runs, list(newest.values()), required)
    merge = render_merge(find_refusal(state, pull)) if pull.state == "open" else ""
    return f'<section class="box checks" id="checks"><div class="bar"><b>Checks</b></div>{rows}{merge}</section>'


def _files(state: State, pull: PullRecord, runs: list[CheckRun], changes: list[Change]) -> Iterator[str]:
    """The diff; after it, lines of other files that a check annotated."""
    comments = [
        talk for talk in list(state.review_comments.values()) if talk.repo is pull.repo and talk.number == pull.number
    ]
    remarks = find_remarks(runs, comments)
    yield f'<h2 id="files">Files changed <span class="chip">{len(changes)}</span></h2>'
    for change in changes:
        yield render_diff(pull.repo, pull.head_sha, change, remarks.pop(change.path, {}))
    if remarks:
        yield "<h2>Annotations on files that were not changed</h2>"
    for path, notes in remarks.items():
        lines = fetch_lines(state.git(pull.repo), pull.head_sha, path) or []
        yield render_excerpt(pull.repo, pull.head_sha, path, lines, notes)
