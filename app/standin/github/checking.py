"""What happens to check runs and suites, with the events that follow. Bodies were checked by `limits` before.

Annotations are appended by every request; giving a conclusion completes a run; a run goes back to work when its App says
so. Asking for a re-run resets the suite, never the run: the App must update or create one.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from app.standin.github.errors import GitHubError, malformed
from app.standin.github.events import Events
from app.standin.github.pushing import find_suite
from app.standin.github.records import Account, AppRecord, CheckRun, CheckSuite, Json, RepoRecord
from app.standin.github.shapes_checks import suite_state
from app.standin.github.state import State

RUNS_PER_NAME = 1_000


@dataclass(frozen=True, slots=True)
class Posted:
    """A request to create a check run."""

    app: AppRecord
    repo: RepoRecord
    body: Json


def create_run(state: State, events: Events, posted: Posted) -> CheckRun:
    """A new run, also when there is one of that name already: GitHub has no idempotency key."""
    body = posted.body
    suite = find_suite(state, posted.app, posted.repo, body["head_sha"])
    run = CheckRun(
        id=state.next_id("run"),
        suite=suite,
        name=body["name"],
        status="queued",
        conclusion=None,
        started_at=state.now(),
        completed_at=None,
        details_url=None,
        external_id="",
    )
    _apply(state, run, body)
    state.runs[run.id] = run
    _forget_oldest(state, run)
    suite.reset = False
    suite.updated_at = state.now()
    events.check_run("created", run, posted.app.bot)
    _announce_completion(state, events, run, "")
    return run


def update_run(state: State, events: Events, run: CheckRun, body: Json) -> None:
    """Change what the body names; nothing else."""
    before = run.status
    _apply(state, run, body)
    run.suite.reset = False
    run.suite.updated_at = state.now()
    _announce_completion(state, events, run, before)


def _apply(state: State, run: CheckRun, body: Json) -> None:
    times = {key: _time(key, body[key]) for key in ("started_at", "completed_at") if key in body}
    run.name = body.get("name", run.name)
    run.details_url = body.get("details_url", run.details_url)
    run.external_id = body.get("external_id", run.external_id)
    run.started_at = times.get("started_at", run.started_at)
    if "conclusion" in body:
        run.status, run.conclusion = "completed", body["conclusion"]
        run.completed_at = times.get("completed_at", state.now())
    elif "status" in body:
        run.status, run.conclusion, run.completed_at = body["status"], None, None
    if "output" in body:
        output = body["output"]
        run.title = output.get("title", run.title)
        run.summary = output["summary"]
        run.text = output.get("text", run.text)
        run.annotations += output.get("annotations", [])
    if "actions" in body:
        run.actions = list(body["actions"])


def _time(key: str, text: str) -> datetime:
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError as error:
        raise malformed(f"{key}: {text} is not a valid date-time.") from error
    return parsed.astimezone(UTC) if parsed.tzinfo is not None else parsed.replace(tzinfo=UTC)


def _forget_oldest(state: State, run: CheckRun) -> None:
    same = [
        other for other in state.runs_on(run.repo, run.head_sha) if (other.suite, other.name) == (run.suite, run.name)
    ]
    for old in same[RUNS_PER_NAME:]:
        del state.runs[old.id]


def _announce_completion(state: State, events: Events, run: CheckRun, before: str) -> None:
    if run.status == "completed" and before != "completed":
        events.check_run("completed", run, run.app.bot)
        if suite_state(state, run.suite)[0] == "completed":
            events.check_suite("completed", run.suite, run.app.bot)


def rerequest_run(state: State, events: Events, run: CheckRun, sender: Account) -> None:
    """ "Re-run" was pressed: the suite is reset, the owning App is told."""
    if run.status != "completed":
        raise GitHubError(422, "This check run is not rerequestable")
    run.suite.reset, run.suite.updated_at = True, state.now()
    events.check_run("rerequested", run, sender)


def rerequest_suite(state: State, events: Events, suite: CheckSuite, sender: Account) -> None:
    """ "Re-run all checks" was pressed."""
    suite.reset, suite.updated_at = True, state.now()
    events.check_suite("rerequested", suite, sender)


def press_action(events: Events, run: CheckRun, identifier: str, sender: Account) -> None:
    """One of the run's buttons was pressed; they are only there when the run is completed."""
    if run.status != "completed" or identifier not in {action["identifier"] for action in run.actions}:
        raise GitHubError(422, f"The check run {run.id} shows no button {identifier!r}")
    events.check_run("requested_action", run, sender, requested_action={"identifier": identifier})
