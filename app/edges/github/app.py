"""The App itself: who it is, whether its credentials work, its installations, and deliveries that failed."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from githubkit import Response

from app.edges.github.shapes import field
from app.edges.github.wire import PER_PAGE, GitHubWire, NotThere, read_json
from app.words import Permanent

#: what deploy/github-app.json asks for: permission -> level
REQUIRED: Final[Mapping[str, str]] = {
    "checks": "write",
    "contents": "read",
    "merge_queues": "read",
    "metadata": "read",
    "pull_requests": "write",
}
EVENTS: Final = ("merge_group", "pull_request", "push")
_LEVELS: Final = ("", "read", "write", "admin")
#: GitHub refuses a JWT whose issue time lies in the future; ours says 60 s ago
_SKEW_S: Final = 30.0
_MAX_DELIVERY_PAGES: Final = 100
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Credentials:
    """The App as GitHub knows it. `missing_permissions` ("checks: write") and `missing_events` are gaps to close."""

    app_id: int
    slug: str
    name: str
    permissions: Mapping[str, str]
    missing_permissions: tuple[str, ...]
    missing_events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InstallationEntry:
    """`missing_permissions` are granted to the App, but not yet accepted here."""

    id: int
    account: str
    suspended: bool
    permissions: Mapping[str, str]
    missing_permissions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FailedDelivery:
    """A delivery we did not answer with 2xx. `guid` is what X-GitHub-Delivery said, `delivered_at` an ISO time, `status` what we
    answered (0: nothing), `attempts` how often GitHub sent it.
    """

    id: int
    guid: str
    event: str
    delivered_at: str
    status: int = 0
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class WebhookSettings:
    """The App's webhook as GitHub has it: `url` "" when there is none; GitHub never tells the secret, only that there is one."""

    url: str
    has_secret: bool
    verifies_tls: bool
    content_type: str


class AppClient:
    """Requests with the App's own JWT."""

    def __init__(self, wire: GitHubWire) -> None:
        self.wire = wire
        self._known: Credentials | None = None

    async def fetch_credentials(self) -> Credentials:
        """Ask GitHub who we are. Permanent says whether the id, the key or the clock is wrong."""
        what = "authenticate as the App"
        try:
            answer = await self.wire.get("/app", what)
        except NotThere as error:
            sentence = (
                "GitHub knows no such App: TETHER_GITHUB_APP_ID is wrong, or TETHER_GITHUB_API_URL is another GitHub's"
            )
            raise Permanent(sentence) from error
        except Permanent as error:
            raise Permanent(f"{error}{_clock_hint(error)}") from error
        body = read_json(answer, what)
        permissions = _levels(field(body, "permissions"))
        events = body.get("events") or ()
        self._known = Credentials(
            app_id=int(field(body, "id")),
            slug=str(field(body, "slug")),
            name=str(body.get("name") or ""),
            permissions=permissions,
            missing_permissions=_missing(permissions),
            missing_events=tuple(event for event in EVENTS if event not in events),
        )
        return self._known

    async def fetch_id(self) -> int:
        """The App's numeric id; the configured one may be a client id."""
        return (self._known or await self.fetch_credentials()).app_id

    async def fetch_login(self) -> str:
        """The login its comments carry."""
        return f"{(self._known or await self.fetch_credentials()).slug}[bot]"

    async def mint(self, installation_id: int) -> Response[Any, Any]:
        """Post for an installation token. Permanent when the App is not installed there (any more)."""
        path = f"/app/installations/{installation_id}/access_tokens"
        try:
            return await self.wire.write(
                lambda headers: self.wire.github.arequest("POST", path, json={}, headers=dict(headers)),
                f"get a token for installation {installation_id}",
            )
        except NotThere as error:
            raise Permanent(f"GitHub: installation {installation_id} is gone: the App was uninstalled there") from error

    async def fetch_installations(self) -> tuple[InstallationEntry, ...]:
        """Everywhere the App is installed."""
        return tuple(
            _installation(body) for body in await self.wire.pages("/app/installations", "list the installations")
        )

    async def fetch_installation(self, installation_id: int) -> InstallationEntry:
        """One installation, and what it was granted."""
        what = f"read installation {installation_id}"
        return _installation(read_json(await self.wire.get(f"/app/installations/{installation_id}", what), what))

    async def fetch_failed_deliveries(self, *, since: datetime) -> tuple[FailedDelivery, ...]:
        """Deliveries after `since` (aware) whose every attempt failed, oldest first. GitHub keeps three days of them."""
        last: dict[str, FailedDelivery] = {}
        attempts: Counter[str] = Counter()
        answered: set[str] = set()
        cursor = ""
        for _ in range(_MAX_DELIVERY_PAGES):
            params: dict[str, str | int] = {"per_page": PER_PAGE, **({"cursor": cursor} if cursor else {})}
            answer = await self.wire.get("/app/hook/deliveries", "list the deliveries", params=params)
            page = [_delivery(body) for body in read_json(answer, "list the deliveries")]
            # Newest first; a redelivery has its first attempt's GUID: one that came through settles the earlier ones.
            recent = [(one, ok) for one, ok in page if datetime.fromisoformat(one.delivered_at) >= since]
            answered.update(one.guid for one, ok in recent if ok)
            for one, ok in recent:
                attempts[one.guid] += 1
                if not ok:
                    last.setdefault(one.guid, one)
            cursor = _next_cursor(answer.headers.get("link", ""))
            if not cursor or len(recent) < len(page):
                break
        else:
            log.warning("only the newest %s deliveries were looked at", _MAX_DELIVERY_PAGES * PER_PAGE)
        return tuple(
            replace(one, attempts=attempts[guid]) for guid, one in reversed(last.items()) if guid not in answered
        )

    async def fetch_hook(self) -> WebhookSettings:
        """Where GitHub sends deliveries."""
        what = "read the webhook's configuration"
        body = read_json(await self.wire.get("/app/hook/config", what), what)
        return WebhookSettings(
            url=str(body.get("url") or ""),
            has_secret=bool(body.get("secret")),
            verifies_tls=str(body.get("insecure_ssl", "0")) == "0",
            content_type=str(body.get("content_type") or "form"),  # GitHub's own default
        )

    async def fetch_skew(self) -> float | None:
        """Seconds that this machine's clock is ahead of GitHub's; None when its answer carries no date. A refusal tells it."""
        try:
            return _find_skew((await self.wire.get("/app", "read GitHub's clock")).headers)
        except Permanent as error:
            skew = _find_skew(_headers_behind(error))
            if skew is None:
                raise
            return skew

    async def redeliver(self, delivery_id: int) -> None:
        """Ask GitHub to deliver it again, under the same GUID."""
        path = f"/app/hook/deliveries/{delivery_id}/attempts"
        await self.wire.write(
            lambda headers: self.wire.github.arequest("POST", path, headers=dict(headers)), f"redeliver {delivery_id}"
        )


