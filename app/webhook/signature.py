"""Is this body from GitHub? HMAC-SHA256 over the raw bytes, as GitHub documents it. The SHA-1 header is not looked at."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from hashlib import sha256


def is_signed(body: bytes, signature: str | None, secrets: Sequence[str]) -> bool:
    """True when `X-Hub-Signature-256` fits the raw body under one of the secrets (two are active during a rotation)."""
    given = (signature or "").encode()
    # Every secret is tried and every comparison takes constant time: the answer's delay tells nothing about either.
    fits = [hmac.compare_digest(given, _signature(body, secret)) for secret in secrets if secret]
    return any(fits)


def _signature(body: bytes, secret: str) -> bytes:
    return b"sha256=" + hmac.new(secret.encode(), body, sha256).hexdigest().encode()
