"""Endpoints about the API itself: its root, the rate limit, who a token belongs to."""

from __future__ import annotations

import time

from app.standin.github.auth import Anonymous, AppCaller, UserCaller
from app.standin.github.errors import not_accessible, requires_authentication
from app.standin.github.records import Json
from app.standin.github.routing import Call, Endpoint, Reply
from app.standin.github.shapes_accounts import account_json


def _root(call: Call) -> Reply:
    url = call.state.api_url
    return Reply({
        "current_user_url": f"{url}/user",
        "rate_limit_url": f"{url}/rate_limit",
        "repository_url": f"{url}/repos/{{owner}}/{{repo}}",
        "user_url": f"{url}/users/{{user}}",
    })  # fmt: skip


def _rate_limit(call: Call) -> Reply:
    limit = call.state.limits.rate_per_hour
    core: Json = {"limit": limit, "used": 0, "remaining": limit, "reset": int(time.time()) + 3_600}
    return Reply({"resources": {"core": core, "search": core, "graphql": core}, "rate": core})


def _user(call: Call) -> Reply:
    if isinstance(call.caller, Anonymous | AppCaller):
        raise requires_authentication()
    if not isinstance(call.caller, UserCaller):
        raise not_accessible()
    return Reply(account_json(call.state, call.caller.account))


def _meta(_: Call) -> Reply:
    return Reply({"verifiable_password_authentication": False})


ENDPOINTS = (
    Endpoint("GET", "/", _root, audience="anyone"),
    Endpoint("GET", "/meta", _meta, audience="anyone"),
    Endpoint("GET", "/rate_limit", _rate_limit, audience="anyone"),
    Endpoint("GET", "/user", _user, audience="anyone"),
)
