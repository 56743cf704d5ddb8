"""What each delivery asks for: our own small payloads, and arbitrary JSON."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.requests import (
    CloseRequest,
    InstallationRequest,
    JobRequest,
    MergeGroupRequest,
    PushRequest,
    RerequestRequest,
    ReviewRequest,
)
from app.webhook import Ignored, find_request
from app.webhook.intake import TABLE
from app.webhook.payload import MalformedDelivery
from tests.webhook.payloads import pull_request, repository


@pytest.mark.parametrize("action", ["opened", "reopened", "synchronize", "ready_for_review"])
def test_a_pull_request_that_may_have_changed_is_reviewed(action: str) -> None:
    expected = ReviewRequest(
        delivery="d",
        installation_id=99,
        repo_id=7,
        repo_full_name="acme/warehouse",
        pull=12,
        head_sha="a" * 40,
        base_ref="main",
        updated_at="2026-11-01T10:00:00Z",
        reason=action,  # type: ignore[arg-type]  # the four actions are reasons by the same name
    )

    assert expected == find_request("pull_request", "d", pull_request(action))


def test_an_edit_counts_only_when_the_base_changed() -> None:
    payload = pull_request("edited")
    assert isinstance(find_request("pull_request", "d", payload), Ignored)
    assert isinstance(find_request("pull_request", "d", {**payload, "changes": {"title": {"from": "x"}}}), Ignored)

    moved = find_request("pull_request", "d", {**payload, "changes": {"base": {"ref": {"from": "dev"}}}})

    assert isinstance(moved, ReviewRequest)
    assert moved.reason == "base_changed"


@pytest.mark.parametrize("head_repo", [None, {"id": 8}])
def test_a_head_of_a_fork_is_reviewed_even_when_the_fork_is_gone(head_repo: dict[str, int] | None) -> None:
    found = find_request("pull_request", "d", pull_request(head={"sha": "c" * 40, "repo": head_repo}))

    assert isinstance(found, ReviewRequest)
    assert (found.repo_id, found.head_sha) == (7, "c" * 40)


def test_a_closed_pull_request_says_whether_it_was_merged() -> None:
    found = find_request("pull_request", "d", pull_request("closed", merged=True))

    assert isinstance(found, CloseRequest)
    assert (found.merged, (found.repo_id, found.pull)) == (True, (7, 12))


def _run(**more: Any) -> dict[str, Any]:
    run = {"id": 5, "head_sha": "a" * 40, "app": {"id": 1}, "external_id": "x", "pull_requests": [{"number": 12}]}
    return {
        "repository": repository(),
        "installation": {"id": 99},
        "sender": {"login": "aman"},
        "check_run": run,
        **more,
    }


def test_buttons_and_reruns_carry_who_and_what() -> None:
    button = {"action": "requested_action", "requested_action": {"identifier": "confirm_edges"}}
    pressed = find_request("check_run", "d", _run(**button))
    assert isinstance(pressed, RerequestRequest)
    assert (pressed.action, pressed.sender, pressed.pulls) == ("confirm_edges", "aman", (12,))

    suite = {"head_sha": "a" * 40, "app": {"id": 1}, "pull_requests": []}
    again = find_request("check_suite", "d", {**_run(), "action": "rerequested", "check_suite": suite})
    assert isinstance(again, RerequestRequest)
    assert (again.pulls, again.action) == ((), "")

    queued = _run()
    queued["check_run"]["check_suite"] = {"id": 3, "head_branch": "gh-readonly-queue/main/pr-1-abc"}
    group = find_request("check_run", "d", {**queued, "action": "rerequested"})
    assert isinstance(group, RerequestRequest)
    assert group.head_branch == "gh-readonly-queue/main/pr-1-abc"


@pytest.mark.parametrize(("action", "destroyed"), [("checks_requested", False), ("destroyed", True)])
def test_a_merge_group_is_judged_or_dropped(action: str, *, destroyed: bool) -> None:
    group = {"head_sha": "a" * 40, "base_sha": "b" * 40, "base_ref": "refs/heads/main"}
    payload = {"action": action, "merge_group": group, "repository": repository(), "installation": {"id": 99}}

    found = find_request("merge_group", "d", payload)

    assert MergeGroupRequest("d", 99, 7, "acme/warehouse", "a" * 40, "b" * 40, "main", destroyed) == found


@pytest.mark.parametrize(
    ("ref", "deleted", "acts"),
    [
        ("refs/heads/main", False, True),
        ("refs/heads/main", True, False),
        ("refs/heads/feature/main", False, False),
        ("refs/tags/main", False, False),
    ],
)
def test_only_a_push_to_the_default_branch_counts(ref: str, *, deleted: bool, acts: bool) -> None:
    payload = {"ref": ref, "before": "b" * 40, "after": "a" * 40, "deleted": deleted}
    found = find_request("push", "d", {**payload, "repository": repository(), "installation": {"id": 99}})

    assert acts == isinstance(found, PushRequest)


def test_installations_come_and_go() -> None:
    listed = [{"id": 7, "full_name": "acme/warehouse"}]
    detail = {"id": 99, "account": {"login": "acme"}, "repository_selection": "selected"}
    gone = find_request("installation", "d", {"action": "deleted", "installation": detail, "repositories": listed})
    assert InstallationRequest("d", 99, "deleted", (), ((7, "acme/warehouse"),)) == gone

    change = {"repositories_added": listed, "repositories_removed": []}
    more = find_request("installation_repositories", "d", {"action": "added", "installation": detail, **change})
    assert InstallationRequest("d", 99, "repositories", ((7, "acme/warehouse"),)) == more

    stopped = find_request("installation", "d", {"action": "suspend", "installation": {"id": 99}})
    assert isinstance(stopped, InstallationRequest)
    assert stopped.change == "suspended"


def test_a_payload_without_installation_is_not_the_apps() -> None:
    payload = pull_request()
    del payload["installation"]

    assert isinstance(find_request("pull_request", "d", payload), Ignored)


def test_a_missing_field_is_named() -> None:
    payload = pull_request()
    del payload["pull_request"]["head"]

    with pytest.raises(MalformedDelivery, match=r"pull_request\.head: missing"):
        find_request("pull_request", "d", payload)


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=4)
)
NAMED = ("action", "installation", "repository", "pull_request", "check_run", "check_suite", "merge_group")
shaped = st.fixed_dictionaries({}, optional={**dict.fromkeys(NAMED, anything), "ref": anything, "changes": anything})


@given(known=st.sampled_from(sorted(TABLE)), payload=shaped | st.dictionaries(st.text(), anything, max_size=5))
def test_no_json_crashes_the_parser(known: tuple[str, str], payload: dict[str, Any]) -> None:
    name, action = known
    for body in (payload, {**payload, "action": action}):
        try:
            found = find_request(name, "d", body)
        except MalformedDelivery:
            continue
        assert isinstance(found, Ignored | JobRequest)


@st.composite
def broken_pulls(draw: st.DrawFn) -> dict[str, Any]:
    """A sound payload with one value, anywhere in it, replaced."""
    payload = pull_request(draw(st.sampled_from(["opened", "edited", "closed"])))
    node: Any = payload
    while True:
        key = draw(st.sampled_from(sorted(node)))
        if not isinstance(node[key], dict) or not node[key] or draw(st.booleans()):
            node[key] = draw(anything)
            return payload
        node = node[key]


@given(broken_pulls())
def test_one_broken_value_is_a_request_or_a_reason(payload: dict[str, Any]) -> None:
    try:
        found = find_request("pull_request", "d", payload)
    except MalformedDelivery as reason:
        said = str(reason)
        found = Ignored(said)
        assert said.startswith("pull_request: ")
    assert isinstance(found, Ignored | ReviewRequest | CloseRequest)
