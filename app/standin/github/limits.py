"""What GitHub refuses in a body, in GitHub's words: check runs, comments, commit statuses. Raises 422 `GitHubError`s.

Sources: the OpenAPI description (50 annotations, 3 actions, lengths, permitted values); "exceeds a maximum bytesize of
65535" counts bytes although documented as characters; 255 for a title and 65,536 for a comment are observed limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.standin.github.errors import GitHubError, invalid, malformed
from app.standin.github.records import Json

ANNOTATIONS_PER_REQUEST, ACTIONS, OUTPUT_BYTES, TITLE_CHARS = 50, 3, 65_535, 255
ACTION_CHARS = {"label": 20, "description": 40, "identifier": 20}
ANNOTATION_BYTES, COMMENT_CHARS, DESCRIPTION_CHARS, STATUSES_PER_CONTEXT = 65_536, 65_536, 140, 1_000
STATUSES = ("queued", "in_progress", "completed")
OTHER_STATUSES = ("waiting", "requested", "pending")
CONCLUSIONS = ("success", "failure", "neutral", "cancelled", "skipped", "timed_out", "action_required")
_RUN_TEXTS = ("name", "head_sha", "details_url", "external_id", "status", "started_at", "conclusion", "completed_at")
_ANNOTATION_KEYS = {
    "path": str, "start_line": int, "end_line": int, "start_column": int, "end_column": int,
    "annotation_level": str, "message": str, "title": str, "raw_details": str,
}  # fmt: skip
_ANNOTATION_REQUIRED = ("path", "start_line", "end_line", "annotation_level", "message")


def check_run_body(body: Json, *, creating: bool) -> None:
    """Refuse what `POST` (creating) or `PATCH` check-runs refuses."""
    _permitted(body, (*_RUN_TEXTS, "output", "actions") if creating else tuple(_permitted_in_update()))
    if creating:
        _supplied(body, ("name", "head_sha"))
    for key in _RUN_TEXTS:
        if key in body and not isinstance(body[key], str):
            raise malformed(f"For 'properties/{key}', {_ruby(body[key])} is not a string.")
    _status_and_conclusion(body)
    if "details_url" in body and not body["details_url"].startswith(("http://", "https://")):
        raise invalid("CheckRun", "details_url", "custom", "details_url must use http or https scheme")
    if "output" in body:
        _output(_object(body["output"], "output"), creating=creating)
    if "actions" in body:
        _actions(body["actions"])


def _permitted_in_update() -> Iterable[str]:
    return (*(key for key in _RUN_TEXTS if key != "head_sha"), "output", "actions")


def _status_and_conclusion(body: Json) -> None:
    status, conclusion = body.get("status"), body.get("conclusion")
    if status is not None and status not in STATUSES:
        if status in OTHER_STATUSES:
            raise GitHubError(422, f"Invalid request.\n\n{status} can only be set by GitHub Actions.")
        raise malformed(f"{status} is not a member of {_members(STATUSES)}.")
    if conclusion is not None and conclusion not in CONCLUSIONS:
        raise malformed(f"{conclusion} is not a member of {_members(CONCLUSIONS)}.")
    if status == "completed" and conclusion is None:
        raise malformed('"conclusion" wasn\'t supplied.')


def _output(output: Json, *, creating: bool) -> None:
    _permitted(output, ("title", "summary", "text", "annotations", "images", "annotations_count", "annotations_url"))
    _supplied(output, ("title", "summary") if creating else ("summary",))
    for key in ("title", "summary", "text"):
        if key in output and not isinstance(output[key], str):
            raise malformed(f"For 'properties/{key}', {_ruby(output[key])} is not a string.")
    if len(output.get("title", "")) > TITLE_CHARS:
        raise invalid("CheckRun", "title", "custom", f"title is too long (maximum is {TITLE_CHARS} characters)")
    for key in ("summary", "text"):
        if len(output.get(key, "").encode()) > OUTPUT_BYTES:
            raise invalid("CheckRun", key, "custom", f"{key} exceeds a maximum bytesize of {OUTPUT_BYTES}")
    annotations = _array(output.get("annotations", []), "annotations", ANNOTATIONS_PER_REQUEST)
    for annotation in annotations:
        _annotation(_object(annotation, "annotation"))


def _annotation(annotation: Json) -> None:
    _permitted(annotation, tuple(_ANNOTATION_KEYS))
    _supplied(annotation, _ANNOTATION_REQUIRED)
    for key, value in annotation.items():
        expected = _ANNOTATION_KEYS[key]
        if not isinstance(value, expected) or isinstance(value, bool):
            kind = "an integer" if expected is int else "a string"
            raise malformed(f"For 'properties/{key}', {_ruby(value)} is not {kind}.")
    levels = ("notice", "warning", "failure")
    if annotation["annotation_level"] not in levels:
        raise malformed(f"{annotation['annotation_level']} is not a member of {_members(levels)}.")
    one_line = annotation["start_line"] == annotation["end_line"]
    if annotation["start_line"] > annotation["end_line"]:
        raise invalid("CheckAnnotation", "end_line", "custom", "end_line must not be before start_line")
    if not one_line and ("start_column" in annotation or "end_column" in annotation):
        raise invalid("CheckAnnotation", "start_column", "custom", "columns are only supported on a single line")
    for key in ("message", "raw_details"):
        if len(annotation.get(key, "").encode()) > ANNOTATION_BYTES:
            raise invalid("CheckAnnotation", key, "custom", f"{key} exceeds a maximum bytesize of {ANNOTATION_BYTES}")
    if len(annotation.get("title", "")) > TITLE_CHARS:
        raise malformed(f"Only {TITLE_CHARS} characters are allowed; {len(annotation['title'])} were supplied.")


def _actions(actions: object) -> None:
    for entry in _array(actions, "actions", ACTIONS):
        action = _object(entry, "action")
        _permitted(action, tuple(ACTION_CHARS))
        _supplied(action, tuple(ACTION_CHARS))
        for key, most in ACTION_CHARS.items():
            if not isinstance(action[key], str):
                raise malformed(f"For 'properties/{key}', {_ruby(action[key])} is not a string.")
            if len(action[key]) > most:
                raise malformed(f"Only {most} characters are allowed; {len(action[key])} were supplied.")


def check_comment_body(body: Json) -> str:
    """The comment's text; refused when missing, blank or too long."""
    text = body.get("body")
    if not isinstance(text, str):
        raise malformed('"body" wasn\'t supplied.' if text is None else f"{_ruby(text)} is not a string.")
    if not text.strip():
        raise invalid("IssueComment", "data", "unprocessable", "Body cannot be blank")
    if len(text) > COMMENT_CHARS:
        raise invalid(
            "IssueComment", "data", "unprocessable", f"Body is too long (maximum is {COMMENT_CHARS} characters)"
        )
    return text


