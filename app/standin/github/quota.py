"""The primary rate limit: requests per hour and credential, told in every answer, refused with 403 beyond it.

Source: docs.github.com, "Rate limits for the REST API". Secondary limits are not simulated; plan them as faults.
"""

from __future__ import annotations

import threading
import time

from app.standin.github.errors import GitHubError
from app.standin.github.state import ApiLimits

_HOUR = 3_600


class Quota:
    """Counts per credential in hour-long windows that start with the first request."""

    def __init__(self, limits: ApiLimits) -> None:
        self._limits = limits
        self._windows: dict[str, tuple[float, int]] = {}
        self._lock = threading.Lock()

    def spend(self, credential: str | None) -> GitHubError | None:
        """Count one request; the error to answer when nothing was left."""
        key, now = credential or "", time.time()
        with self._lock:
            reset, used = self._windows.get(key, (now + _HOUR, 0))
            if now >= reset:
                reset, used = now + _HOUR, 0
            self._windows[key] = (reset, used + 1)
        over = used >= self._limits.rate_per_hour
        return GitHubError(403, "API rate limit exceeded for installation.") if over else None

    def refund(self, credential: str | None) -> None:
        """A conditional request that was answered with 304 costs nothing."""
        with self._lock:
            reset, used = self._windows[credential or ""]
            self._windows[credential or ""] = (reset, used - 1)

    def headers(self, credential: str | None) -> dict[str, str]:
        reset, used = self._windows.get(credential or "", (time.time() + _HOUR, 0))
        limit = self._limits.rate_per_hour
        return {
            "X-RateLimit-Limit": str(limit),
            "X-RateLimit-Remaining": str(max(0, limit - used)),
            "X-RateLimit-Used": str(used),
            "X-RateLimit-Reset": str(int(reset)),
            "X-RateLimit-Resource": "core",
        }
