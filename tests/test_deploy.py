"""What deploy/ and the container files promise: routes that exist, a key and a token that arrive, secrets that stay out."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import yaml

from app.webhook import create_router

ROOT = Path(__file__).parent.parent


async def accept(_: object) -> str:
    raise AssertionError("nothing is delivered here")


def test_the_manifest_names_only_routes_that_exist() -> None:
    manifest = json.loads((ROOT / "deploy/github-app.json").read_text())
    routes = {getattr(route, "path", "") for route in create_router(secrets=["s"], accept=accept).routes}
    host = "https://tether.example.com"
    named = re.findall(rf"{host}(/[^\"]*)", json.dumps(manifest))

    assert named == ["/webhooks/github"]
    assert set(named) <= routes


def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    return loaded


def test_the_key_reaches_the_container_where_the_example_says() -> None:
    (mount,) = [entry for entry in compose()["tether"]["volumes"] if entry.startswith("./secrets:")]
    target = mount.split(":")[1]

    assert mount.endswith(":ro")
    assert f"{target}/tether.pem" in (ROOT / "deploy/env.example").read_text()
    (uid,) = re.findall(r"--uid (\d+)", (ROOT / "Dockerfile").read_text())
    assert f"chown {uid} secrets/tether.pem" in (ROOT / "deploy/env.example").read_text()


def test_the_embedded_catalog_asks_for_the_token_and_can_be_loaded_from_outside() -> None:
    catalog = compose()["catalog"]

    assert catalog["environment"] == {"TETHER_DATAHUB_TOKEN": "${TETHER_DATAHUB_TOKEN:-}"}
    assert catalog["ports"] == ["127.0.0.1:8080:8080"]
    assert "http://catalog:8080" in (ROOT / "deploy/env.example").read_text()


def test_secrets_and_history_stay_out_of_the_image() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    copied = {
        name.removeprefix("./")
        for line in re.findall(r"^COPY (?!--from)(.+) \S+$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
        for name in line.split()
    }

    assert copied == {rule[1:] for rule in rules if rule.startswith("!")}
    for secret in (".env", ".git", "secrets", "tests"):
        assert fnmatch(secret, rules[0])
        assert f"!{secret}" not in rules