def _levels(permissions: Any) -> dict[str, str]:
    return {str(name): str(level) for name, level in permissions.items()} if isinstance(permissions, Mapping) else {}


def _missing(granted: Mapping[str, str]) -> tuple[str, ...]:
    def rank(level: str) -> int:
        return _LEVELS.index(level) if level in _LEVELS else 0

    return tuple(f"{name}: {level}" for name, level in REQUIRED.items() if rank(granted.get(name, "")) < rank(level))


def _installation(body: Any) -> InstallationEntry:
    permissions = _levels(field(body, "permissions"))
    account = body.get("account") or {}
    return InstallationEntry(
        id=int(field(body, "id")),
        account=str(account.get("login") or account.get("slug") or ""),
        suspended=body.get("suspended_at") is not None,
        permissions=permissions,
        missing_permissions=_missing(permissions),
    )


def _delivery(body: Any) -> tuple[FailedDelivery, bool]:
    delivered = str(field(body, "delivered_at"))
    code = int(field(body, "status_code"))
    one = FailedDelivery(int(field(body, "id")), str(field(body, "guid")), str(field(body, "event")), delivered, code)
    return one, 200 <= code < 300


def _next_cursor(links: str) -> str:
    for part in links.split(","):
        address, _, relation = part.partition(";")
        if 'rel="next"' in relation:
            return next(iter(parse_qs(urlsplit(address.strip(" <>")).query).get("cursor", [""])))
    return ""


def _clock_hint(error: Permanent) -> str:
    """When GitHub's clock and ours differ, that is the likelier cause than a wrong key."""
    skew = _find_skew(_headers_behind(error))
    if skew is None or abs(skew) < _SKEW_S:
        return ""
    return f" This machine's clock is {abs(skew):.0f} s {'ahead of' if skew > 0 else 'behind'} GitHub's: set it right first."


def _headers_behind(error: Permanent) -> Mapping[str, str]:
    """The headers of the answer that became this exception."""
    cause = error
    while cause.__cause__ is not None and getattr(cause, "response", None) is None:
        cause = cause.__cause__  # type: ignore[assignment]  # any exception may be a cause
    response = getattr(getattr(cause, "response", None), "raw_response", None)
    return response.headers if response is not None else {}


def _find_skew(headers: Mapping[str, str]) -> float | None:
    dated = headers.get("date")
    return time.time() - parsedate_to_datetime(dated).timestamp() if dated else None


__all__: Sequence[str] = ["AppClient", "Credentials", "FailedDelivery", "InstallationEntry", "WebhookSettings"]
