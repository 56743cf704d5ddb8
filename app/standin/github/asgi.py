"""The ASGI application: prefixes, faults, the request log, headers every GitHub answer carries; then the endpoints.

`/api/v3` (GitHub Enterprise Server) and `/repositories/{id}` lead to the same endpoints. Written on bare ASGI around
Starlette's router, because a dropped connection and a missing answer are not things a web framework offers.
"""

from __future__ import annotations

import asyncio
import functools
import json
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.standin.github import (
    routes_app,
    routes_archive,
    routes_checks,
    routes_commits,
    routes_contents,
    routes_git,
    routes_manifest,
    routes_meta,
    routes_protection,
    routes_pulls,
    routes_suggestions,
    routes_web,
)
from app.standin.github.auth import Anonymous
from app.standin.github.errors import GitHubError, not_found
from app.standin.github.events import Events
from app.standin.github.faults import Fault, Faults, Request
from app.standin.github.quota import Quota
from app.standin.github.records import Json
from app.standin.github.routing import Endpoint, Reply, RestCall, answer, etag_of
from app.standin.github.state import State

# Deeper paths first: `commits/{ref:path}` would swallow `commits/{ref}/check-runs`.
ENDPOINTS: tuple[Endpoint, ...] = (
    *routes_app.ENDPOINTS,
    *routes_checks.ENDPOINTS,
    *routes_pulls.ENDPOINTS,
    *routes_suggestions.ENDPOINTS,
    *routes_protection.ENDPOINTS,
    *routes_contents.ENDPOINTS,
    *routes_archive.ENDPOINTS,
    *routes_commits.ENDPOINTS,
    *routes_git.ENDPOINTS,
    *routes_manifest.ENDPOINTS,
    *routes_meta.ENDPOINTS,
    *routes_web.ENDPOINTS,
)
_HANG_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Site:
    """What the application works on. `drop` cuts the connection of a client address."""

    state: State
    events: Events
    faults: Faults
    quota: Quota
    drop: Callable[[tuple[str, int]], None]


def create_site_app(site: Site) -> ASGIApp:
    """GitHub's REST API over a site, as an ASGI application."""
    routes = [
        Route(endpoint.path, functools.partial(_respond, site, endpoint), methods=[endpoint.method])
        for endpoint in ENDPOINTS
    ]
    return _Entrance(site, Router(routes=routes, redirect_slashes=False, default=_nothing_there))


async def _nothing_there(scope: Scope, receive: Receive, send: Send) -> None:
    await _response(Reply(not_found().body(), 404))(scope, receive, send)


async def _respond(site: Site, endpoint: Endpoint, request: HttpRequest) -> Response:
    """One answer, with the rate limit told in its headers; a 304 costs nothing."""
    credential = request.headers.get("authorization")
    refused = site.quota.spend(credential)
    reply = await _reply(site, endpoint, request) if refused is None else Reply(refused.body(), refused.status)
    etag = etag_of(reply.payload()) if reply.status == 200 else None
    known = etag is not None and request.headers.get("if-none-match") == etag
    if known:
        site.quota.refund(credential)
    headers = {**site.quota.headers(credential), **reply.headers, **({} if etag is None else {"ETag": etag})}
    return _response(Reply(b"" if known else reply.body, 304 if known else reply.status, headers, reply.media_type))


async def _reply(site: Site, endpoint: Endpoint, request: HttpRequest) -> Reply:
    raw = await request.body()
    form = request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")
    try:
        body = {} if form else _json_object(raw, request.headers.get("user-agent"))
    except GitHubError as error:
        return Reply(error.body(), error.status)
    call = RestCall(
        state=site.state,
        events=site.events,
        caller=Anonymous(),
        method=endpoint.method,
        url=site.state.api_url + request.scope["tether.public_path"],
        params=request.path_params,
        query=dict(request.query_params),
        body=body,
        accept=request.headers.get("accept", ""),
        raw=raw,
    )
    return await run_in_threadpool(answer, endpoint, call, request.headers.get("authorization"))


def _json_object(raw: bytes, user_agent: str | None) -> Json:
    if not user_agent:
        raise GitHubError(403, "Request forbidden by administrative rules.")
    if not raw.strip():
        return {}
    try:
        body = json.loads(raw)
    except ValueError as error:
        raise GitHubError(400, "Problems parsing JSON") from error
    if not isinstance(body, dict):
        raise GitHubError(400, "Body should be a JSON object")
    return body


