"""What every route shares: reading a request, running the store in a thread, and answering refusals in JSON.

The store is synchronous (SQLite); routes hand it to a worker thread, so that one slow query never stops the event loop.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.catalog.answers import show_refusal
from app.catalog.json_text import parse_json
from app.catalog.refusal import RequestRefused

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]
#: (request, parsed JSON body or None) -> answer; runs in a worker thread
Act: TypeAlias = Callable[[Request, Any], Response]

MAX_BODY = 64 * 1024 * 1024  # the SDK sends at most 15 MiB
#: parsed in less time than a thread needs to begin
SMALL_BODY = 64 * 1024


def endpoint(act: Act, *, restli: bool = False) -> Endpoint:
    """An ASGI endpoint that parses the body, acts in a thread, and turns `RequestRefused` into the error JSON of its dialect."""

    async def answer(request: Request) -> Response:
        try:
            body = await _read_body(request)
            return await run_in_threadpool(act, request, body)
        except RequestRefused as refused:
            status, shown = show_refusal(refused, restli=restli)
            return JSONResponse(shown, status)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise
            # Another process held the file for a minute. GMS says it so, and its clients try again.
            body = {
                "error": str(error),
                "message": str(error),
                "code": "DATABASE_TRANSACTION_CONFLICT",
                "retryable": True,
            }
            return JSONResponse({**body, "status": 503}, 503, headers={"Retry-After": "1"})

    return answer


async def _read_body(request: Request) -> Any:
    content = b""
    async for chunk in request.stream():
        content += chunk
        if len(content) > MAX_BODY:
            raise RequestRefused(413, f"The request body is larger than {MAX_BODY} bytes")
    if not content.strip():
        return None
    try:
        return parse_json(content) if len(content) <= SMALL_BODY else await run_in_threadpool(parse_json, content)
    except ValueError as reason:
        raise RequestRefused(400, f"The request body is not JSON: {reason}") from reason


def require_object(body: Any) -> Mapping[str, Any]:
    """The body as a JSON object; raises `RequestRefused` (400)."""
    if not isinstance(body, Mapping):
        raise RequestRefused(400, "Expected a JSON object as the request body")
    return body


def read_flag(request: Request, name: str, *, default: bool = False) -> bool:
    """A boolean query parameter."""
    found = request.query_params.get(name)
    return default if found is None else found.lower() == "true"


def read_number(request: Request, name: str) -> int | None:
    """A whole query parameter; raises `RequestRefused` (400) when it is no number."""
    found = request.query_params.get(name)
    if found is None:
        return None
    try:
        return int(found)
    except ValueError as reason:
        raise RequestRefused(400, f"{name} must be a whole number: {found[:50]!r}") from reason


def read_list(request: Request, name: str) -> tuple[str, ...]:
    """A list parameter: repeated, separated by commas, with or without `[]` after its name."""
    found = [*request.query_params.getlist(name), *request.query_params.getlist(f"{name}[]")]
    return tuple(item for text in found for item in text.split(",") if item)


def read_texts(found: Any, what: str) -> tuple[str, ...]:
    """A list of strings in a body, empty when absent; raises `RequestRefused` (400)."""
    if found is None:
        return ()
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise RequestRefused(400, f"{what} must be a list of strings")
    return tuple(found)
