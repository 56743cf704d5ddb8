"""What GitHub's refusals mean for us: `Transient` (the same call may succeed later) or `Permanent` (somebody must fix it).

Rules: docs.github.com "Rate limits for the REST API" (403 and 429 both carry limits) and "Best practices". A message says
what was tried and which permission or setting to fix; GitHub's own sentence is quoted, cut to one line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, Final

import httpx
from githubkit.exception import GitHubException, RequestError, RequestFailed

from app.words import Permanent, Transient

#: GitHub: without a header, wait at least one minute after a secondary limit
SECONDARY_WAIT_S: Final = 60.0
#: the primary limit lasts an hour at most; a header that says more is not believed
LONGEST_WAIT_S: Final = 3_900.0
_MOVED: Final = frozenset({301, 302, 307, 308})


class NotThere(Permanent):
    """404, 410 or a redirect: what the path names is not there under this name (any more)."""


class RateLimited(Transient):
    """GitHub told these credentials to wait; `retry_after` says how long."""


class Denied(Permanent):
    """403 that is no limit: the installation may not do that, or not see that repository."""


@contextmanager
def translated(what: str, *, needs: str = "") -> Iterator[None]:
    """Everything githubkit raises inside becomes Transient or Permanent. `needs` is the permission ("checks: write")."""
    try:
        yield
    except RequestFailed as error:
        raise find_failure(error.response.raw_response, what, needs=needs) from error
    except RequestError as error:
        raise translate_unanswered(error.exc, what) from error
    except GitHubException as error:
        raise Permanent(f"GitHub: could not {what}: {error}") from error
    except ValueError as error:
        if not type(error).__module__.startswith("pydantic"):
            # githubkit reads Retry-After as a number only; HTTP allows a date.
            raise RateLimited(f"GitHub: rate limited while trying to {what}", retry_after=SECONDARY_WAIT_S) from error
        # githubkit checks a body against GitHub's schema before it sends it.
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise Permanent(f"GitHub: could not {what}: the request does not fit GitHub's schema ({first})") from error


def find_failure(response: httpx.Response, what: str, *, needs: str = "", now: float | None = None) -> Exception:
    """The exception for an unwelcome answer. `now` is the UTC epoch in seconds."""
    status, message = response.status_code, find_message(response)
    wait = _find_wait(response.headers, message, status, time() if now is None else now)
    if wait is not None:
        wait = min(wait, LONGEST_WAIT_S)
        return RateLimited(f"GitHub: rate limited while trying to {what}: {message}", retry_after=wait)
    if status >= 500 or status == 408:
        return Transient(f"GitHub: answered {status} when asked to {what}", retry_after=_seconds(response.headers))
    if status in _MOVED or status in (404, 410):
        return NotThere(f"GitHub: could not {what}: {message or status}. {_hint_gone(status, message)}")
    if status == 422 and "No commit found for SHA" in message:
        # Right after a push the API may not know the commit yet that the webhook named.
        return Transient(f"GitHub: could not {what}: {message}")
    kind = Denied if status == 403 else Permanent
    return kind(
        f"GitHub: could not {what}: {message or status}. {_hint(status, message, needs, response.headers)}".rstrip()
    )


def find_message(response: httpx.Response) -> str:
    """GitHub's sentence, on one line and cut; "" when the body is not GitHub's JSON."""
    try:
        body: Any = response.json()
    except ValueError:
        return ""
    if not isinstance(body, dict):
        return ""
    errors = body.get("errors")
    details = [_detail(error) for error in errors] if isinstance(errors, list) else []
    text = " ".join([str(body.get("message", "")), *filter(None, details)])
    return " ".join(text.split())[:300]


def _detail(error: object) -> str:
    if isinstance(error, dict):
        return str(error.get("message") or f"{error.get('field', '')} {error.get('code', '')}".strip())
    return str(error)


def _find_wait(headers: Mapping[str, str], message: str, status: int, now: float) -> float | None:
    """Seconds to wait when this is a limit, None when it is not."""
    if status not in (403, 429):
        return None
    given = _seconds(headers, now)
    if given is not None:
        return given
    if headers.get("x-ratelimit-remaining") == "0":
        reset = headers.get("x-ratelimit-reset", "")
        return max(1.0, float(reset) - now) if reset.isdecimal() else SECONDARY_WAIT_S
    limited = status == 429 or "secondary rate limit" in message.lower() or "abuse detection" in message.lower()
    return SECONDARY_WAIT_S if limited else None


def _seconds(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """`Retry-After`: seconds, or a date as HTTP allows it."""
    given = headers.get("retry-after", "").strip()
    if given.isdecimal():
        return float(given)
    try:
        return max(1.0, parsedate_to_datetime(given).timestamp() - (time() if now is None else now)) if given else None
    except ValueError:
        return SECONDARY_WAIT_S


def _hint_gone(status: int, message: str) -> str:
    if status == 410 and "version" in message.lower():
        return "GitHub no longer speaks this API version: update Tether."
    return "Either it was deleted or renamed, or the App's installation does not include this repository."


def _hint(status: int, message: str, needs: str, headers: Mapping[str, str]) -> str:
    lowered = message.lower()
    if "suspended" in lowered:
        return "The installation is suspended: an owner must unsuspend it in the account's settings under GitHub Apps."
    if status == 401:
        return "GitHub does not accept the App's credentials: check TETHER_GITHUB_APP_ID and TETHER_GITHUB_PRIVATE_KEY."
    if "not accessible by integration" in lowered:
        permission = (
            headers.get("x-accepted-github-permissions", "")
            or needs
            or "the permission named in deploy/github-app.json"
        )
        return f"The App lacks {permission}: grant it in the App's settings, then an owner must accept it for the installation."
    if "archived" in lowered:
        return "The repository is archived and takes no check runs or comments."
    return ""


def translate_unanswered(error: Exception, what: str) -> Exception:
    """No answer came at all."""
    if isinstance(error, httpx.TimeoutException):
        return Transient(f"GitHub: no answer in time{_find_place(error)} when asked to {what}")
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol):
        return Permanent(f"GitHub: could not {what}: TETHER_GITHUB_API_URL is not a usable address ({error})")
    if isinstance(error, httpx.HTTPError | OSError):
        return Transient(f"GitHub: connection failed{_find_place(error)} when asked to {what} ({type(error).__name__})")
    return Permanent(f"GitHub: could not {what} ({type(error).__name__}: {error})")


def _find_place(error: Exception) -> str:
    """ " at HOST", where the error knows whom it was about; addresses may carry secrets, so that is all."""
    try:
        url = error.request.url if isinstance(error, httpx.RequestError) else None
    except RuntimeError:  # httpx raises it where no request was noted
        url = None
    return f" at {url.host}{f':{url.port}' if url.port else ''}" if url is not None and url.host else ""
