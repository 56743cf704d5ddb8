"""Endpoints of an App as itself (JWT): the App, its installations, their tokens, its webhook and its deliveries."""

from __future__ import annotations

import json
import re
from urllib.parse import urlencode

from app.standin.github.auth import AppCaller, InstallationCaller, UserCaller, mint_token, own_installation, require_app
from app.standin.github.errors import GitHubError, malformed, not_found, requires_authentication
from app.standin.github.records import Delivery, InstallationRecord, Json, RepoRecord
from app.standin.github.routing import Endpoint, Reply, RestCall, paged
from app.standin.github.shapes_accounts import app_json, installation_json, repo_json, stamp
from app.standin.github.state import State


def _app(call: RestCall) -> Reply:
    app = require_app(call.caller)
    count = sum(1 for i in list(call.state.installations.values()) if i.app is app)
    return Reply({**app_json(call.state, app), "installations_count": count})


def _app_by_slug(call: RestCall) -> Reply:
    app = next((a for a in list(call.state.apps.values()) if a.slug == call.params["slug"]), None)
    if app is None:
        raise not_found()
    return Reply(app_json(call.state, app))


def _installations(call: RestCall) -> Reply:
    app = require_app(call.caller)
    mine = [i for i in list(call.state.installations.values()) if i.app is app]
    return paged(call, mine, lambda i: installation_json(call.state, i))


def _installation(call: RestCall) -> Reply:
    return Reply(installation_json(call.state, _own(call)))


def _own(call: RestCall) -> InstallationRecord:
    return own_installation(call.state, require_app(call.caller), call.number("id"))


def _access_token(call: RestCall) -> Reply:
    installation = _own(call)
    token = mint_token(call.state, installation, call.body)
    body: Json = {
        "token": token.value,
        "expires_at": stamp(token.expires_at),
        "permissions": {"metadata": "read", **token.permissions},
        "repository_selection": "selected" if token.repo_ids is not None else installation.repository_selection,
    }
    if token.repo_ids is not None:
        chosen = [call.state.repos[repo_id] for repo_id in sorted(token.repo_ids)]
        body["repositories"] = [repo_json(call.state, repo) for repo in chosen]
    return Reply(body, 201)


def _repo_installation(call: RestCall) -> Reply:
    app = require_app(call.caller)
    repo = call.state.find_repo(str(call.params["owner"]), str(call.params["repo"]))
    found = None if repo is None else _seeing(call.state, app.id, repo)
    if found is None:
        raise not_found()
    return Reply(installation_json(call.state, found))


def _seeing(state: State, app_id: int, repo: RepoRecord) -> InstallationRecord | None:
    return next((i for i in list(state.installations.values()) if i.app.id == app_id and state.sees(i, repo)), None)


def _account_installation(call: RestCall) -> Reply:
    app, account = require_app(call.caller), call.state.account(str(call.params["account"]))
    found = next((i for i in list(call.state.installations.values()) if i.app is app and i.account is account), None)
    if found is None:
        raise not_found()
    return Reply(installation_json(call.state, found))


def _hook_config(call: RestCall) -> Reply:
    app = require_app(call.caller)
    config = {"content_type": "json", "insecure_ssl": "0", "secret": "********"}
    return Reply(config if app.webhook_url is None else {**config, "url": app.webhook_url})


def _set_hook_config(call: RestCall) -> Reply:
    app = require_app(call.caller)
    url, secret = call.body.get("url", app.webhook_url), call.body.get("secret", app.webhook_secret)
    if not (url is None or isinstance(url, str)) or not isinstance(secret, str):
        raise malformed("url and secret must be strings.")
    app.webhook_url, app.webhook_secret = url, secret
    return _hook_config(call)


