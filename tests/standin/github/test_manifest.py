"""The manifest flow: a form post, a code, the credentials of a new App."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from app.standin.github import ServingGitHub
from tests.standin.github.conftest import PERMISSIONS, Receiver

MANIFEST: dict[str, Any] = {
    "name": "Tether for Acme",
    "url": "https://tether.example",
    "redirect_url": "https://tether.example/setup/done",
    "default_events": ["pull_request", "push"],
    "default_permissions": PERMISSIONS,
}


def register(github: ServingGitHub, manifest: dict[str, Any]) -> httpx.Response:
    url = f"{github.url}/organizations/acme/settings/apps/new?state=s%26t"
    return httpx.post(url, data={"manifest": json.dumps(manifest)}, trust_env=False)


def test_a_manifest_becomes_an_app_once(github: ServingGitHub, receiver: Receiver) -> None:
    github.world.create_org("acme")
    answer = register(github, {**MANIFEST, "hook_attributes": {"url": receiver.url}})
    target = urlsplit(answer.headers["location"])
    query = parse_qs(target.query)
    assert (answer.status_code, target.path, query["state"]) == (302, "/setup/done", ["s&t"])
    url = f"{github.url}/app-manifests/{query['code'][0]}/conversions"
    app = httpx.post(url, trust_env=False).json()
    registered = github.world.state.apps[app["id"]]
    assert (app["slug"], app["owner"]["login"], app["pem"], app["webhook_secret"]) == (
        "tether-for-acme",
        "acme",
        registered.private_key_pem,
        registered.webhook_secret,
    )
    assert httpx.post(url, trust_env=False).status_code == 404
    assert github.world.wait_for_deliveries()
    assert receiver.events() == [("ping", None)]


def test_a_code_expires(github: ServingGitHub) -> None:
    github.world.create_org("acme")
    code = parse_qs(urlsplit(register(github, MANIFEST).headers["location"]).query)["code"][0]
    github.world.clock.skip(3_601)
    assert httpx.post(f"{github.url}/app-manifests/{code}/conversions", trust_env=False).status_code == 404


BROKEN: list[dict[str, Any]] = [
    {"url": None},
    {"redirect_url": None},
    {"default_events": ["issue_comment"]},
    {"hook_attributes": {"active": True}},
]


@pytest.mark.parametrize("broken", BROKEN, ids="-".join)
def test_a_manifest_is_refused_as_a_whole(github: ServingGitHub, broken: dict[str, Any]) -> None:
    github.world.create_org("acme")
    assert register(github, {**MANIFEST, **broken}).status_code == 422
    assert github.world.state.apps == {}
