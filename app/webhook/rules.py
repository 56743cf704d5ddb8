"""GET /rules and GET /rules/ID: the pages that checks link to. Fixed texts of this version; they need no token."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter
from fastapi.responses import HTMLResponse


def create_rules_router(pages: Mapping[str, str], index: str) -> APIRouter:
    """`pages` are HTML by rule id, `index` is the list of them."""
    router = APIRouter()

    @router.get("/rules", include_in_schema=False)
    async def show_rules() -> HTMLResponse:
        return HTMLResponse(index)

    @router.get("/rules/{rule}", include_in_schema=False)
    async def show_rule(rule: str) -> HTMLResponse:
        page = pages.get(rule)
        return HTMLResponse("There is no such rule.", status_code=404) if page is None else HTMLResponse(page)

    return router
