"""A change on this machine's disk: what moved, and what nobody can look into."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from app.edges.git import read_revision
from app.offline.local import LocalSide, local_change
from app.review.config import ConfigError
from app.source.selection import choose_read
from app.words import Tree


def commit(repo: Path, sha: str) -> str:
    """One more commit in which the submodule points to `sha`."""

    def git(*arguments: str) -> str:
        settings = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        done = subprocess.run(["git", *settings, *arguments], cwd=repo, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    if not (repo / ".git").exists():
        git("init", "-q", "-b", "main")
    git("update-index", "--add", "--cacheinfo", f"160000,{sha},sql/shared")
    git("commit", "-q", "-m", sha[:4])
    return git("rev-parse", "HEAD")


def side(repo: Path, revision: str) -> LocalSide:
    found = read_revision(repo, revision, choose_read([]))
    return LocalSide(found.tree, found.digests)


def test_a_submodule_that_moves_is_an_unknown(tmp_path: Path) -> None:
    before, after = (side(tmp_path, commit(tmp_path, letter * 40)) for letter in "ab")
    (unknown,) = local_change(before, after, before, config_text=None).extra
    assert (unknown.path, unknown.why) == ("sql/shared", "it is a submodule")
    assert local_change(after, after, after, config_text=None).extra == ()
    assert len(local_change(after, LocalSide(Tree({}), {}), after, config_text=None).extra) == 1


def test_a_configuration_that_cannot_be_read_is_not_none() -> None:
    tip = LocalSide(Tree({}, unread={".tether.yml": "it is not UTF-8 (line 3)"}), {})

    with pytest.raises(ConfigError, match=r"^\.tether\.yml: cannot be used: it is not UTF-8 \(line 3\)$"):
        local_change(tip, tip, tip, config_text=None)