def _deliveries(call: RestCall) -> Reply:
    """Newest first, by cursor; `status=failure` are the ones to deliver again."""
    mine = [d for d in reversed(list(call.state.deliveries.values())) if _listed(call, d)]
    cursor, size = call.query.get("cursor", ""), call.query.get("per_page", "")
    per_page = min(int(size) if re.fullmatch(r"[1-9]\d{0,4}", size) else 30, 100)
    if re.fullmatch(r"v1_\d+", cursor):
        mine = [delivery for delivery in mine if delivery.id < int(cursor[3:])]
    shown, headers = mine[:per_page], {}
    if len(mine) > per_page:
        query = urlencode({**call.query, "cursor": f"v1_{shown[-1].id}"})
        headers["Link"] = f'<{call.url}?{query}>; rel="next"'
    return Reply([_delivery_json(delivery) for delivery in shown], headers=headers)


def _listed(call: RestCall, delivery: Delivery) -> bool:
    wanted = call.query.get("status")
    mine = delivery.app is require_app(call.caller) and delivery.status != "pending"
    return mine and (wanted is None or (wanted == "success") == delivery.ok)


def _delivery_json(delivery: Delivery) -> Json:
    when = delivery.delivered_at or delivery.created_at
    return {
        "id": delivery.id,
        "guid": delivery.guid,
        "delivered_at": stamp(when),
        "redelivery": delivery.redelivery,
        "duration": delivery.duration,
        "status": delivery.status,
        "status_code": delivery.status_code,
        "event": delivery.event,
        "action": delivery.action,
        "installation_id": delivery.installation_id,
        "repository_id": delivery.repository_id,
        "throttled_at": None,
    }


def _own_delivery(call: RestCall) -> Delivery:
    found = call.state.deliveries.get(call.number("id"))
    if found is None or not isinstance(call.caller, AppCaller) or found.app is not call.caller.app:
        require_app(call.caller)
        raise not_found()
    return found


def _delivery(call: RestCall) -> Reply:
    found = _own_delivery(call)
    request = {"headers": found.request_headers, "payload": json.loads(found.body)}
    response = {"headers": found.response_headers, "payload": found.response_body}
    return Reply({**_delivery_json(found), "url": found.url, "request": request, "response": response})


def _redeliver(call: RestCall) -> Reply:
    call.events.courier.redeliver(_own_delivery(call))
    return Reply({}, 202)


def _repositories(call: RestCall) -> Reply:
    if isinstance(call.caller, UserCaller):
        raise GitHubError(403, "You must authenticate with an installation access token to list its repositories.")
    if not isinstance(call.caller, InstallationCaller):
        raise requires_authentication()
    installation, token = call.caller.installation, call.caller.token
    seen = [r for r in call.state.repos_of(installation) if token.repo_ids is None or r.id in token.repo_ids]
    reply = paged(call, seen, lambda repo: repo_json(call.state, repo), "repositories")
    selection = "selected" if token.repo_ids is not None else installation.repository_selection
    return Reply({**reply.body, "repository_selection": selection}, headers=reply.headers)


ENDPOINTS = (
    Endpoint("GET", "/app", _app, audience="app"),
    Endpoint("GET", "/apps/{slug}", _app_by_slug, audience="anyone"),
    Endpoint("GET", "/app/installations", _installations, audience="app"),
    Endpoint("GET", "/app/installations/{id:int}", _installation, audience="app"),
    Endpoint("POST", "/app/installations/{id:int}/access_tokens", _access_token, audience="app"),
    Endpoint("GET", "/repos/{owner}/{repo}/installation", _repo_installation, audience="app"),
    Endpoint("GET", "/orgs/{account}/installation", _account_installation, audience="app"),
    Endpoint("GET", "/users/{account}/installation", _account_installation, audience="app"),
    Endpoint("GET", "/app/hook/config", _hook_config, audience="app"),
    Endpoint("PATCH", "/app/hook/config", _set_hook_config, audience="app"),
    Endpoint("GET", "/app/hook/deliveries", _deliveries, audience="app"),
    Endpoint("GET", "/app/hook/deliveries/{id:int}", _delivery, audience="app"),
    Endpoint("POST", "/app/hook/deliveries/{id:int}/attempts", _redeliver, audience="app"),
    Endpoint("GET", "/installation/repositories", _repositories, audience="anyone"),
)
