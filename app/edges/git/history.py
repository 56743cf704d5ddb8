"""The first-parent line of a branch: what was merged, when and by whom, and which paths each commit touched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from app.edges.git.trees import SUBMODULE, find_commit, run_git
from app.words import Permanent


@dataclass(frozen=True, slots=True)
class Commit:
    """`parent` is the first one; `date` the ISO day (UTC) on which it was committed."""

    sha: str
    parent: str
    date: str
    author: str
    subject: str


def list_merged(repo: Path, branch: str, *, since: float) -> tuple[tuple[Commit, ...], bool]:
    """(commits of the first-parent line since that moment, newest first; whether the clone is cut off inside of that time).

    `since` is in seconds since the epoch. A commit without a parent changes nothing: there was no before. Raises `Permanent`.
    """
    top = find_commit(repo, branch)
    listing = run_git(repo, "log", "--first-parent", "-z", "--format=%H%x1f%P%x1f%ct%x1f%an%x1f%s", top, "--")
    if listing is None:
        raise Permanent(f"the history of {branch!r} cannot be read in {repo}")
    shallow = (run_git(repo, "rev-parse", "--is-shallow-repository") or b"").strip() == b"true"
    found, cut = [], False
    for row in listing.decode("utf-8", "replace").split("\0"):
        if not row:
            continue
        sha, parents, seconds, author, subject = row.split("\x1f", 4)
        if int(seconds) < since:
            continue
        if not parents:
            cut = cut or shallow
            continue
        day = datetime.fromtimestamp(int(seconds), UTC).date().isoformat()
        found.append(Commit(sha, parents.split()[0], day, author, subject))
    return tuple(found), cut


def list_changes(repo: Path, parent: str, commit: str) -> Mapping[str, bool]:
    """The paths that differ between the two, renames as two, each with whether it is a submodule on one side.

    Raises `Permanent` when one of the commits is missing.
    """
    listing = run_git(repo, "diff-tree", "-r", "-z", "--no-renames", "--raw", parent, commit, "--")
    if listing is None:
        raise Permanent(f"commit {commit[:12]} or its parent is missing from {repo} (a shallow or partial clone?)")
    rows = [row.decode("utf-8", "surrogateescape") for row in listing.split(b"\0") if row]
    return {path: SUBMODULE in modes.lstrip(":").split()[:2] for modes, path in zip(rows[::2], rows[1::2], strict=True)}
