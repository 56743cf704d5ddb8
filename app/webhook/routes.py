"""POST /webhooks/github: read the raw body, prove the signature, find the job request, store it, and only then say 202.

The status code is the whole contract with GitHub: it does not retry, but it records whatever is not 2xx, and recorded
failures can be delivered again. So a delivery is acknowledged only after `accept` returned.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from app.requests import JobRequest
from app.webhook.intake import Ignored, find_request
from app.webhook.payload import MalformedDelivery
from app.webhook.signature import is_signed
from app.words import Transient

#: GitHub never sends a payload above 25 MB (docs: webhook events and payloads)
MAX_BODY_BYTES: Final = 25 * 1024 * 1024
#: GitHub hangs up after 10 s and records a failure; we answer before it does
ANSWER_WITHIN_S: Final = 9.0
#: for whoever delivers again by itself, a proxy or a script; GitHub leaves that to the sweep
AGAIN: Final = {"Retry-After": "30"}

Accept = Callable[[JobRequest], Awaitable[str]]
log = logging.getLogger(__name__)


class _TooLarge(Exception):  # noqa: N818 - caught below, never leaves this module
    """The body is above the cap."""


def create_router(*, secrets: Sequence[str], accept: Accept) -> APIRouter:
    """The route. `accept` stores a request durably and says how ("accepted", "duplicate"); at least one secret is needed.

    Raises ValueError without a secret: an unverified webhook would let anyone start reviews.
    """
    active = tuple(secret for secret in secrets if secret)
    if not active:
        raise ValueError("TETHER_GITHUB_WEBHOOK_SECRET is empty: without it no delivery can be trusted")
    router = APIRouter()

    @router.post("/webhooks/github", include_in_schema=False)
    async def receive(request: Request) -> JSONResponse:
        try:
            body = await _read(request)
        except _TooLarge:
            return _answer(413, "rejected", "the body is above 25 MB, which GitHub never sends")
        if not is_signed(body, request.headers.get("x-hub-signature-256"), active):
            log.warning("delivery %.64r: wrong signature", request.headers.get("x-github-delivery", ""))
            return _answer(401, "rejected", "X-Hub-Signature-256 is missing or does not fit the webhook secret")
        return await _take(request, body, accept)

    return router


async def _take(request: Request, body: bytes, accept: Accept) -> JSONResponse:
    name, delivery = request.headers.get("x-github-event", ""), request.headers.get("x-github-delivery", "")
    if not name or not delivery:
        return _answer(400, "rejected", "X-GitHub-Event or X-GitHub-Delivery is missing")
    payload = _parse(body)
    if payload is None:
        return _answer(
            400, "rejected", "the body is not a JSON object; set the webhook's content type to application/json"
        )
    try:
        found = find_request(name, delivery, payload)
    except MalformedDelivery as error:
        log.warning("delivery %.64r is unreadable: %s", delivery, error)
        return _answer(400, "rejected", str(error))
    if isinstance(found, Ignored):
        return _answer(202, "ignored", found.reason)
    return await _store(found, accept)


async def _store(found: JobRequest, accept: Accept) -> JSONResponse:
    try:
        async with asyncio.timeout(ANSWER_WITHIN_S):
            status = await accept(found)
    except (Transient, TimeoutError) as error:
        log.warning("delivery %.64r was not stored: %s", found.delivery, error or "timeout")
        return _answer(503, "not stored", "the queue cannot take it now; deliver it again", AGAIN)
    log.info("delivery %.64r: %s %s", found.delivery, found.kind, status)
    return _answer(202, status, "")


async def _read(request: Request) -> bytes:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > MAX_BODY_BYTES:
        raise _TooLarge
    chunks, size = [], 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > MAX_BODY_BYTES:  # a chunked body declares no length
            raise _TooLarge
        chunks.append(chunk)
    return b"".join(chunks)


def _parse(body: bytes) -> dict[str, Any] | None:
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):  # UnicodeDecodeError and JSONDecodeError are ValueErrors
        return None
    return payload if isinstance(payload, dict) else None


def _answer(code: int, status: str, reason: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    content = {"status": status, "reason": reason} if reason else {"status": status}
    return JSONResponse(content, status_code=code, headers=headers)
