"""The App manifest flow: the form that a person confirms, and the one-time code that fetches the App's credentials.

Source: docs.github.com, "Registering a GitHub App from a manifest". Here the confirmation page is skipped: the post is
taken as confirmed and redirects at once.
"""

from __future__ import annotations

import json
import secrets
from datetime import timedelta
from urllib.parse import parse_qs, urlencode

from app.standin.github.errors import malformed, not_found
from app.standin.github.registering import read_manifest, register_app
from app.standin.github.routing import Endpoint, Reply, RestCall
from app.standin.github.shapes_accounts import app_json

_CODE_LIFETIME = timedelta(hours=1)


def _new_app(call: RestCall) -> Reply:
    """`POST /settings/apps/new` or `/organizations/{org}/settings/apps/new`, form field `manifest`."""
    form = parse_qs(call.raw.decode(errors="replace"))
    try:
        manifest = json.loads(form.get("manifest", [""])[0])
    except ValueError as error:
        raise malformed("manifest is not JSON.") from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("redirect_url"), str):
        raise malformed("manifest has no redirect_url.")
    login = str(call.params.get("org", "sandbox-dev"))
    registration = read_manifest(manifest, call.state.account(login))
    app = register_app(call.state, call.events, registration)
    code = secrets.token_hex(20)
    call.state.manifest_codes[code] = (app.id, call.state.now() + _CODE_LIFETIME)
    query = {"code": code, **({"state": call.query["state"]} if "state" in call.query else {})}
    joint = "&" if "?" in manifest["redirect_url"] else "?"
    return Reply(None, 302, {"Location": f"{manifest['redirect_url']}{joint}{urlencode(query)}"})


def _convert(call: RestCall) -> Reply:
    """The credentials, once and within an hour."""
    app_id, expires = call.state.manifest_codes.pop(str(call.params["code"]), (0, call.state.now()))
    app = call.state.apps.get(app_id)
    if app is None or expires <= call.state.now():
        raise not_found()
    credentials = {
        "client_secret": secrets.token_hex(20),
        "webhook_secret": app.webhook_secret,
        "pem": app.private_key_pem,
    }
    return Reply({**app_json(call.state, app), **credentials}, 201)


ENDPOINTS = (
    Endpoint("POST", "/settings/apps/new", _new_app, audience="anyone"),
    Endpoint("POST", "/organizations/{org}/settings/apps/new", _new_app, audience="anyone"),
    Endpoint("POST", "/app-manifests/{code}/conversions", _convert, audience="anyone"),
)
