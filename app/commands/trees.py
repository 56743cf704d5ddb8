"""Reads what lies on this machine: a directory or a commit as a tree, a file as text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from app.offline.local import LocalSide
    from app.words import Config


def read_folder(folder: Path, config: Config | None = None) -> LocalSide:
    """A directory as it is, as far as it can matter under that configuration. Raises `Permanent`."""
    from app.edges.git import list_directory, read_directory  # noqa: PLC0415
    from app.offline.local import LocalSide  # noqa: PLC0415
    from app.source.selection import choose_read  # noqa: PLC0415

    found = read_directory(folder, choose_read(list_directory(folder), config))
    return LocalSide(found.tree, found.digests)


def read_commit(repo: Path, revision: str, config: Config | None = None) -> LocalSide:
    """A revision of a git repository, bare or not, likewise. Raises `Permanent`."""
    from app.edges.git import list_revision, read_revision  # noqa: PLC0415
    from app.offline.local import LocalSide  # noqa: PLC0415
    from app.source.selection import choose_read  # noqa: PLC0415

    found = read_revision(repo, revision, choose_read(list_revision(repo, revision), config))
    return LocalSide(found.tree, found.digests)


def read_text(path: Path, option: str = "--config") -> str:
    """The text of the file that `option` names. Raises `click.UsageError`."""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise click.UsageError(f"{option} {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise click.UsageError(f"{option} {path} line {line}: not UTF-8; save the file as UTF-8") from None
