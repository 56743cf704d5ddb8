"""A commit's archive: GitHub answers with the place where it is, which is asked without our credentials.

Kept apart from `wire`: what it fetches is too large to be held in memory, and this is the one redirect that is followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Final
from urllib.parse import urljoin, urlsplit

import httpx

from app.edges.github.errors import find_failure, translate_unanswered
from app.edges.github.transport import PooledTransport
from app.words import Permanent

#: seconds until the first and between two bytes: GitHub packs the archive while it is asked for
_TIMEOUT: Final = httpx.Timeout(60.0, connect=10.0, pool=None)


async def download(
    pool: PooledTransport,
    url: str,
    into: IO[bytes],
    *,
    headers: Mapping[str, str],
    most: int,
    what: str,
    needs: str = "",
) -> None:
    """The body of `url`, or of the one place that it redirects to, into an open file. Raises Transient, Permanent, Gone."""
    try:
        place = await _read(pool, url, into, headers=headers, most=most, what=what, needs=needs)
        if place is None:
            return
        if await _read(pool, place, into, headers=_headers_for(place, url, headers), most=most, what=what, needs=needs):
            raise Permanent(f"GitHub: could not {what}: it leads from place to place")
    except httpx.HTTPError as error:
        raise translate_unanswered(error, what) from error


async def _read(
    pool: PooledTransport, url: str, into: IO[bytes], *, headers: Mapping[str, str], most: int, what: str, needs: str
) -> str | None:
    """The body is in the file; or the place that it leads to."""
    async with pool.stream(url, headers=headers, timeout=_TIMEOUT) as answer:
        # An archive's place is told by 302; the others mean that the repository has another name now.
        if answer.status_code in (302, 303) and "location" in answer.headers:
            return _checked(urljoin(url, answer.headers["location"]), url, what)
        if not answer.is_success:
            await answer.aread()
            raise find_failure(answer, what, needs=needs)
        size = 0
        async for chunk in answer.aiter_bytes():
            size += len(chunk)
            if size > most:
                raise Permanent(f"GitHub: could not {what}: it is larger than {most // 1024**2} MB")
            into.write(chunk)
    return None


def _checked(place: str, origin: str, what: str) -> str:
    """Never from a safe connection to an unsafe one, never to another kind of address."""
    if urlsplit(place).scheme not in ("https", urlsplit(origin).scheme):
        raise Permanent(f"GitHub: could not {what}: it leads to an address that is not safe")
    return place


def _headers_for(place: str, origin: str, headers: Mapping[str, str]) -> dict[str, str]:
    """The place carries a token of its own; ours is for GitHub's API alone."""
    same = urlsplit(place).netloc == urlsplit(origin).netloc
    return {name: value for name, value in headers.items() if same or name != "Authorization"}
