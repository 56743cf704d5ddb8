"""Where links in answers lead in a demo: the pages of a pull request, a check run and a file.

Off unless the server was asked for them: pages know no sign-in, so they show private repositories to whoever reaches the
port. What they show and how hostile text is kept text: `app/standin/github/pages/`.
"""

from __future__ import annotations

from app.standin.github.errors import not_found
from app.standin.github.pages import render_file_page, render_pull_page, render_run_page
from app.standin.github.pages.texts import fetch_lines
from app.standin.github.records import RepoRecord
from app.standin.github.routing import Endpoint, Reply, RestCall


def _repo(call: RestCall) -> RepoRecord:
    repo = call.state.find_repo(str(call.params["owner"]), str(call.params["repo"])) if call.state.pages else None
    if repo is None:
        raise not_found()
    return repo


def _pull(call: RestCall) -> Reply:
    return render_pull_page(call.state, call.state.pull(_repo(call), call.number("number")))


def _run(call: RestCall) -> Reply:
    repo = _repo(call)
    run = call.state.runs.get(call.number("id"))
    if run is None or run.repo is not repo:
        raise not_found()
    return render_run_page(call.state, run)


def _blob(call: RestCall) -> Reply:
    repo, path = _repo(call), str(call.params["path"])
    git = call.state.git(repo)
    sha = git.resolve(str(call.params["ref"]))
    lines = fetch_lines(git, sha, path) if sha is not None else None
    if sha is None or lines is None:
        raise not_found()
    return render_file_page(repo, sha, path, lines)


ENDPOINTS = (
    Endpoint("GET", "/{owner}/{repo}/pull/{number:int}", _pull, audience="anyone"),
    Endpoint("GET", "/{owner}/{repo}/runs/{id:int}", _run, audience="anyone"),
    Endpoint("GET", "/{owner}/{repo}/blob/{ref}/{path:path}", _blob, audience="anyone"),
)
