"""The ASGI application: one store behind the routes of GMS, with its token check and its two open routes.

Usable over HTTP (`serve`) and in-process through `httpx.ASGITransport`.
"""

from __future__ import annotations

import hmac
from importlib.metadata import version

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from app.catalog.graphql import GraphQL
from app.catalog.graphql_wiring import IMITATED_VERSION
from app.catalog.openapi import OpenApi
from app.catalog.openapi_graph import OpenApiGraph
from app.catalog.restli import RestLi
from app.catalog.store import CatalogStore

_OPEN_PATHS = frozenset({"/config", "/health", "/health/live"})


def create_app(store: CatalogStore, *, token: str | None = None) -> Starlette:
    """The catalog as an ASGI application; the store stays the caller's to close. With a token, every route but /config and
    /health needs `Authorization: Bearer`."""
    return Starlette(
        routes=[
            Route("/config", _show_config, methods=["GET"]),
            Route("/health", _show_health, methods=["GET"]),
            Route("/health/live", _show_health, methods=["GET"]),
            *OpenApi(store).routes(),
            *OpenApiGraph(store).routes(),
            *RestLi(store).routes(),
            *GraphQL(store).routes(),
        ],
        middleware=[Middleware(TokenCheck, token=token)],
        exception_handlers={404: _show_missing, 405: _show_missing, Exception: _show_failure},
    )


class TokenCheck:
    """Answers 401 as GMS does when the bearer token is missing or wrong."""

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app = app
        self._expected = None if token is None else f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._expected is None or scope["path"] in _OPEN_PATHS:
            await self._app(scope, receive, send)
            return
        given = dict(scope["headers"]).get(b"authorization", b"")
        if hmac.compare_digest(given, self._expected):
            await self._app(scope, receive, send)
            return
        body = {"message": "Unauthorized to perform this action.", "error": "Unauthorized", "status": 401}
        await JSONResponse(body, 401)(scope, receive, send)


async def _show_config(request: Request) -> Response:  # noqa: ARG001 - the same for everyone
    return JSONResponse(
        {
            "noCode": "true",
            "models": {},
            "patchCapable": True,
            "statefulIngestionCapable": True,
            "supportsImpactAnalysis": False,
            "retention": "true",
            "datasetUrnNameCasing": False,
            "telemetry": {"enabledCli": False, "enabledIngestion": False},
            "managedIngestion": {"enabled": False},
            "datahub": {"serverType": "tether", "serverEnv": "core"},
            "versions": {"acryldata/datahub": {"version": IMITATED_VERSION, "commit": f"tether-{version('tether')}"}},
        }
    )


async def _show_health(request: Request) -> Response:  # noqa: ARG001 - the same for everyone
    return Response(status_code=200)


async def _show_missing(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    message = f"{request.method} {request.url.path} is not part of this catalog"
    return JSONResponse({"message": message, "error": str(error), "status": status}, status)


async def _show_failure(request: Request, error: Exception) -> Response:  # noqa: ARG001 - the server logs the error itself
    body = {
        "message": "The catalog failed on this request; its log says why.",
        "error": "Internal Server Error",
        "status": 500,
    }
    return JSONResponse(body, 500)
