"""What SQL each repository of an installation holds at its default branch: listings and texts, kept in our rows.

A review asks for each repository's head and reads our rows where they are of that commit; where they are not, the repository
is brought up to date on the spot, file by file that changed. So a lost webhook costs time, never truth. Installing and
pushing do the same ahead of time. What could not be read is said, with its reason.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from app.ports import Forge, TreeListing
from app.source.repo_files.blobs import BlobCache, Kept, fetch_blobs
from app.source.repo_files.trees import Wanted, build_tree, find_wanted
from app.words import Repo, Tree, Unknown

#: of all other repositories' files that one review reads
MOST_BYTES: Final = 256 * 1024 * 1024
#: paths of a tree -> whether a file's text is needed
Choose = Callable[[Iterable[str]], Callable[[str], bool]]
log = logging.getLogger(__name__)


class KeptIndex(Kept, Protocol):
    """`app.edges.store.StoredIndex`: one installation's rows."""

    async def fetch_listing(self, repo_id: int, commit: str) -> TreeListing | None:
        """What the repository held at this commit, if that is the one we have."""
        ...

    async def store_listing(self, repo: Repo, listing: TreeListing, commit: str) -> None: ...


class Allowance:
    """Bytes that one review may still read of other repositories."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._left = most

    def take(self, size: int) -> bool:
        """Whether there is room; then it is taken."""
        fits = size <= self._left
        self._left -= size if fits else 0
        return fits


@dataclass(frozen=True, slots=True)
class Indexed:
    """One repository at its default branch. `tree` None: it is empty, or not read, and then `unknown` says why."""

    repo: Repo
    tree: Tree | None = None
    unknown: Unknown | None = None


class OrgIndex:
    """One installation's. `blobs` are shared by all reviews of the process."""

    def __init__(self, kept: KeptIndex, blobs: BlobCache) -> None:
        self._kept, self._blobs = kept, blobs

    async def fetch_tip(self, forge: Forge, repo: Repo, commit: str) -> TreeListing:
        """The files of a default branch's head, from our rows if they are of that commit; otherwise they are from now on."""
        known = await self._kept.fetch_listing(repo.id, commit)
        if known is not None:
            return known
        listing = await forge.fetch_tree(repo, commit)
        await self._kept.store_listing(repo, listing, commit)
        return listing

    async def fetch_texts(
        self, forge: Forge, repo: Repo, shas: Iterable[str], *, keep: Collection[str] = (), commit: str = ""
    ) -> Mapping[str, bytes]:
        """sha -> content; those of `keep` stay in our rows. See `fetch_blobs`."""
        return await fetch_blobs(forge, repo, shas, self._blobs, kept=self._kept, keep=keep, commit=commit)

    async def fetch_repository(self, forge: Forge, repo: Repo, choose: Choose, allowance: Allowance) -> Indexed:
        """Its SQL as it is now. Raises `Transient` and `Permanent` of the forge."""
        found = await self._find(forge, repo, choose)
        if found is None:
            return Indexed(repo)
        commit, wanted = found
        if not allowance.take(_size(wanted)):
            why = f"the organisation's SQL is larger than the {MOST_BYTES // 1024**2} MB that one review reads"
            return Indexed(repo, unknown=Unknown("a repository's SQL was not read", why, repo=repo.full_name))
        texts = await self.fetch_texts(forge, repo, wanted.shas, keep=wanted.shas, commit=commit)
        unknown = None
        if wanted.listing.truncated:
            why = "GitHub cut the list of its files, so that SQL may be missing from it"
            unknown = Unknown("a repository's list of files is incomplete", why, repo=repo.full_name)
        return Indexed(repo, await asyncio.to_thread(build_tree, repo, commit, wanted, texts), unknown)

    async def update(self, forge: Forge, repo: Repo, choose: Choose) -> Wanted | None:
        """Brings our rows up to date ahead of reviews; what counts there now, None for an empty repository. Raises as
        `fetch_repository`."""
        found = await self._find(forge, repo, choose)
        if found is None:
            return None
        commit, wanted = found
        if not Allowance().take(_size(wanted)):
            return wanted  # a review says that it is not read
        await self.fetch_texts(forge, repo, wanted.shas, keep=wanted.shas, commit=commit)
        log.info("repository %s is indexed at %.12s: %s files", repo.id, commit, len(wanted.shas))
        return wanted

    async def _find(self, forge: Forge, repo: Repo, choose: Choose) -> tuple[str, Wanted] | None:
        """(head of the default branch, the files that count there), None for an empty repository."""
        head = await forge.fetch_branch_head(repo, repo.default_branch)
        if head is None:
            return None
        listing = await self.fetch_tip(forge, repo, head)
        return head, find_wanted(listing, choose(entry.path for entry in listing.entries))


def _size(wanted: Wanted) -> int:
    return sum(entry.size or 0 for path, entry in wanted.entries.items() if path not in wanted.unread)
