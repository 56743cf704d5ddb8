"""A commit's archive (tar, gzipped) -> the contents of the files that were asked for, by git's own name for a content.

The archive holds a stranger's repository: nothing of it is written to the disk, links are not followed, names are not looked
at, and unpacking stops at a limit.
"""

from __future__ import annotations

import gzip
import hashlib
import tarfile
import zlib
from collections.abc import Collection
from typing import IO, Final, cast

#: no file above this is ever wanted
MOST_FILE_BYTES: Final = 64 * 1024 * 1024
_CHUNK: Final = 1024 * 1024


class _Limited:
    """The unpacked bytes, at most so many of them: a small archive may unpack to anything."""

    def __init__(self, inner: IO[bytes], most: int) -> None:
        self._inner, self._left = inner, most

    def read(self, size: int = _CHUNK) -> bytes:
        data = self._inner.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise ValueError("the archive unpacks to more than is read")
        return data


def read_archive(file: IO[bytes], shas: Collection[str], *, most: int) -> dict[str, bytes]:
    """sha -> content of those that are in it; raises ValueError for what is no such archive or unpacks to over `most` bytes."""
    wanted = set(shas)
    found: dict[str, bytes] = {}
    try:
        with gzip.GzipFile(fileobj=file) as unzipped:
            source = cast("IO[bytes]", _Limited(cast("IO[bytes]", unzipped), most))
            with tarfile.open(fileobj=source, mode="r|") as archive:
                for member in archive:
                    if not member.isreg() or member.size > MOST_FILE_BYTES:
                        continue
                    content = archive.extractfile(member)
                    data = b"" if content is None else content.read()
                    found |= {sha: data for sha in _names(data) if sha in wanted}
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise ValueError(f"the archive cannot be read ({type(error).__name__})") from error
    return found


def _names(data: bytes) -> tuple[str, str]:
    """What git calls this content, in repositories of either kind."""
    header = b"blob %d\0" % len(data)
    return (
        hashlib.sha1(header + data, usedforsecurity=False).hexdigest(),
        hashlib.sha256(header + data).hexdigest(),
    )
