"""Files by content address: in memory, then in our rows, then an archive where many are missing, then one by one from GitHub.

A blob's name is a digest of its content, so whatever was once fetched is valid for ever, and an archive needs no trust: what
does not have the name that the listing gives is not taken. Nothing here knows which repository may be shown to whom.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from typing import Final, Protocol

from app.ports import Forge
from app.source.repo_files.archive import read_archive
from app.source.repo_files.trees import for_each
from app.words import Permanent, Repo, Transient

#: from so many missing files on, one archive is asked for instead of each of them
MANY: Final = 24
#: of an archive as it is sent; larger ones are given up, and the files are asked for one by one
MOST_ARCHIVE_BYTES: Final = 256 * 1024 * 1024
#: what unpacking one archive may yield, wanted or not
MOST_UNPACKED_BYTES: Final = 2 * 1024**3
log = logging.getLogger(__name__)


class Kept(Protocol):
    """What our rows hold of an installation's repositories. It may forget any file at any time."""

    async def fetch_contents(self, repo_id: int, shas: Collection[str]) -> Mapping[str, bytes]: ...
    async def store_contents(self, repo_id: int, contents: Mapping[str, bytes]) -> None: ...


class BlobCache:
    """Blobs by repository and sha: immutable, so valid for ever. The least recently used go first above `max_bytes`; one
    that is larger than `most` bytes is not kept at all, for it would take the place of hundreds."""

    def __init__(self, max_bytes: int = 64 * 1024 * 1024, *, most: int = 8 * 1024 * 1024) -> None:
        self._max, self._most, self._size = max_bytes, most, 0
        self._blobs: OrderedDict[tuple[int, str], bytes] = OrderedDict()
        self.without_archive: set[int] = set()  # repositories whose archive is refused or too large

    def get(self, repo_id: int, sha: str) -> bytes | None:
        blob = self._blobs.get((repo_id, sha))
        if blob is not None:
            self._blobs.move_to_end((repo_id, sha))
        return blob

    def put(self, repo_id: int, sha: str, blob: bytes) -> None:
        if len(blob) > self._most:
            return
        with suppress(KeyError):
            self._size -= len(self._blobs.pop((repo_id, sha)))
        self._blobs[repo_id, sha] = blob
        self._size += len(blob)
        while self._size > self._max:
            self._size -= len(self._blobs.popitem(last=False)[1])


async def fetch_blobs(
    forge: Forge,
    repo: Repo,
    shas: Iterable[str],
    cache: BlobCache,
    *,
    kept: Kept | None = None,
    keep: Collection[str] = (),
    commit: str = "",
) -> Mapping[str, bytes]:
    """sha -> content of all of them; raises `Transient` and `Permanent` of the forge.

    Those of `keep` are put into `kept`, which is looked at for all. With a `commit` that holds them, many missing ones come
    from its archive.
    """
    wanted = set(shas)
    found = {sha: blob for sha in wanted if (blob := cache.get(repo.id, sha)) is not None}
    if kept is not None and (missing := wanted - found.keys()):
        found |= await kept.fetch_contents(repo.id, missing)
    known = frozenset(found)
    if commit and len(missing := wanted - known) >= MANY and repo.id not in cache.without_archive:
        try:
            found |= await _fetch_from_archive(forge, repo, commit, missing)
        except Permanent as error:
            log.info("repository %s has no archive that could be used: %.200s", repo.id, error)
            cache.without_archive.add(repo.id)

    async def fetch(sha: str) -> None:
        found[sha] = await forge.fetch_blob(repo, sha)

    await for_each(fetch, sorted(wanted - found.keys()))
    for sha, blob in found.items():
        cache.put(repo.id, sha, blob)
    if kept is not None and (new := {sha: found[sha] for sha in wanted & set(keep) if sha not in known}):
        await kept.store_contents(repo.id, new)
    return found


async def _fetch_from_archive(forge: Forge, repo: Repo, commit: str, shas: Collection[str]) -> dict[str, bytes]:
    """Those that the commit's archive holds. It is a short cut: whatever goes wrong with it, the files can be had one by one,
    and trouble that lasts is met there. Raises `Permanent` where asking again is in vain."""
    with tempfile.TemporaryFile() as file:
        try:
            await forge.fetch_archive(repo, commit, file, most=MOST_ARCHIVE_BYTES)
            file.seek(0)
            return await asyncio.to_thread(read_archive, file, shas, most=MOST_UNPACKED_BYTES)
        except (Transient, ValueError) as error:
            log.info("the archive of repository %s at %.12s is not used: %.200s", repo.id, commit, error)
            return {}
