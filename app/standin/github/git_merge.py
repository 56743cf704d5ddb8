"""Three-way merges and the commits they end in, in a bare repository and without a work tree.

`git merge-tree --write-tree` would do it in one call, but it needs git 2.38 and Tether promises to run with what common
distributions have; so: an index of our own, and `git merge-file` for the paths both sides changed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from app.standin.github.git_diff import commits_between, merge_base
from app.standin.github.git_objects import GitRepo


@dataclass(frozen=True, slots=True)
class Signature:
    """Who commits, and when."""

    name: str
    email: str
    when: datetime

    def env(self) -> dict[str, str]:
        date = f"{int(self.when.timestamp())} +0000"
        names = {"GIT_AUTHOR_NAME": self.name, "GIT_AUTHOR_EMAIL": self.email, "GIT_AUTHOR_DATE": date}
        return names | {key.replace("AUTHOR", "COMMITTER"): value for key, value in names.items()}


def merge_trees(git: GitRepo, ancestor: str, ours: str, theirs: str) -> str | None:
    """The merged tree; None on a conflict."""
    with tempfile.TemporaryDirectory() as scratch:
        env = {"GIT_INDEX_FILE": str(Path(scratch) / "index")}
        git.run("read-tree", "-i", "-m", "--aggressive", ancestor, ours, theirs, env=env)
        unmerged: dict[str, dict[str, tuple[str, str]]] = {}
        for row in git.run("ls-files", "-u", "-z", env=env).decode(errors="surrogateescape").split("\0"):
            if row:
                head, path = row.split("\t", 1)
                mode, sha, stage = head.split()
                unmerged.setdefault(path, {})[stage] = (mode, sha)
        for path, stages in unmerged.items():
            merged = _merge_file(git, Path(scratch), stages)
            if merged is None:
                return None
            line = f"{merged[0]} {merged[1]} 0\t{path}\0".encode(errors="surrogateescape")
            git.run("update-index", "-z", "--index-info", stdin=line, env=env)
        return git.run("write-tree", env=env).decode().strip()


def _merge_file(git: GitRepo, scratch: Path, stages: Mapping[str, tuple[str, str]]) -> tuple[str, str] | None:
    modes = {mode for mode, _ in stages.values()}
    if set(stages) != {"1", "2", "3"} or len(modes) != 1 or not modes <= {"100644", "100755"}:
        return None
    files = []
    for stage in ("2", "1", "3"):
        file = scratch / stage
        file.write_bytes(git.blob(stages[stage][1]))
        files.append(str(file))
    done = git.attempt("merge-file", "-p", "--quiet", *files)
    if done.returncode != 0:
        return None
    return modes.pop(), git.run("hash-object", "-w", "--stdin", stdin=done.stdout).decode().strip()


def merge_commits(git: GitRepo, ours: str, theirs: str) -> str | None:
    """The tree of merging two commits; None when they conflict or share no history."""
    ancestor = merge_base(git, ours, theirs)
    return None if ancestor is None else merge_trees(git, ancestor, ours, theirs)


def commit_tree(git: GitRepo, tree: str, parents: tuple[str, ...], message: str, who: Signature) -> str:
    """Store a commit; no ref moves."""
    flags = [flag for parent in parents for flag in ("-p", parent)]
    return git.run("commit-tree", tree, *flags, stdin=message.encode(), env=who.env()).decode().strip()


def rebase(git: GitRepo, onto: str, head: str, who: Signature) -> str | None:
    """Replay head's own commits on `onto`; the new tip, None on a conflict. Merge commits are left out, as git does."""
    tip = onto
    for sha in commits_between(git, onto, head):
        commit = git.commit(sha)
        if len(commit.parents) != 1:
            continue
        tree = merge_trees(git, commit.parents[0], tip, sha)
        if tree is None:
            return None
        tip = commit_tree(git, tree, (tip,), commit.message, who)
    return tip
