"""An archive is a stranger's: only contents with the names that were asked for come out of it, and not too much of it."""

from __future__ import annotations

import gzip
import io
import tarfile

import pytest

from app.source.repo_files.archive import read_archive
from tests.fakes.forge import sha_of

ROOM = 10_000_000


def packed(*members: tuple[tarfile.TarInfo, bytes]) -> io.BytesIO:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for member, content in members:
            archive.addfile(member, io.BytesIO(content))
    file.seek(0)
    return file


def member(
    name: str, content: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = ""
) -> tuple[tarfile.TarInfo, bytes]:
    made = tarfile.TarInfo(name)
    made.size, made.type, made.linkname = len(content), kind, link
    return made, content


def test_contents_are_known_by_their_name_and_nothing_else_is_taken() -> None:
    file = packed(
        member("acme-w-1/a.sql", b"SELECT 1"),
        member("../../etc/passwd", b"root"),
        member("acme-w-1/link.sql", kind=tarfile.SYMTYPE, link="/etc/passwd"),
        member("acme-w-1/fifo.sql", kind=tarfile.FIFOTYPE),
    )

    assert read_archive(file, {sha_of(b"SELECT 1"), sha_of(b"SELECT 2")}, most=ROOM) == {
        sha_of(b"SELECT 1"): b"SELECT 1"
    }


def test_a_text_that_the_archive_rewrote_is_not_taken() -> None:
    """`export-subst` and large-file filters change what an archive holds."""
    file = packed(member("w/a.sql", b"-- v1.2\nSELECT 1"))

    assert read_archive(file, {sha_of(b"-- $Format:%d$\nSELECT 1")}, most=ROOM) == {}


@pytest.mark.parametrize(
    "data", [b"", b"not an archive", gzip.compress(b"not a tar" * 200)], ids=["empty", "text", "gzip"]
)
def test_what_is_no_archive_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        read_archive(io.BytesIO(data), {"0" * 40}, most=ROOM)


def test_a_cut_off_archive_is_refused() -> None:
    whole = packed(member("w/a.sql", bytes(range(256)) * 4000)).getvalue()

    with pytest.raises(ValueError, match="cannot be read"):
        read_archive(io.BytesIO(whole[: len(whole) // 2]), {"0" * 40}, most=ROOM)


def test_a_small_archive_that_unpacks_to_much_is_given_up() -> None:
    bomb = packed(*(member(f"w/{n}.sql", b"\0" * 2_000_000) for n in range(20)))
    assert len(bomb.getvalue()) < 100_000

    with pytest.raises(ValueError, match="unpacks to more"):
        read_archive(bomb, {"0" * 40}, most=ROOM)
