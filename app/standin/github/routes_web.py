"""A plain page for a pull request, a check run and a file, so that the links in answers lead somewhere in a demo.

Off unless the server was asked for them: pages know no sign-in, so they show private repositories to whoever reaches the
port. Everything from git, Apps and people is escaped and shown as text; Markdown is not rendered.
"""

from __future__ import annotations

import html
from collections.abc import Iterable

from app.standin.github.errors import not_found
from app.standin.github.merging import outcome
from app.standin.github.records import CheckRun, Pull, Repo
from app.standin.github.routing import Call, Endpoint, Reply
from app.standin.github.shapes_accounts import stamp

_STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1f2328}
pre{white-space:pre-wrap;background:#f6f8fa;padding:.8rem;border-radius:6px;overflow-wrap:anywhere}
h1 small{color:#59636e;font-weight:400}.bad{color:#d1242f}.good{color:#1a7f37}.wait{color:#9a6700}
a{color:#0969da}:target{background:#fff8c5}"""
_GOOD = {"success", "neutral", "skipped"}


def _page(title: str, parts: Iterable[str]) -> Reply:
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{html.escape(title)}</title>'
    body = "\n".join([head, f"<style>{_STYLE}</style>", *parts, "</html>"])
    policy = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
    return Reply(body.encode(errors="replace"), headers=policy, media_type="text/html; charset=utf-8")


def _repo(call: Call) -> Repo:
    repo = call.state.find_repo(str(call.params["owner"]), str(call.params["repo"])) if call.state.pages else None
    if repo is None:
        raise not_found()
    return repo


def _pull(call: Call) -> Reply:
    repo = _repo(call)
    pull = call.state.pull(repo, call.number("number"))
    state = "merged" if pull.merged_at is not None else pull.state
    title = f"{html.escape(pull.title)} <small>#{pull.number}, {state}</small>"
    heads = f"{pull.head_owner.login}:{pull.head_ref} at {pull.head_sha[:9]} into {pull.base_ref}"
    runs = [_run_line(call, run) for run in call.state.latest_runs_on(repo, pull.head_sha)]
    comments = [
        f"<h3>{html.escape(comment.user.login)}, {stamp(comment.created_at)}</h3><pre>{html.escape(comment.body)}</pre>"
        for comment in call.state.comments_on(repo, pull.number)
    ]
    parts = [f"<p>{html.escape(repo.full_name)}</p><h1>{title}</h1><p>{html.escape(heads)}</p>"]
    parts += [f"<pre>{html.escape(pull.body)}</pre>"] if pull.body else []
    parts += ["<h2>Checks</h2>", *(runs or ["<p>none yet</p>"]), *_required(call, pull)]
    return _page(f"{pull.title} #{pull.number}", [*parts, "<h2>Comments</h2>", *(comments or ["<p>none</p>"])])


def _required(call: Call, pull: Pull) -> list[str]:
    """What branch protection says about merging now."""
    protection = pull.repo.protections.get(pull.base_ref)
    if protection is None or pull.state == "closed":
        return []
    rows = [(check.context, outcome(call.state, pull, check)) for check in protection.checks]
    return [f"<p>Required check <b>{html.escape(name)}</b> {how}.</p>" for name, how in rows]


def _run_line(call: Call, run: CheckRun) -> str:
    kind = "wait" if run.conclusion is None else "good" if run.conclusion in _GOOD else "bad"
    link = f"{call.state.web_url}/{run.repo.full_name}/runs/{run.id}"
    what = html.escape(f"{run.name}: {run.conclusion or run.status}")
    return f'<p class="{kind}"><a href="{link}">{what}</a> {html.escape(run.title or "")}</p>'


def _run(call: Call) -> Reply:
    repo = _repo(call)
    run = call.state.runs.get(call.number("id"))
    if run is None or run.repo is not repo:
        raise not_found()
    texts = [f"<pre>{html.escape(text)}</pre>" for text in (run.summary, run.text) if text]
    notes = [
        f"<h3>{html.escape(str(note['path']))}:{note['start_line']} {note['annotation_level']}</h3>"
        f"<pre>{html.escape(str(note['message']))}</pre>"
        for note in run.annotations
    ]
    annotations = ["<h2>Annotations</h2>", *notes] if notes else []
    heading = f"<h1>{html.escape(run.title or run.name)}</h1>{_run_line(call, run)}<p>{run.head_sha}</p>"
    return _page(run.name, [heading, *texts, *annotations])


def _blob(call: Call) -> Reply:
    """A file at a commit or branch; every line has the anchor that links to lines use (#L12)."""
    repo = _repo(call)
    git, path = call.state.git(repo), str(call.params["path"])
    sha = git.resolve(str(call.params["ref"]))
    entry = git.entry(sha, path) if sha is not None else None
    if entry is None or entry.type != "blob":
        raise not_found()
    lines = git.blob(entry.sha).decode(errors="replace").splitlines()
    shown = "\n".join(f'<span id="L{n}">{n:5}  {html.escape(line)}</span>' for n, line in enumerate(lines, 1))
    return _page(
        path, [f"<h1>{html.escape(path)} <small>{html.escape(str(sha)[:9])}</small></h1>", f"<pre>{shown}</pre>"]
    )


ENDPOINTS = (
    Endpoint("GET", "/{owner}/{repo}/pull/{number:int}", _pull, audience="anyone"),
    Endpoint("GET", "/{owner}/{repo}/runs/{id:int}", _run, audience="anyone"),
    Endpoint("GET", "/{owner}/{repo}/blob/{ref}/{path:path}", _blob, audience="anyone"),
)
