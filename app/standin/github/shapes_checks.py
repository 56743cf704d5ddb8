"""JSON of check runs, suites, annotations and commit statuses. Shapes: check-run, check-suite, status of OpenAPI."""

from __future__ import annotations

from urllib.parse import quote

from app.standin.github.git_objects import is_sha
from app.standin.github.records import CheckRun, CheckSuite, Json, RepoRecord, Status
from app.standin.github.shapes_accounts import account_json, app_json, node_id, repo_json, repo_url, repo_web, stamp
from app.standin.github.shapes_git import hook_commit_json
from app.standin.github.state import State

# From good to bad: a suite concludes as its worst run.
_ORDER = (
    "skipped",
    "neutral",
    "success",
    "cancelled",
    "stale",
    "action_required",
    "timed_out",
    "startup_failure",
    "failure",
)


def suite_state(state: State, suite: CheckSuite) -> tuple[str, str | None]:
    """(status, conclusion) of a suite, from the newest run of each name."""
    if suite.reset:
        return "queued", None
    runs = [run for run in state.latest_runs_on(suite.repo, suite.head_sha) if run.suite is suite]
    if not runs:
        return "queued", None
    if any(run.status != "completed" for run in runs):
        return ("in_progress" if any(run.status != "queued" for run in runs) else "queued"), None
    return "completed", max((str(run.conclusion) for run in runs), key=_ORDER.index)


def linked_pulls(state: State, suite: CheckSuite) -> list[Json]:
    """Open pull requests of this head inside the repository; empty for a fork's head, as on GitHub."""
    rows = []
    for pull in state.pulls_of(suite.repo):
        same = pull.head_repo_id == suite.repo.id
        if pull.state == "open" and pull.head_sha == suite.head_sha and same:
            short = {"id": suite.repo.id, "url": repo_url(state, suite.repo), "name": suite.repo.name}
            rows.append({
                "url": f"{repo_url(state, suite.repo)}/pulls/{pull.number}",
                "id": pull.id,
                "number": pull.number,
                "head": {"ref": pull.head_ref, "sha": pull.head_sha, "repo": short},
                "base": {"ref": pull.base_ref, "sha": pull.base_sha, "repo": short},
            })  # fmt: skip
    return rows


def run_json(state: State, run: CheckRun) -> Json:
    url = f"{repo_url(state, run.repo)}/check-runs/{run.id}"
    web = f"{repo_web(state, run.repo)}/runs/{run.id}"
    return {
        "id": run.id,
        "node_id": node_id("CR", run.id),
        "name": run.name,
        "head_sha": run.head_sha,
        "external_id": run.external_id,
        "url": url,
        "html_url": web,
        "details_url": run.details_url or web,
        "status": run.status,
        "conclusion": run.conclusion,
        "started_at": stamp(run.started_at),
        "completed_at": stamp(run.completed_at),
        "output": {
            "title": run.title,
            "summary": run.summary,
            "text": run.text,
            "annotations_count": len(run.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": run.suite.id},
        "app": app_json(state, run.app),
        "pull_requests": linked_pulls(state, run.suite),
    }


def hook_run_json(state: State, run: CheckRun) -> Json:
    """A check run as webhooks carry it: with its suite in full."""
    suite = suite_json(state, run.suite)
    kept = ("id", "node_id", "head_branch", "head_sha", "status", "conclusion", "url", "before", "after")
    more = ("pull_requests", "app", "created_at", "updated_at")
    return {**run_json(state, run), "check_suite": {name: suite[name] for name in (*kept, *more)}}


def suite_json(state: State, suite: CheckSuite) -> Json:
    status, conclusion = suite_state(state, suite)
    url = f"{repo_url(state, suite.repo)}/check-suites/{suite.id}"
    runs = [run for run in state.latest_runs_on(suite.repo, suite.head_sha) if run.suite is suite]
    commit = state.git(suite.repo).commit(suite.head_sha) if is_sha(suite.head_sha) else None
    return {
        "id": suite.id,
        "node_id": node_id("CS", suite.id),
        "head_branch": suite.head_branch,
        "head_sha": suite.head_sha,
        "status": status,
        "conclusion": conclusion,
        "url": url,
        "before": suite.before,
        "after": suite.head_sha,
        "pull_requests": linked_pulls(state, suite),
        "app": app_json(state, suite.app),
        "repository": repo_json(state, suite.repo),
        "created_at": stamp(suite.created_at),
        "updated_at": stamp(suite.updated_at),
        "rerequestable": True,
        "runs_rerequestable": True,
        "latest_check_runs_count": len(runs),
        "check_runs_url": f"{url}/check-runs",
        "head_commit": None if commit is None else hook_commit_json(commit),
    }


def annotation_json(state: State, run: CheckRun, annotation: Json) -> Json:
    path = quote(str(annotation["path"]))
    return {
        "path": annotation["path"],
        "blob_href": f"{repo_web(state, run.repo)}/blob/{run.head_sha}/{path}",
        "start_line": annotation["start_line"],
        "start_column": annotation.get("start_column"),
        "end_line": annotation["end_line"],
        "end_column": annotation.get("end_column"),
        "annotation_level": annotation["annotation_level"],
        "title": annotation.get("title"),
        "message": annotation["message"],
        "raw_details": annotation.get("raw_details"),
    }


def status_json(state: State, status: Status) -> Json:
    url = f"{repo_url(state, status.repo)}/statuses/{status.sha}"
    return {
        "url": url,
        "avatar_url": f"{state.web_url}/avatars/{status.creator.id}",
        "id": status.id,
        "node_id": node_id("SC", status.id),
        "state": status.state,
        "description": status.description,
        "target_url": status.target_url,
        "context": status.context,
        "created_at": stamp(status.created_at),
        "updated_at": stamp(status.created_at),
        "creator": account_json(state, status.creator),
    }


def combined_json(state: State, repo: RepoRecord, sha: str) -> Json:
    """The combined status: the newest of each context; pending when there is none."""
    latest: dict[str, Status] = {}
    for status in state.statuses_on(repo, sha):
        latest.setdefault(status.context, status)
    states = {status.state for status in latest.values()}
    worst = "failure" if states & {"failure", "error"} else "success" if states == {"success"} else "pending"
    url = f"{repo_url(state, repo)}/commits/{sha}"
    rows = []
    for status in latest.values():
        row = status_json(state, status)
        row.pop("creator")
        rows.append({**row, "required": False})
    return {
        "state": worst,
        "statuses": rows,
        "sha": sha,
        "total_count": len(rows),
        "repository": repo_json(state, repo),
        "commit_url": url,
        "url": f"{url}/status",
    }
