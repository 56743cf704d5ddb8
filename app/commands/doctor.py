"""`tether doctor`: opens what the settings name, and asks every check."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path

import click

from app.commands.opening import open_pool
from app.commands.trees import read_folder
from app.doctor.checks import TOKEN_FIX, check_catalog, check_llm, check_repository
from app.doctor.checkup import Check, doctor_json, doctor_text, find_exit
from app.doctor.github import GitHubSetup, check_github
from app.doctor.health import Health, fetch_health, health_json, health_lines
from app.edges.claude import probe_key
from app.edges.datahub import DataHubReads, DataHubWrites
from app.edges.github import GitHubForges
from app.review.config import find_config_text, parse_config
from app.settings import Settings, load_settings
from app.words import CONFIG_PATH, Config, Permanent, Transient, Tree

UNREAD_FIX = "let the token's account read every entity (Settings, Permissions); the server's log says what it refused"


def print_checkup(repo: Path | None, style: str) -> int:
    """The exit code."""
    tree = read_folder(repo).tree if repo else None
    checks, health = asyncio.run(examine(load_settings(), tree))
    if style == "json":
        click.echo(json.dumps(doctor_json(checks, health_json(health) if health else None), indent=1))
    else:
        click.echo(doctor_text(checks, health_lines(health) if health else ()), nl=False)
    return find_exit(checks)


async def examine(settings: Settings, tree: Tree | None) -> tuple[tuple[Check, ...], Health | None]:
    """All checks of `tether doctor`, and the graph's health where the catalog could be read. `tree`: a repository's files."""
    checks = [*await _examine_github(settings)]
    catalog, reads = await _examine_catalog(settings)
    checks += catalog
    config = Config()
    if tree is not None:
        checks.append(check_repository(parse_config, partial(find_config_text, tree), CONFIG_PATH))
        config = parse_config(find_config_text(tree)) if checks[-1].status == "ok" else config
    key = settings.anthropic_api_key
    probe = partial(_probe_llm, settings, key.get_secret_value()) if key else None
    checks.append(await check_llm(probe))
    if reads is None:
        return tuple(checks), None
    try:
        async with open_pool() as pool:
            health = await fetch_health(reads, config, tree=tree, isolation=pool)
    except (Permanent, Transient) as error:
        return (*checks, Check("graph", "health", "wrong", str(error), UNREAD_FIX)), None
    finally:
        await reads.aclose()
    if health.unread:
        sentence = f"the numbers below are not whole: {health.unread[0]}"
        checks.append(Check("graph", "health", "wrong", sentence, UNREAD_FIX))
    checks.append(_check_index(health))
    return tuple(checks), health


def _check_index(health: Health) -> Check:
    if health.behind:
        fix = "wait until it has caught up, or rebuild it with DataHub's RestoreIndices; until then every check is red"
        return Check("graph", "index", "wrong", health.behind[0], fix)
    return Check("graph", "index", "ok", "the graph index has what the models of the catalog declare")


async def _examine_github(settings: Settings) -> tuple[Check, ...]:
    secrets, public_url = settings.webhook_secrets, settings.public_url or ""
    if not settings.github_app_id:
        missing = "TETHER_GITHUB_APP_ID is not set: it is the number (or client id) of the App at GitHub."
        return await check_github(GitHubSetup(secrets, None, missing, public_url))
    try:
        key, source = settings.read_private_key(), settings.private_key_source
        forges = GitHubForges(settings.github_app_id, key, settings.github_api_url, key_source=source)
    except Permanent as error:
        return await check_github(GitHubSetup(secrets, None, str(error), public_url))
    async with forges:
        return await check_github(GitHubSetup(secrets, forges.app, "", public_url))


async def _examine_catalog(settings: Settings) -> tuple[tuple[Check, ...], DataHubReads | None]:
    """The checks, and an open client where the token was accepted."""
    if not settings.datahub_url:
        return await check_catalog(None, None), None
    token = settings.datahub_token.get_secret_value() if settings.datahub_token else None
    try:
        reads, writes = DataHubReads(settings.datahub_url, token), DataHubWrites(settings.datahub_url, token)
    except Permanent as error:  # a token that no header can carry
        return (Check("catalog", "token", "wrong", str(error), TOKEN_FIX),), None
    checks = await check_catalog(reads, writes)
    if any(check.name == "token" and check.status == "ok" for check in checks):
        return checks, reads
    await reads.aclose()
    return checks, None


async def _probe_llm(settings: Settings, key: str) -> str:
    return await probe_key(key, base_url=settings.anthropic_base_url, model=settings.llm_model)
