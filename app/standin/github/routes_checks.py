"""Endpoints of check runs, check suites and commit statuses."""

from __future__ import annotations

from app.standin.github import checking
from app.standin.github.auth import InstallationCaller
from app.standin.github.errors import GitHubError, invalid, not_found
from app.standin.github.git_objects import is_sha
from app.standin.github.limits import STATUSES_PER_CONTEXT, check_run_body, check_status_body
from app.standin.github.records import AppRecord, CheckRun, CheckSuite, Status
from app.standin.github.routes_git import resolve
from app.standin.github.routing import Endpoint, Reply, RestCall, paged
from app.standin.github.shapes_checks import annotation_json, combined_json, run_json, status_json, suite_json


def _writing_app(call: RestCall) -> AppRecord:
    """Only an App may write checks; a user's token is told so."""
    if not isinstance(call.caller, InstallationCaller):
        raise GitHubError(403, "You must authenticate via a GitHub App.")
    return call.caller.installation.app


def _run(call: RestCall) -> CheckRun:
    found = call.state.runs.get(call.number("id"))
    if found is None or found.repo is not call.repo:
        raise not_found()
    return found


def _create(call: RestCall) -> Reply:
    app = _writing_app(call)
    check_run_body(call.body, creating=True)
    sha = call.body["head_sha"]
    if not is_sha(sha) or call.state.git(call.repo).type_of(sha) != "commit":
        raise GitHubError(422, f"No commit found for SHA: {sha}")
    run = checking.create_run(call.state, call.events, checking.Posted(app, call.repo, call.body))
    return Reply(run_json(call.state, run), 201)


def _update(call: RestCall) -> Reply:
    app, run = _writing_app(call), _run(call)
    if run.app is not app:
        message = "check run can only be modified by the GitHub App that created it"
        raise GitHubError(403, f"Invalid app_id `{app.id}` - {message}.")
    check_run_body(call.body, creating=False)
    checking.update_run(call.state, call.events, run, call.body)
    return Reply(run_json(call.state, run))


def _get(call: RestCall) -> Reply:
    return Reply(run_json(call.state, _run(call)))


def _annotations(call: RestCall) -> Reply:
    run = _run(call)
    return paged(call, run.annotations, lambda annotation: annotation_json(call.state, run, annotation))


def _runs_of_ref(call: RestCall) -> Reply:
    sha = resolve(call, str(call.params["ref"]))
    return _listed(call, call.state.latest_runs_on(call.repo, sha), call.state.runs_on(call.repo, sha))


def _runs_of_suite(call: RestCall) -> Reply:
    suite = _suite(call)
    latest = [run for run in call.state.latest_runs_on(call.repo, suite.head_sha) if run.suite is suite]
    return _listed(call, latest, [run for run in call.state.runs_on(call.repo, suite.head_sha) if run.suite is suite])


def _listed(call: RestCall, latest: list[CheckRun], every: list[CheckRun]) -> Reply:
    query = call.query
    runs = every if query.get("filter") == "all" else latest
    chosen = [
        run
        for run in runs
        if query.get("check_name") in (None, run.name)
        and query.get("status") in (None, run.status)
        and query.get("app_id") in (None, str(run.app.id))
    ]
    return paged(call, chosen, lambda run: run_json(call.state, run), "check_runs")


def _rerequest(call: RestCall) -> Reply:
    _writing_app(call)
    checking.rerequest_run(call.state, call.events, _run(call), call.actor)
    return Reply({}, 201)


def _suite(call: RestCall) -> CheckSuite:
    found = call.state.suites.get(call.number("id"))
    if found is None or found.repo is not call.repo:
        raise not_found()
    return found


def _get_suite(call: RestCall) -> Reply:
    return Reply(suite_json(call.state, _suite(call)))


def _rerequest_suite(call: RestCall) -> Reply:
    _writing_app(call)
    checking.rerequest_suite(call.state, call.events, _suite(call), call.actor)
    return Reply({}, 201)


def _suites_of_ref(call: RestCall) -> Reply:
    sha, query = resolve(call, str(call.params["ref"])), call.query
    found = [s for s in list(call.state.suites.values()) if s.repo is call.repo and s.head_sha == sha]
    found = [suite for suite in found if query.get("app_id") in (None, str(suite.app.id))]
    name = query.get("check_name")
    if name is not None:
        having = {run.suite.id for run in call.state.runs_on(call.repo, sha) if run.name == name}
        found = [suite for suite in found if suite.id in having]
    return paged(call, found, lambda suite: suite_json(call.state, suite), "check_suites")


def _post_status(call: RestCall) -> Reply:
    check_status_body(call.body)
    sha, body = str(call.params["sha"]), call.body
    if not is_sha(sha) or call.state.git(call.repo).type_of(sha) != "commit":
        raise GitHubError(422, f"No commit found for SHA: {sha}")
    context = body.get("context") or "default"
    if sum(1 for s in call.state.statuses_on(call.repo, sha) if s.context == context) >= STATUSES_PER_CONTEXT:
        message = "This SHA and context has reached the maximum number of statuses."
        raise invalid("Status", "context", "custom", message)
    status = Status(
        call.state.next_id("status"),
        call.repo,
        sha,
        body["state"],
        context,
        body.get("description"),
        body.get("target_url"),
        call.actor,
        call.state.now(),
        call.via_app,
    )
    call.state.statuses[status.id] = status
    call.events.status(status)
    return Reply(status_json(call.state, status), 201)


def _combined(call: RestCall) -> Reply:
    return Reply(combined_json(call.state, call.repo, resolve(call, str(call.params["ref"]))))


def _statuses(call: RestCall) -> Reply:
    sha = resolve(call, str(call.params["ref"]))
    return paged(call, call.state.statuses_on(call.repo, sha), lambda status: status_json(call.state, status))


_R = "/repos/{owner}/{repo}"
_READ, _WRITE = ("checks=read",), ("checks=write",)
ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint("POST", f"{_R}/check-runs", _create, _WRITE),
    Endpoint("GET", f"{_R}/check-runs/{{id:int}}", _get, _READ),
    Endpoint("PATCH", f"{_R}/check-runs/{{id:int}}", _update, _WRITE),
    Endpoint("GET", f"{_R}/check-runs/{{id:int}}/annotations", _annotations, _READ),
    Endpoint("POST", f"{_R}/check-runs/{{id:int}}/rerequest", _rerequest, _WRITE),
    Endpoint("GET", f"{_R}/check-suites/{{id:int}}", _get_suite, _READ),
    Endpoint("GET", f"{_R}/check-suites/{{id:int}}/check-runs", _runs_of_suite, _READ),
    Endpoint("POST", f"{_R}/check-suites/{{id:int}}/rerequest", _rerequest_suite, _WRITE),
    Endpoint("GET", f"{_R}/commits/{{ref:path}}/check-runs", _runs_of_ref, _READ),
    Endpoint("GET", f"{_R}/commits/{{ref:path}}/check-suites", _suites_of_ref, _READ),
    Endpoint("GET", f"{_R}/commits/{{ref:path}}/status", _combined, ("statuses=read",)),
    Endpoint("GET", f"{_R}/commits/{{ref:path}}/statuses", _statuses, ("statuses=read",)),
    Endpoint("POST", f"{_R}/statuses/{{sha}}", _post_status, ("statuses=write",)),
)
