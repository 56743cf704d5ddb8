"""Blobs: fetched once, a few at a time, the first failure ends the rest."""

import asyncio

import pytest

from app.ports import TreeEntry, TreeListing
from app.source.repo_files import (
    BlobCache,
    Wanted,
    cut_alike,
    fetch_blobs,
    find_entries,
    find_wanted,
    for_each,
    read_text,
)
from app.source.repo_files.trees import MAX_FILES
from app.words import Permanent, Transient
from tests.fakes.forge import FakeForge, sha_of


def test_a_blob_is_fetched_once_for_ever() -> None:
    forge, cache = FakeForge(), BlobCache()
    repo = forge.add_repo(1, "acme/w", {"a.sql": "one", "b.sql": "two"})
    shas = [sha_of(b"one"), sha_of(b"two")]
    for _ in range(2):
        assert asyncio.run(fetch_blobs(forge, repo, shas, cache)) == {shas[0]: b"one", shas[1]: b"two"}
    assert forge.calls["fetch_blob"] == 2


def test_the_cache_lets_the_oldest_go() -> None:
    cache = BlobCache(max_bytes=10)
    cache.put(1, "a", b"12345")
    cache.put(1, "b", b"12345")
    assert cache.get(1, "a") == b"12345"
    cache.put(1, "c", b"1")
    assert cache.get(1, "b") is None
    assert cache.get(1, "a") == b"12345"
    assert cache.get(2, "a") is None, "another repository's blob is asked for there"


def test_beyond_the_cap_files_are_unread_never_absent() -> None:
    names = ["a.py", "b.py", *(f"{n}.sql" for n in range(MAX_FILES))]
    entries = tuple(TreeEntry(name, name, "100644", 1) for name in names)
    wanted = find_wanted(TreeListing("c", entries, truncated=False), lambda _: True)
    assert len(wanted.entries) == MAX_FILES + 2
    assert set(wanted.unread) == {"a.py", "b.py"}, "SQL comes first"


def test_trees_of_one_repository_are_cut_alike_and_what_changed_comes_first() -> None:
    old = [f"m/{n:06}.sql" for n in range(MAX_FILES)]
    new = ["z/changed.sql", *(f"a/{n}.sql" for n in range(3))]

    def tree(names: list[str]) -> Wanted:
        listing = TreeListing("c", tuple(TreeEntry(name, name, "100644", 1) for name in names), truncated=False)
        return find_entries(listing, lambda _: True)

    base, head = cut_alike((tree([*old, "z/changed.sql"]), tree([*old, *new])), set(new))
    assert set(base.unread) == set(head.unread) == set(old[-4:])
    assert head.shas >= set(new)


def test_a_byte_order_mark_is_no_text() -> None:
    assert read_text(b"\xef\xbb\xbfSELECT 1") == ("SELECT 1", "")


def test_few_at_a_time_in_order() -> None:
    running = most = 0

    async def work(item: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001)
        running -= 1
        return -item

    assert asyncio.run(for_each(work, range(20), 3)) == [-n for n in range(20)]
    assert most == 3


def test_the_first_failure_is_raised_as_it_is_and_ends_the_rest() -> None:
    ended: list[int] = []

    async def work(item: int) -> None:
        if item == 1:
            raise Transient("away")
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            ended.append(item)
            raise

    with pytest.raises(Transient, match="away"):
        asyncio.run(for_each(work, [0, 1, 2], 3))
    assert ended == [0, 2]


def test_a_missing_blob_is_permanent() -> None:
    forge = FakeForge()
    repo = forge.add_repo(1, "acme/w", {})
    with pytest.raises(Permanent):
        asyncio.run(fetch_blobs(forge, repo, ["nope"], BlobCache()))
