"""`tether doctor` on the side of GitHub: what a new App gets wrong, in the order in which it has to be right.

Deliberately absent: every change. GitHub never tells the webhook's secret; that ours is another one shows in deliveries
that were refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

from app.doctor.checkup import Check, guard, skip
from app.words import Permanent, Transient

#: GitHub refuses a token that begins in its future; ours begin 60 s ago and live for minutes
MOST_SKEW = 30.0
#: how far back undelivered webhooks are looked at
RECENT = timedelta(days=1)
SHORT_SECRET = 20  # characters; GitHub recommends a random text of high entropy
WEBHOOK_PATH = "/webhooks/github"
UNREACHED_FIX = "TETHER_GITHUB_API_URL must be reachable from here; if it is, try again when GitHub answers"


class AppFacts(Protocol):
    """`app.edges.github.Credentials`."""

    @property
    def slug(self) -> str: ...
    @property
    def missing_permissions(self) -> tuple[str, ...]: ...
    @property
    def missing_events(self) -> tuple[str, ...]: ...


class InstallationFacts(Protocol):
    """`app.edges.github.Installation`."""

    @property
    def account(self) -> str: ...
    @property
    def suspended(self) -> bool: ...
    @property
    def missing_permissions(self) -> tuple[str, ...]: ...


class HookFacts(Protocol):
    """`app.edges.github.Hook`."""

    @property
    def url(self) -> str: ...
    @property
    def has_secret(self) -> bool: ...
    @property
    def verifies_tls(self) -> bool: ...
    @property
    def content_type(self) -> str: ...


class DeliveryFacts(Protocol):
    """`app.edges.github.FailedDelivery`."""

    @property
    def status(self) -> int: ...


class GitHubApp(Protocol):
    """`app.edges.github.App`."""

    async def fetch_credentials(self) -> AppFacts: ...
    async def fetch_skew(self) -> float | None: ...
    async def fetch_installations(self) -> Iterable[InstallationFacts]: ...
    async def fetch_hook(self) -> HookFacts: ...
    async def fetch_failed_deliveries(self, *, since: datetime) -> Iterable[DeliveryFacts]: ...


@dataclass(frozen=True, slots=True)
class GitHubSetup:
    """`problem` says why there is no `app`: what is missing among the settings."""

    secrets: tuple[str, ...]
    app: GitHubApp | None = None
    problem: str = ""
    public_url: str = ""


async def check_github(setup: GitHubSetup, *, now: datetime | None = None) -> tuple[Check, ...]:
    """Credentials, clock, permissions, events, installations, webhook and its secret."""
    if setup.app is None:
        wrong = Check("github", "credentials", "wrong", setup.problem, "set it; docs/install.md says how")
        return (wrong, *skip("github", *("clock", "permissions", "events", "installations", "webhook")), _secret(setup))
    credentials, known = await _check_credentials(setup.app)
    checks = [credentials, await guard("github", "clock", _check_clock(setup.app), fix=UNREACHED_FIX)]
    if known is None:
        checks += skip("github", *("permissions", "events", "installations", "webhook"))
        return (*checks, _secret(setup))
    checks += [_check_permissions(known), _check_events(known)]
    checks.append(await guard("github", "installations", _check_installations(setup.app), fix=UNREACHED_FIX))
    checks.append(await guard("github", "webhook", _check_hook(setup.app, setup.public_url), fix=UNREACHED_FIX))
    checks.append(_secret(setup))
    if setup.secrets:
        deliveries = _check_deliveries(setup.app, now or datetime.now(UTC))
        checks.append(await guard("github", "deliveries", deliveries, fix=UNREACHED_FIX))
    return tuple(checks)


async def _check_credentials(app: GitHubApp) -> tuple[Check, AppFacts | None]:
    try:
        known = await app.fetch_credentials()
    except Permanent as error:
        fix = "compare TETHER_GITHUB_APP_ID and the private key with the App's settings page, and TETHER_GITHUB_API_URL"
        return Check("github", "credentials", "wrong", str(error), fix), None
    except Transient as error:
        return Check("github", "credentials", "wrong", str(error), UNREACHED_FIX), None
    return Check("github", "credentials", "ok", f"GitHub knows the App {known.slug}"), known


async def _check_clock(app: GitHubApp) -> Check:
    skew = await app.fetch_skew()
    if skew is None:
        return Check("github", "clock", "note", "GitHub's answer carries no date; the clock was not compared")
    sentence = f"this machine's clock is {abs(skew):.0f} s {'ahead of' if skew > 0 else 'behind'} GitHub's"
    if abs(skew) > MOST_SKEW:
        return Check("github", "clock", "wrong", sentence, "set it right (NTP); GitHub refuses tokens from the future")
    return Check("github", "clock", "ok", sentence)


def _check_permissions(known: AppFacts) -> Check:
    if not known.missing_permissions:
        return Check("github", "permissions", "ok", "the App asks for every permission that it needs")
    listed = ", ".join(known.missing_permissions)
    fix = "add them at the App's settings, Permissions & events; each organisation then has to accept them"
    return Check("github", "permissions", "wrong", f"the App does not ask for {listed}", fix)


def _check_events(known: AppFacts) -> Check:
    if not known.missing_events:
        return Check("github", "events", "ok", "the App subscribes to every event that it needs")
    listed = ", ".join(known.missing_events)
    fix = "subscribe to them at the App's settings, Permissions & events"
    return Check("github", "events", "wrong", f"the App does not subscribe to {listed}", fix)


async def _check_installations(app: GitHubApp) -> Check:
    found = tuple(await app.fetch_installations())
    if not found:
        fix = "install it on an organisation: the App's settings, Install App"
        return Check("github", "installations", "wrong", "the App is installed nowhere", fix)
    behind = [one for one in found if one.missing_permissions]
    suspended = [one.account for one in found if one.suspended]
    if behind:
        listed = "; ".join(f"{one.account} ({', '.join(one.missing_permissions)})" for one in behind)
        fix = "an owner of the organisation accepts them: Settings, GitHub Apps, Review request"
        return Check("github", "installations", "wrong", f"permissions are not accepted yet by {listed}", fix)
    if suspended:
        sentence = f"suspended on {', '.join(suspended)}; nothing is reviewed there"
        return Check("github", "installations", "note", sentence, "unsuspend it there: Settings, GitHub Apps")
    return Check("github", "installations", "ok", f"installed on {', '.join(one.account for one in found)}")


async def _check_hook(app: GitHubApp, public_url: str) -> Check:
    hook = await app.fetch_hook()
    if not hook.url:
        fix = f"set the App's Webhook URL to https://<this server>{WEBHOOK_PATH} and tick Active"
        return Check("github", "webhook", "wrong", "the App has no webhook, so that no event ever arrives", fix)
    problems = []
    if not hook.url.rstrip("/").endswith(WEBHOOK_PATH):
        problems.append(f"it does not end with {WEBHOOK_PATH}")
    if public_url and not hook.url.startswith(public_url):
        problems.append(f"it is not below TETHER_PUBLIC_URL {public_url}")
    if not hook.has_secret:
        problems.append("it has no secret, so that GitHub signs nothing and every delivery is refused")
    if hook.content_type != "json":
        problems.append(f"it sends {hook.content_type} instead of json")
    if problems:
        sentence = f"{hook.url}: {'; '.join(problems)}"
        return Check("github", "webhook", "wrong", sentence, "correct it at the App's settings, Webhook")
    if not hook.verifies_tls:
        return Check("github", "webhook", "note", f"{hook.url} is called without checking its certificate")
    return Check("github", "webhook", "ok", f"deliveries go to {hook.url}")


def _secret(setup: GitHubSetup) -> Check:
    if not setup.secrets:
        fix = "set TETHER_GITHUB_WEBHOOK_SECRET to the secret at the App's settings, Webhook"
        return Check("github", "webhook secret", "wrong", "TETHER_GITHUB_WEBHOOK_SECRET is not set", fix)
    if any(len(secret) < SHORT_SECRET for secret in setup.secrets):
        sentence = f"a webhook secret is shorter than {SHORT_SECRET} characters, and can be guessed"
        return Check("github", "webhook secret", "note", sentence, "take a longer one: openssl rand -hex 32")
    count = "is set" if len(setup.secrets) == 1 else f"has {len(setup.secrets)} values (one is being replaced)"
    return Check("github", "webhook secret", "ok", f"TETHER_GITHUB_WEBHOOK_SECRET {count}")


async def _check_deliveries(app: GitHubApp, now: datetime) -> Check:
    """GitHub does not tell its secret; what was refused with 401 says that ours is another one."""
    failed = tuple(await app.fetch_failed_deliveries(since=now - RECENT))
    refused = sum(one.status == 401 for one in failed)
    if refused:
        fix = "set TETHER_GITHUB_WEBHOOK_SECRET to the secret at the App's settings (two, comma-separated, while it changes)"
        return Check(
            "github", "deliveries", "wrong", f"{refused} deliveries of the last day had another signature", fix
        )
    if failed:
        sentence = (
            f"{len(failed)} deliveries of the last day were not taken (last answer: {failed[-1].status or 'none'})"
        )
        fix = "make the webhook's address reach `tether serve`; the App's settings, Advanced, shows each delivery"
        return Check("github", "deliveries", "wrong", sentence, fix)
    return Check("github", "deliveries", "ok", "every delivery of the last day was taken")
