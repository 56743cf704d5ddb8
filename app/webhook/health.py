"""GET /healthz says that the process answers, GET /readyz whether it can take a delivery; GET /admin/health says whether reviews
can work, part by part.

The parts are plain functions that are handed in; whatever one of them raises is its answer, so that one broken part never
hides another. Deliberately absent: anything that changes state.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from app.words import Permanent, Transient

log = logging.getLogger(__name__)

#: a part's facts; raises when the part does not work
Probe = Callable[[], Awaitable[Mapping[str, Any]]]
PROBE_TIMEOUT_S: Final = 10.0


def create_health_router(*, probes: Mapping[str, Probe], ready: str, admin_token: str | None) -> APIRouter:
    """The three routes. `ready` is the part without which nothing can be accepted. Without an `admin_token` /admin/health does
    not exist (404).
    """
    router = APIRouter()

    @router.get("/healthz", include_in_schema=False)
    async def answer_up() -> JSONResponse:
        return JSONResponse({"status": "ok"})

    @router.get("/readyz", include_in_schema=False)
    async def answer_ready() -> JSONResponse:
        """For anybody: no reasons, which may name what is inside."""
        if (await _ask(ready, probes[ready]))["ok"]:
            return JSONResponse({"status": "ready"})
        return JSONResponse({"status": "not ready", "part": ready}, 503, headers={"Retry-After": "10"})

    @router.get("/admin/health", include_in_schema=False)
    async def show_health(request: Request) -> JSONResponse:
        if not admin_token:
            return JSONResponse({"reason": "TETHER_ADMIN_TOKEN is not set"}, status_code=404)
        if not _is_admin(request, admin_token):
            return JSONResponse({"reason": "a bearer token is needed"}, 401, headers={"WWW-Authenticate": "Bearer"})
        answers = await asyncio.gather(*(_ask(name, probe) for name, probe in probes.items()))
        parts = dict(zip(probes, answers, strict=True))
        ok = all(part["ok"] for part in parts.values())
        return JSONResponse({"status": "ok" if ok else "degraded", **parts}, status_code=200 if ok else 503)

    return router


def _is_admin(request: Request, token: str) -> bool:
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    same = hmac.compare_digest(given.strip().encode(), token.encode())
    return same and scheme.lower() == "bearer"


async def _ask(name: str, probe: Probe) -> dict[str, Any]:
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            facts = await probe()
    except (Transient, Permanent) as error:
        return {"ok": False, "reason": str(error)}
    except TimeoutError:
        return {"ok": False, "reason": f"no answer within {PROBE_TIMEOUT_S:g} seconds"}
    except Exception as error:
        log.exception("the health of %s could not be asked", name)
        return {"ok": False, "reason": f"{type(error).__name__}; the log says more"}
    return {"ok": True, **facts}
