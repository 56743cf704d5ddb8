"""The route over ASGI: what is answered when, and that nothing is acknowledged before it is stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import httpx
import pytest
from fastapi import FastAPI

from app.requests import JobRequest, ReviewRequest
from app.webhook import create_router, routes
from app.words import Transient
from tests.webhook.payloads import SECRET, encode, headers, pull_request

URL = "http://tether/webhooks/github"


class Queue:
    """Remembers what it accepted; `fails` makes it refuse."""

    def __init__(self, fails: Exception | None = None) -> None:
        self.taken: list[JobRequest] = []
        self.fails = fails

    async def accept(self, request: JobRequest) -> str:
        if self.fails is not None:
            raise self.fails
        duplicate = any(one.delivery == request.delivery for one in self.taken)
        self.taken.append(request)
        return "duplicate" if duplicate else "accepted"


def _app(accept: Callable[[JobRequest], Awaitable[str]], secrets: Sequence[str] = (SECRET,)) -> FastAPI:
    app = FastAPI()
    app.include_router(create_router(secrets=secrets, accept=accept))
    return app


def _post(
    queue: Queue, body: bytes | AsyncIterator[bytes], sent: dict[str, str], secrets: Sequence[str] = (SECRET,)
) -> httpx.Response:
    async def go() -> httpx.Response:
        transport = httpx.ASGITransport(_app(queue.accept, secrets), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport) as client:
            return await client.post(URL, content=body, headers=sent)

    return asyncio.run(go())


def test_a_signed_pull_request_is_stored_and_acknowledged() -> None:
    queue, body = Queue(), encode(pull_request())

    answer = _post(queue, body, headers(body, "pull_request", delivery="guid"))

    assert (answer.status_code, answer.json()) == (202, {"status": "accepted"})
    [taken] = queue.taken
    assert isinstance(taken, ReviewRequest)
    assert taken.delivery == "guid"


def test_a_redelivery_is_acknowledged_too() -> None:
    queue, body = Queue(), encode(pull_request())

    answers = [_post(queue, body, headers(body, "pull_request")).json()["status"] for _ in range(2)]

    assert answers == ["accepted", "duplicate"]


@pytest.mark.parametrize("secret", ["first", "second"])
def test_two_secrets_may_be_active(secret: str) -> None:
    body = encode(pull_request())

    answer = _post(Queue(), body, headers(body, "pull_request", secret=secret), ["first", "second"])

    assert answer.status_code == 202


def test_a_forged_signature_is_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    body = b"not json"
    sent = {**headers(body, "pull_request", secret="guess"), "X-GitHub-Delivery": "d-1"}
    _post(Queue(), body, sent)

    (record,) = [one for one in caplog.records if one.name.startswith("app")]
    assert (record.levelname, record.getMessage()) == ("WARNING", "delivery 'd-1': wrong signature")


def test_a_forged_or_missing_signature_is_401_before_anything_is_parsed() -> None:
    queue, body = Queue(), b"not json"
    forged = headers(body, "pull_request", secret="guess")
    missing = {name: value for name, value in forged.items() if name != "X-Hub-Signature-256"}

    assert [_post(queue, body, sent).status_code for sent in (forged, missing)] == [401, 401]
    assert queue.taken == []


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[1]", b'"x"', b"[" * 100_000, b"payload=%7B%7D"])
def test_a_signed_body_that_is_no_json_object_is_400(body: bytes) -> None:
    assert _post(Queue(), body, headers(body, "pull_request")).status_code == 400


@pytest.mark.parametrize("name", ["X-GitHub-Event", "X-GitHub-Delivery"])
def test_a_missing_header_is_400(name: str) -> None:
    queue, body = Queue(), encode(pull_request())
    sent = headers(body, "pull_request")
    del sent[name]

    assert _post(queue, body, sent).status_code == 400
    assert queue.taken == []


def test_a_payload_without_what_we_need_is_400_and_says_what() -> None:
    payload = pull_request()
    del payload["pull_request"]["number"]
    body = encode(payload)

    answer = _post(Queue(), body, headers(body, "pull_request"))

    assert (answer.status_code, answer.json()["reason"]) == (400, "pull_request: pull_request.number: missing")


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("id", 2**63, "out of range"),
        ("id", -1, "out of range"),
        ("id", float("inf"), "int_type"),
        ("full_name", "acme/\ud800", "not a text"),
        ("full_name", "acme/\0", "not a text"),
    ],
)
def test_a_value_that_no_row_can_hold_is_400_and_says_where(field: str, value: object, what: str) -> None:
    queue, payload = Queue(), pull_request()
    payload["repository"][field] = value
    body = encode(payload)

    answer = _post(queue, body, headers(body, "pull_request"))

    assert (answer.status_code, answer.json()["reason"]) == (400, f"pull_request: repository.{field}: {what}")
    assert queue.taken == []


@pytest.mark.parametrize(("event", "action"), [("star", "created"), ("pull_request", "labeled"), ("ping", "")])
def test_what_we_do_not_act_on_is_ignored(event: str, action: str) -> None:
    queue, body = Queue(), encode({**pull_request(), "action": action or None})

    answer = _post(queue, body, headers(body, event))

    assert (answer.status_code, answer.json()["status"], queue.taken) == (202, "ignored", [])


@pytest.mark.parametrize(("failure", "code"), [(Transient("disk full"), 503), (OSError("disk full"), 500)])
def test_what_could_not_be_stored_is_not_acknowledged(failure: Exception, code: int) -> None:
    body = encode(pull_request())

    assert code == _post(Queue(fails=failure), body, headers(body, "pull_request")).status_code


def test_a_queue_that_hangs_is_answered_before_github_hangs_up(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(Queue):
        async def accept(self, request: JobRequest) -> str:
            await asyncio.sleep(60)
            return "accepted"

    monkeypatch.setattr(routes, "ANSWER_WITHIN_S", 0.05)
    body = encode(pull_request())

    answer = _post(Slow(), body, headers(body, "pull_request"))
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")


def test_the_cap_holds_with_and_without_a_declared_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "MAX_BODY_BYTES", 1000)
    queue, body = Queue(), b" " * 1001
    sent = headers(body, "pull_request")

    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(11):
            yield b" " * 91

    assert [_post(queue, content, sent).status_code for content in (body, chunks())] == [413, 413]


def test_the_largest_body_that_github_sends_is_read() -> None:
    body = encode({**pull_request(), "padding": "x" * (routes.MAX_BODY_BYTES - 10_000)})

    assert _post(Queue(), body, headers(body, "pull_request")).status_code == 202


@pytest.mark.parametrize("secrets", [[], [""]])
def test_without_a_secret_there_is_no_route(secrets: list[str]) -> None:
    with pytest.raises(ValueError, match="TETHER_GITHUB_WEBHOOK_SECRET"):
        create_router(secrets=secrets, accept=Queue().accept)
