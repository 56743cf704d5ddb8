"""What changed between two commits, as GitHub's diff entries: status, counts, blob, patch.

Three passes of `git diff-tree` in the same order (raw, numstat, patch) are laid side by side. A patch is absent for
binary and for large files, as GitHub leaves it out. Renames are found as git finds them by default.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.standin.github.git_objects import GitRepo

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied", "T": "changed"}
_FLAGS = ("diff-tree", "-r", "-M", "--no-commit-id", "--no-ext-diff", "--no-textconv")


@dataclass(frozen=True, slots=True)
class Change:
    """One changed file. `sha` is the blob after the change, before it for a removed file."""

    path: str
    previous: str | None
    status: str
    sha: str
    additions: int
    deletions: int
    patch: str | None


def find_changes(git: GitRepo, base: str, head: str, *, patch_bytes: int) -> list[Change]:
    """Every changed file in path order. `patch_bytes`: above this size a patch is left out."""
    raw = _raw(_compare(git, base, head, "--raw", "-z", "--no-abbrev").decode(errors="surrogateescape"))
    counts = _counts(_compare(git, base, head, "--numstat", "-z").decode(errors="surrogateescape"))
    patches = _patches(_compare(git, base, head, "-p", "--full-index").decode(errors="replace"))
    if not len(raw) == len(counts) == len(patches):
        raise RuntimeError(f"git described {len(raw)}, {len(counts)} and {len(patches)} changes of one diff")
    changes = []
    for (status, sha, path, previous), (added, deleted), patch in zip(raw, counts, patches, strict=True):
        kept = patch if patch is not None and len(patch.encode()) <= patch_bytes else None
        changes.append(Change(path, previous, status, sha, added, deleted, kept))
    return changes


def _compare(git: GitRepo, base: str, head: str, *form: str) -> bytes:
    return git.run_of([base, head], *_FLAGS, *form, base, head)


def merge_base(git: GitRepo, one: str, other: str) -> str | None:
    """The best common ancestor; None when the histories have nothing in common."""
    return git.line("merge-base", one, other, of=[one, other])


def ahead_behind(git: GitRepo, base: str, head: str) -> tuple[int, int]:
    """Commits only in head, commits only in base."""
    behind, ahead = git.run_of([base, head], "rev-list", "--left-right", "--count", f"{base}...{head}").split()
    return int(ahead), int(behind)


def commits_between(git: GitRepo, base: str, head: str) -> list[str]:
    """Commits of head that base does not have, oldest first."""
    return git.run_of([base, head], "rev-list", "--reverse", "--topo-order", f"{base}..{head}").decode().split()


def _raw(out: str) -> list[tuple[str, str, str, str | None]]:
    cells = iter(out.split("\0"))
    rows: list[tuple[str, str, str, str | None]] = []
    for head in cells:
        if not head:
            continue
        _, _, before, after, letter = head.split()
        first = next(cells)
        previous = first if letter[0] in "RC" else None
        path = next(cells) if previous is not None else first
        status = _STATUS[letter[0]]
        rows.append((status, before if status == "removed" else after, path, previous))
    return rows


def _counts(out: str) -> list[tuple[int, int]]:
    cells = iter(out.split("\0"))
    rows = []
    for head in cells:
        if not head:
            continue
        added, deleted, path = head.split("\t", 2)
        if not path:  # a rename: the two names follow
            next(cells)
            next(cells)
        rows.append((0 if added == "-" else int(added), 0 if deleted == "-" else int(deleted)))
    return rows


def _patches(out: str) -> list[str | None]:
    """Hunks per file. Inside of a patch no line starts with "diff --git": content lines start with ' ', '+', '-', '\\'.

    A type change (file to symlink) is printed as a deletion and a creation of the same path: two headers, one change.
    """
    patches: list[str | None] = []
    last = ""
    for block in re.split(r"^(?=diff --git )", out, flags=re.MULTILINE)[1:]:
        header = block.split("\n", 1)[0]
        at = re.search(r"^@@ ", block, flags=re.MULTILINE)
        hunks = block[at.start() :].removesuffix("\n") if at is not None else None
        if header == last and patches:
            patches[-1] = None
            continue
        last = header
        patches.append(hunks)
    return patches