def check_status_body(body: Json) -> None:
    """Refuse what `POST statuses/{sha}` refuses."""
    _permitted(body, ("state", "target_url", "description", "context"))
    _supplied(body, ("state",))
    states = ("error", "failure", "pending", "success")
    if body["state"] not in states:
        raise invalid("Status", "state", "custom", "state is not included in the list")
    for key in ("target_url", "description", "context"):
        if body.get(key) is not None and not isinstance(body[key], str):
            raise malformed(f"For 'properties/{key}', {_ruby(body[key])} is not a string.")
    if len(body.get("description") or "") > DESCRIPTION_CHARS:
        message = f"description is too long (maximum is {DESCRIPTION_CHARS} characters)"
        raise invalid("Status", "description", "custom", message)


def _permitted(body: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    for key in body:
        if key not in keys:
            raise malformed(f'"{key}" is not a permitted key.')


def _supplied(body: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    missing = [f'"{key}"' for key in keys if key not in body]
    if missing:
        raise malformed(f"{', '.join(missing)} {'was' if len(missing) == 1 else 'were'}n't supplied.")


def _object(value: object, name: str) -> Json:
    if not isinstance(value, dict):
        raise malformed(f"For 'properties/{name}', {_ruby(value)} is not an object.")
    return value


def _array(value: object, name: str, most: int) -> list[Any]:
    if not isinstance(value, list):
        raise malformed(f"For 'properties/{name}', {_ruby(value)} is not an array.")
    if len(value) > most:
        raise malformed(f"No more than {most} items are allowed; {len(value)} were supplied.")
    return value


def _members(values: tuple[str, ...]) -> str:
    return "[" + ", ".join(f'"{value}"' for value in values) + "]"


def _ruby(value: object) -> str:
    """A value as GitHub prints it in its messages."""
    return "nil" if value is None else str(value).lower() if isinstance(value, bool) else f"{value!r}"
