"""Endpoints about the API itself: its root, the rate limit, who a token belongs to."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

from app.standin.github.auth import Anonymous, AppCaller, UserCaller
from app.standin.github.errors import not_accessible, requires_authentication
from app.standin.github.records import Json
from app.standin.github.routing import Endpoint, Reply, RestCall
from app.standin.github.shapes_accounts import account_json, stamp

#: name (without `_url`) -> what it leads to, most of which is not here
_PLACES: Final[Mapping[str, str]] = {
    "current_user": "/user",
    "current_user_authorizations_html": "/settings/connections/applications{/client_id}",
    "authorizations": "/authorizations",
    "code_search": "/search/code?q={query}{&page,per_page,sort,order}",
    "commit_search": "/search/commits?q={query}{&page,per_page,sort,order}",
    "emails": "/user/emails",
    "emojis": "/emojis",
    "events": "/events",
    "feeds": "/feeds",
    "followers": "/user/followers",
    "following": "/user/following{/target}",
    "gists": "/gists{/gist_id}",
    "issue_search": "/search/issues?q={query}{&page,per_page,sort,order}",
    "issues": "/issues",
    "keys": "/user/keys",
    "label_search": "/search/labels?q={query}&repository_id={repository_id}{&page,per_page}",
    "notifications": "/notifications",
    "organization": "/orgs/{org}",
    "organization_repositories": "/orgs/{org}/repos{?type,page,per_page,sort}",
    "organization_teams": "/orgs/{org}/teams",
    "public_gists": "/gists/public",
    "rate_limit": "/rate_limit",
    "repository": "/repos/{owner}/{repo}",
    "repository_search": "/search/repositories?q={query}{&page,per_page,sort,order}",
    "current_user_repositories": "/user/repos{?type,page,per_page,sort}",
    "starred": "/user/starred{/owner}{/repo}",
    "starred_gists": "/gists/starred",
    "user": "/users/{user}",
    "user_organizations": "/user/orgs",
    "user_repositories": "/users/{user}/repos{?type,page,per_page,sort}",
    "user_search": "/search/users?q={query}{&page,per_page,sort,order}",
}
#: what a person may tell of themselves, and nobody here does
_UNTOLD: Final = ("name", "company", "blog", "location", "email", "hireable", "bio", "twitter_username")
_COUNTED: Final = ("public_repos", "public_gists", "followers", "following")


def _root(call: RestCall) -> Reply:
    return Reply({f"{name}_url": f"{call.state.api_url}{path}" for name, path in _PLACES.items()})


def _rate_limit(call: RestCall) -> Reply:
    limit = call.state.limits.rate_per_hour
    core: Json = {"limit": limit, "used": 0, "remaining": limit, "reset": int(time.time()) + 3_600}
    return Reply({"resources": {"core": core, "search": core, "graphql": core}, "rate": core})


def _user(call: RestCall) -> Reply:
    if isinstance(call.caller, Anonymous | AppCaller):
        raise requires_authentication()
    if not isinstance(call.caller, UserCaller):
        raise not_accessible()
    account = call.caller.account
    made = stamp(account.created_at)
    unset, counted = dict.fromkeys(_UNTOLD), dict.fromkeys(_COUNTED, 0)
    given = account_json(call.state, account)
    return Reply({**given, **unset, **counted, "created_at": made, "updated_at": made})


def _meta(_: RestCall) -> Reply:
    return Reply({"verifiable_password_authentication": False})


ENDPOINTS = (
    Endpoint("GET", "/", _root, audience="anyone"),
    Endpoint("GET", "/meta", _meta, audience="anyone"),
    Endpoint("GET", "/rate_limit", _rate_limit, audience="anyone"),
    Endpoint("GET", "/user", _user, audience="anyone"),
)
