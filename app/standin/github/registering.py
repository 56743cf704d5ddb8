"""How accounts and Apps come to be: by the control API, or from a manifest that somebody confirmed in the browser."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from app.standin.github.auth import make_key_pair
from app.standin.github.errors import GitHubError
from app.standin.github.events import Events, unsupported_events
from app.standin.github.records import Account, AppRecord
from app.standin.github.state import State

_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}(\[bot\])?")


@dataclass(frozen=True, slots=True)
class Registration:
    """An App to register, as its owner fills in the form."""

    name: str
    owner: Account
    permissions: Mapping[str, str]
    events: tuple[str, ...] = ()
    webhook_url: str | None = None
    webhook_secret: str | None = None
    private_key_pem: str | None = None  # None: a fresh one


def create_account(state: State, login: str, kind: Literal["User", "Organization", "Bot"]) -> Account:
    """A new account; raises ValueError when the login is taken or none."""
    with state.lock:
        if login.lower() in state.accounts:
            raise ValueError(f"there is an account {login!r} already")
        if _LOGIN.fullmatch(login) is None:
            raise ValueError(f"not a login: {login!r}")
        account = Account(state.next_id("account"), login, kind, state.now())
        state.accounts[login.lower()] = account
    return account


def register_app(state: State, events: Events, form: Registration) -> AppRecord:
    """Register it and send its ping; 422 as a whole when an event lacks its permission."""
    refused = unsupported_events(form.permissions, form.events)
    if refused:
        raise GitHubError(422, f"Default events are not supported by permissions: {', '.join(refused)}")
    slug = re.sub(r"[^a-z0-9]+", "-", form.name.lower()).strip("-")
    private, public = make_key_pair(form.private_key_pem)
    app = AppRecord(
        id=state.next_id("app"),
        slug=slug,
        name=form.name,
        owner=form.owner,
        bot=create_account(state, f"{slug}[bot]", "Bot"),
        client_id=f"Iv23li{secrets.token_hex(7)}",
        private_key_pem=private,
        public_key_pem=public,
        webhook_secret=form.webhook_secret or secrets.token_hex(20),
        webhook_url=form.webhook_url,
        hook_id=state.next_id("hook"),
        permissions=dict(form.permissions),
        events=form.events,
        created_at=state.now(),
    )
    app.bot.app_id = app.id
    state.apps[app.id] = app
    events.ping(app)
    return app


def read_manifest(manifest: Mapping[str, Any], owner: Account) -> Registration:
    """The form an App manifest fills in; 422 when it lacks what GitHub requires (url, hook_attributes.url)."""
    hook = manifest.get("hook_attributes", {})
    if not isinstance(manifest.get("url"), str) or not isinstance(hook, dict):
        raise GitHubError(422, "Invalid GitHub App manifest: url wasn't supplied")
    if hook and not isinstance(hook.get("url"), str):
        raise GitHubError(422, "Invalid GitHub App manifest: hook_attributes.url wasn't supplied")
    name, permissions = str(manifest.get("name") or "app"), manifest.get("default_permissions", {})
    events = tuple(str(event) for event in manifest.get("default_events", ()))
    if not isinstance(permissions, dict):
        raise GitHubError(422, "Invalid GitHub App manifest: default_permissions is not an object")
    active = hook.get("active", True)
    return Registration(name, owner, permissions, events, hook.get("url") if active else None)
