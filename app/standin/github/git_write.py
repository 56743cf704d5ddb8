"""A commit to make, and the `git fast-import` stream that makes it: one process however many files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class FileContent:
    """What to write at a path: bytes and a git mode (120000 is a symlink, its data the target)."""

    data: bytes
    mode: str = "100644"


@dataclass(frozen=True, slots=True)
class Write:
    """A commit to make. `parent` None: a root commit. `replace`: the tree holds exactly these files."""

    branch: str
    changes: Mapping[str, FileContent | None]
    message: str
    parent: str | None
    author: tuple[str, str]
    when: datetime
    replace: bool = False


def stream(write: Write) -> bytes:
    """The commands of one commit. Paths are always quoted, so that no name can end a command."""
    name, email = (re.sub(r"[<>\r\n\0]", "", part) for part in write.author)
    who = f"{name} <{email}> {int(write.when.timestamp())} +0000"
    message = write.message.encode()
    lines = [f"commit refs/heads/{write.branch}", f"author {who}", f"committer {who}", f"data {len(message)}"]
    stream = [("\n".join(lines) + "\n").encode(), message, b"\n"]
    if write.parent is not None:
        stream.append(f"from {write.parent}\n".encode())
    if write.replace:
        stream.append(b"deleteall\n")
    for path, content in write.changes.items():
        quoted = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        if content is None:
            stream.append(f'D "{quoted}"\n'.encode())
        elif content.mode == "160000":
            stream.append(f'M 160000 {content.data.decode()} "{quoted}"\n'.encode())
        else:
            stream += [f'M {content.mode} inline "{quoted}"\ndata {len(content.data)}\n'.encode(), content.data, b"\n"]
    return b"".join(stream)
