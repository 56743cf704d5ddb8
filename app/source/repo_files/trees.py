"""Listings and blobs -> the texts of a tree. What cannot be read keeps its reason, so that it never counts as empty.

Blobs are asked for by sha and only for paths that may hold SQL; whatever cap is met is a reason, never an omission.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from app.ports import TreeEntry, TreeListing
from app.render import MANIFEST, MOST_MANIFEST_BYTES
from app.words import Repo, Tree

A = TypeVar("A")
B = TypeVar("B")

MAX_FILE_BYTES: Final = 1_000_000
#: of one tree; many that are new come from one archive, so that memory and computing set the bound
MAX_FILES: Final = 20_000
#: GitHub's secondary limit is 100 requests at once for one installation, which several reviews share
AT_ONCE: Final = 8
#: what comes after SQL when there are too many files: code that may hold some, and data
LAST: Final = (".csv", ".json", ".py", ".ipynb")
SYMLINK, SUBMODULE, FOLDER = "120000", "160000", "040000"
LINE_END: Final = b"\n"
LFS_POINTER: Final = b"version https://git-lfs.github.com/spec/v1"


@dataclass(frozen=True, slots=True)
class Wanted:
    """The entries of one tree that count. `unread` are those whose text cannot be had, with the reason."""

    listing: TreeListing
    entries: Mapping[str, TreeEntry]
    unread: Mapping[str, str]

    @property
    def shas(self) -> frozenset[str]:
        return frozenset(entry.sha for path, entry in self.entries.items() if path not in self.unread)


def find_wanted(listing: TreeListing, wanted: Callable[[str], bool]) -> Wanted:
    """As `find_entries`, cut where there are too many."""
    return cut_alike((find_entries(listing, wanted),))[0]


def find_entries(listing: TreeListing, wanted: Callable[[str], bool]) -> Wanted:
    """Submodules always count: what is in them is not in the listing."""
    entries = {
        entry.path: entry
        for entry in listing.entries
        if entry.mode == SUBMODULE or (entry.mode != FOLDER and wanted(entry.path))
    }
    return Wanted(listing, entries, {path: why for path, entry in entries.items() if (why := _why_not(entry))})


def cut_alike(trees: Sequence[Wanted], first: Collection[str] = ()) -> tuple[Wanted, ...]:
    """The same files of all these trees of one repository, those of `first` before any other: a file that one tree leaves out
    and another has would look as if it had been added or deleted."""
    readable = {path for tree in trees for path in tree.entries if path not in tree.unread}
    ordered = sorted(readable, key=lambda path: (path not in first, path.endswith(LAST), path))
    beyond = dict.fromkeys(ordered[MAX_FILES:], f"it is beyond the first {MAX_FILES:,} files of the repository")
    return tuple(
        Wanted(
            tree.listing, tree.entries, {**{p: why for p, why in beyond.items() if p in tree.entries}, **tree.unread}
        )
        for tree in trees
    )


def _why_not(entry: TreeEntry) -> str | None:
    if entry.mode == SUBMODULE:
        return "it is a submodule, whose files are in another repository"
    if entry.mode == SYMLINK:
        return "it is a symbolic link"
    most = find_limit(entry.path)
    if entry.size is not None and entry.size > most:
        return f"it is larger than {most // 1_000_000} MB"
    return None


def find_limit(path: str) -> int:
    """How many bytes of a file are read at most."""
    return MOST_MANIFEST_BYTES if path.rpartition("/")[2] == MANIFEST else MAX_FILE_BYTES


def find_differences(before: Wanted, after: Wanted) -> frozenset[str]:
    """Paths that count and were added, removed or changed."""
    return frozenset(
        path
        for path in before.entries.keys() | after.entries.keys()
        if _identity(before.entries.get(path)) != _identity(after.entries.get(path))
    )


def _identity(entry: TreeEntry | None) -> tuple[str, bool] | None:
    # The executable bit changes nothing that Tether reads.
    return None if entry is None else (entry.sha, entry.mode in (SYMLINK, SUBMODULE))


def build_tree(repo: Repo, commit: str, wanted: Wanted, blobs: Mapping[str, bytes]) -> Tree:
    files: dict[str, str] = {}
    unread = dict(wanted.unread)
    for path, entry in wanted.entries.items():
        if path in unread:
            continue
        text, why = read_text(blobs[entry.sha], most=find_limit(path))
        if text is None:
            unread[path] = why
        else:
            files[path] = text
    return Tree(files, commit, repo.full_name, unread)


def read_text(blob: bytes, *, most: int = MAX_FILE_BYTES) -> tuple[str | None, str]:
    """(the text, "") or (None, why it is none)."""
    if len(blob) > most:
        return None, f"it is larger than {most // 1_000_000} MB"
    if blob.startswith(LFS_POINTER):
        return None, "it is kept in Git LFS, only its pointer is here"
    if b"\0" in blob:
        return None, "it is binary, or text that is not UTF-8"
    try:
        return blob.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        return None, f"it is not UTF-8 (line {blob.count(LINE_END, 0, error.start) + 1})"


async def for_each(work: Callable[[A], Awaitable[B]], items: Sequence[A], at_once: int = AT_ONCE) -> list[B]:
    """`work` on every item, a few at a time, answers in order. The first exception ends the rest and is raised as it is."""
    gate = asyncio.Semaphore(at_once)

    async def guarded(item: A) -> B:
        async with gate:
            return await work(item)

    tasks = [asyncio.ensure_future(guarded(item)) for item in items]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
