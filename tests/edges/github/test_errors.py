"""What GitHub's refusals mean: later, or never until somebody fixes it."""

from __future__ import annotations

import httpx
import pytest

from app.edges.github.errors import NotThere, find_failure, translate_unanswered
from app.words import Permanent, Transient

NOW = 1_000_000.0


def _answer(status: int, message: str = "", **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, json={"message": message}, headers=named)


@pytest.mark.parametrize(
    ("response", "wait"),
    [
        (_answer(500), None),
        (_answer(502), None),
        (_answer(503, retry_after="7"), 7.0),
        (_answer(408), None),
        (_answer(403, "You have exceeded a secondary rate limit", retry_after="42"), 42.0),
        (_answer(403, "You have exceeded a secondary rate limit"), 60.0),
        (_answer(429, "slow down"), 60.0),
        (_answer(429, "slow down", retry_after="Mon, 12 Jan 1970 13:47:40 GMT"), 60.0),
        (_answer(429, "slow down", retry_after="soon"), 60.0),
        (_answer(403, "API rate limit exceeded", x_ratelimit_remaining="0", x_ratelimit_reset="1000120"), 120.0),
        (_answer(403, "API rate limit exceeded", x_ratelimit_remaining="0", x_ratelimit_reset="999000"), 1.0),
        (_answer(403, "API rate limit exceeded", x_ratelimit_remaining="0", x_ratelimit_reset="9999999999"), 3_900.0),
        (_answer(403, "API rate limit exceeded", x_ratelimit_remaining="0"), 60.0),
        (_answer(422, "No commit found for SHA: abc"), None),
    ],
)
def test_what_passes_is_tried_again(response: httpx.Response, wait: float | None) -> None:
    failure = find_failure(response, "read x", now=NOW)

    assert isinstance(failure, Transient)
    assert failure.retry_after == wait


@pytest.mark.parametrize(
    ("response", "says"),
    [
        (_answer(401, "Bad credentials"), "TETHER_GITHUB_APP_ID"),
        (_answer(403, "This installation has been suspended"), "unsuspend"),
        (_answer(403, "Resource not accessible by integration"), "checks: write"),
        (
            _answer(403, "Resource not accessible by integration", x_accepted_github_permissions="checks=write"),
            "checks=write",
        ),
        (_answer(403, "Repository was archived so is read-only."), "archived"),
        (_answer(403, "Repository access blocked"), "Repository access blocked"),
        (_answer(422, "Validation Failed"), "Validation Failed"),
        (httpx.Response(400, text="<html>"), "400"),
    ],
)
def test_what_stays_is_said_with_its_cure(response: httpx.Response, says: str) -> None:
    failure = find_failure(response, "read x", needs="checks: write", now=NOW)

    assert isinstance(failure, Permanent)
    assert not isinstance(failure, NotThere)
    assert "could not read x" in str(failure)
    assert says in str(failure)


@pytest.mark.parametrize("status", [301, 302, 307, 308, 404, 410])
def test_what_is_gone_may_be_somewhere_else(status: int) -> None:
    assert isinstance(find_failure(_answer(status, "Not Found"), "read x", now=NOW), NotThere)


def test_a_retired_version_is_said_to_be_one() -> None:
    assert "update Tether" in str(find_failure(_answer(410, "API version is no longer supported"), "read x", now=NOW))


def test_validation_details_are_quoted_and_cut() -> None:
    errors = [
        {"field": "summary", "code": "custom", "message": "summary exceeds a maximum bytesize of 65535"},
        "x" * 900,
    ]
    response = httpx.Response(422, json={"message": "Validation Failed", "errors": errors})

    said = str(find_failure(response, "read x", now=NOW))

    assert "maximum bytesize" in said
    assert len(said) < 400


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (httpx.ConnectError("x"), "GitHub: connection failed at 127.0.0.1:1 when asked to read x (ConnectError)"),
        (httpx.ReadTimeout("x"), "GitHub: no answer in time at 127.0.0.1:1 when asked to read x"),
        (OSError("x"), "GitHub: connection failed when asked to read x (OSError)"),
    ],
)
def test_what_was_not_answered_names_the_place(error: Exception, says: str) -> None:
    if isinstance(error, httpx.RequestError):
        assert "127" not in str(translate_unanswered(error, "read x"))
        error.request = httpx.Request("GET", "http://me:hunter2@127.0.0.1:1/repos?token=hunter2")

    failure = translate_unanswered(error, "read x")

    assert isinstance(failure, Transient)
    assert str(failure) == says