def _response(reply: Reply) -> Response:
    headers = {
        "X-GitHub-Media-Type": "github.v3; format=json",
        "X-GitHub-Api-Version-Selected": "2022-11-28",
        "X-GitHub-Request-Id": secrets.token_hex(12).upper(),
        **reply.headers,
    }
    media_type = None if reply.status in (204, 304) else reply.media_type
    return Response(reply.payload(), reply.status, headers=headers, media_type=media_type)


class _Entrance:
    """Rewrites paths, plays faults, and keeps the log."""

    def __init__(self, site: Site, inner: ASGIApp) -> None:
        self._site = site
        self._inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        visit = _Visit(self._site, scope, receive, send)
        await visit.play(self._inner)


class _Visit:
    """One request on its way through: what was read, what was answered."""

    def __init__(self, site: Site, scope: Scope, receive: Receive, send: Send) -> None:
        self._site, self._receive_, self._send_ = site, receive, send
        raw = scope.get("raw_path", scope["path"].encode()).decode("ascii", "replace").split("?")[0]
        self._path = scope["path"].removeprefix("/api/v3") or "/"
        self._scope = {
            **scope,
            "path": _by_name(site.state, self._path),
            "tether.public_path": raw.removeprefix("/api/v3"),
        }
        self._status = 0
        self._body = b""
        self._noted = False

    async def play(self, inner: ASGIApp) -> None:
        fault = self._site.faults.take(self._scope["method"], self._path, self._scope["path"])
        try:
            await self._with(fault, inner)
        finally:
            self._note()

    def _note(self) -> None:
        """Into the log, once: before the last byte leaves, so that who has the answer finds the request there."""
        if not self._noted:
            self._noted = True
            self._site.faults.record(self._request())

    async def _with(self, fault: Fault | None, inner: ASGIApp) -> None:
        if fault is None:
            await inner(self._scope, self._receive, self._send)
        elif isinstance(fault.trouble, int):
            self._status = fault.trouble
            body = GitHubError(fault.trouble, fault.message).body()
            await _response(Reply(body, fault.trouble, fault.headers))(self._scope, self._receive, self._send)
        else:
            if fault.trouble.endswith("_after"):
                await inner(self._scope, self._receive, _swallow)
            else:
                await self._drain()
            if fault.trouble.startswith("timeout"):
                await self._until_client_leaves()
            self._site.drop(self._scope["client"])
            # The connection is gone: whatever is sent now reaches nobody, but the server wants an answer.
            await self._send_({"type": "http.response.start", "status": 500, "headers": []})
            await self._send_({"type": "http.response.body", "body": b""})

    async def _drain(self) -> None:
        more = True
        while more:
            message = await self._receive()
            more = message.get("more_body", False)

    async def _until_client_leaves(self) -> None:
        try:
            async with asyncio.timeout(_HANG_SECONDS):
                while (await self._receive_())["type"] != "http.disconnect":
                    pass
        except TimeoutError:
            return

    async def _receive(self) -> Message:
        message = await self._receive_()
        self._body += message.get("body", b"")
        return message

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
        elif not message.get("more_body", False):
            self._note()
        await self._send_(message)

    def _request(self) -> Request:
        headers: dict[bytes, bytes] = dict(self._scope["headers"])
        secret = headers.get(b"authorization", b"").decode("latin-1").partition(" ")[2]
        kind = (
            "anonymous" if not secret else "app" if secret.count(".") == 2 and not secret.startswith("gh") else "token"
        )
        query = self._scope["query_string"].decode("latin-1")
        return Request(self._scope["method"], self._path, query, self._status, kind, self._body)


async def _swallow(message: Any) -> None:
    """Takes an answer that nobody will see."""


def _by_name(state: State, path: str) -> str:
    """`/repositories/{id}/...` is the same as `/repos/{owner}/{name}/...`, whatever the repository is called now."""
    found = re.match(r"/repositories/(\d+)(?=/|$)", path)
    repo = state.repos.get(int(found[1])) if found is not None else None
    return path if repo is None or found is None else f"/repos/{repo.full_name}{path[found.end() :]}"
