"""The App's two kinds of credentials: its own JWT, and a token for each installation.

Rules: docs.github.com "Generating a JSON Web Token": RS256, `iat` 60 s in the past against clock drift, `exp` at most 10
minutes ahead. Tokens live for an hour; nothing is assumed about their length or form. Neither ever reaches a log.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Final
from weakref import WeakKeyDictionary

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from app.words import Permanent

#: what a message calls the key when nobody says where it came from
KEY_SOURCE: Final = "the value of TETHER_GITHUB_PRIVATE_KEY"
_JWT_LIFE_S: Final = 540
_JWT_REUSE_S: Final = 420
_TOKEN_LIFE_S: Final = 3600.0
#: a token is replaced this early, so that it does not expire in the middle of a review
REFRESH_EARLY_S: Final = 300.0


def load_key(pem: str, *, source: str = KEY_SOURCE) -> RSAPrivateKey:
    """The App's private key. Raises Permanent for anything that is not an RSA key in PEM form; it names the `source`."""
    text = pem.replace("\\n", "\n") if "\\n" in pem else pem  # one-line form of environment files
    try:
        key = _parse_key(text.strip())
    except (ValueError, TypeError) as error:
        raise Permanent(f"{source} is not a private key in PEM form: download a new one from GitHub") from error
    if not isinstance(key, RSAPrivateKey):
        raise Permanent(f"{source} is not an RSA key: GitHub Apps sign with RSA")
    return key


@lru_cache(maxsize=4)
def _parse_key(pem: str) -> PrivateKeyTypes:
    """OpenSSL proves the primes anew each time, which takes longer than a request."""
    return load_pem_private_key(pem.encode(), password=None)


class AppCredentials:
    """The App's JWT, made anew every few minutes. `clock` is the UTC epoch in seconds."""

    def __init__(self, app_id: str, key: RSAPrivateKey, *, clock: Callable[[], float] = time.time) -> None:
        self._app_id = app_id
        self._key = key
        self._clock = clock
        self._made: tuple[float, str] | None = None

    async def current(self) -> str:
        now = self._clock()
        if self._made is None or not 0 <= now - self._made[0] < _JWT_REUSE_S:
            claims = {"iss": self._app_id, "iat": int(now) - 60, "exp": int(now) + _JWT_LIFE_S}
            self._made = (now, jwt.encode(claims, self._key, algorithm="RS256"))
        return f"Bearer {self._made[1]}"

    async def renewed(self, refused: str) -> str | None:  # noqa: ARG002 - fulfils Credentials
        """None: a JWT that GitHub refuses is not refused because it is old."""
        return None


@dataclass(frozen=True, slots=True)
class _Token:
    value: str
    until: float  # on the monotonic clock, early refresh included


class InstallationTokens:
    """A token per installation, minted once however many ask at a time.

    `mint` posts for a token and gives back GitHub's answer. Life is counted from the answer's own Date header, so that a
    wrong clock here neither lengthens nor shortens it.
    """

    def __init__(
        self, mint: Callable[[int], Awaitable[httpx.Response]], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._mint = mint
        self._clock = clock
        self._tokens: dict[int, _Token] = {}
        # A lock belongs to its event loop; jobs may run in several.
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, asyncio.Lock]] = WeakKeyDictionary()

    def of(self, installation_id: int) -> InstallationCredentials:
        return InstallationCredentials(self, installation_id)

    async def fetch(self, installation_id: int, *, refused: str = "") -> str:
        """The installation's token; another one than `refused`."""
        async with self._lock(installation_id):
            held = self._tokens.get(installation_id)
            if held is None or held.value == refused or held.until <= self._clock():
                self._tokens.pop(installation_id, None)
                held = _read_token(await self._mint(installation_id), self._clock())
                self._tokens[installation_id] = held
            return held.value

    def _lock(self, installation_id: int) -> asyncio.Lock:
        locks = self._locks.setdefault(asyncio.get_running_loop(), {})
        return locks.setdefault(installation_id, asyncio.Lock())


class InstallationCredentials:
    """One installation's token as an Authorization header."""

    def __init__(self, tokens: InstallationTokens, installation_id: int) -> None:
        self._tokens = tokens
        self._installation_id = installation_id

    async def current(self) -> str:
        return f"token {await self._tokens.fetch(self._installation_id)}"

    async def renewed(self, refused: str) -> str | None:
        """Another token after GitHub refused this one: expired, revoked, or the clock jumped."""
        return f"token {await self._tokens.fetch(self._installation_id, refused=refused.removeprefix('token '))}"


def _read_token(response: httpx.Response, now: float) -> _Token:
    body = response.json()
    try:
        value, expires = str(body["token"]), datetime.fromisoformat(str(body["expires_at"]))
    except (KeyError, TypeError, ValueError) as error:
        raise Permanent("GitHub: the answer to a token request carries no token") from error
    dated = response.headers.get("date")
    life = expires.timestamp() - (parsedate_to_datetime(dated).timestamp() if dated else time.time())
    return _Token(value, now + min(max(life, 0.0), _TOKEN_LIFE_S) - REFRESH_EARLY_S)
