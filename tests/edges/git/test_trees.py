"""A directory and a revision with the same files are the same tree; what cannot be read has a reason."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from app.edges.git import find_merge_base, read_directory, read_revision
from app.words import Permanent

FILES = {
    "a.sql": b"select 1\n",
    "deep/er/b c\n.sql": b"select 2\n",
    "bom.sql": b"\xef\xbb\xbfselect 3\n",
    "utf16.sql": "select 4".encode("utf-16"),
    "latin.sql": "select 'é'".encode("latin-1"),
    "binary.sql": b"sel\0ect",
    "pointer.sql": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
    "large.sql": b"-" * 1_000_001,
    "notes.txt": b"not relevant",
}
READ = {"a.sql": "select 1\n", "deep/er/b c\n.sql": "select 2\n", "bom.sql": "select 3\n"}
UNREAD = {
    "utf16.sql": "it is UTF-16; save it as UTF-8",
    "latin.sql": "it is not UTF-8 (line 1)",
    "binary.sql": "it is binary",
    "pointer.sql": "it is a Git LFS pointer, not the file itself",
    "large.sql": "it is larger than 1 MB (1,000,001 bytes)",
    "link.sql": "it is a symbolic link",
}


def is_sql(path: str) -> bool:
    return path.endswith(".sql")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (tmp_path / "link.sql").symlink_to("/etc/passwd")
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path)
    return tmp_path


def git(repo: Path, *arguments: str) -> str:
    who = {"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@t", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@t"}
    environment = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(["git", *arguments], cwd=repo, env=environment, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(repo: Path) -> str:
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "x")
    return git(repo, "rev-parse", "HEAD")


def test_a_directory(repo: Path) -> None:
    tree = read_directory(repo, is_sql).tree

    assert (dict(tree.files), dict(tree.unread)) == (READ, UNREAD)


def test_a_revision(repo: Path) -> None:
    tree = read_revision(repo, "main", is_sql).tree

    assert (dict(tree.files), dict(tree.unread)) == (READ, UNREAD)
    assert tree.commit == git(repo, "rev-parse", "HEAD")


def test_digests_differ_where_the_content_does(repo: Path) -> None:
    before = read_revision(repo, "HEAD", is_sql).digests
    (repo / "a.sql").write_text("select 9\n")
    (repo / "latin.sql").write_bytes("select 'è'".encode("latin-1"))
    commit(repo)
    after = read_revision(repo, "HEAD", is_sql).digests

    assert {path for path in before if before[path] != after[path]} == {"a.sql", "latin.sql"}


def test_directory_digests_differ_where_the_content_does(repo: Path) -> None:
    before = read_directory(repo, is_sql).digests
    (repo / "latin.sql").write_bytes("select 'è'".encode("latin-1"))
    (repo / "large.sql").write_bytes(b"+" * 1_000_001)
    after = read_directory(repo, is_sql).digests

    assert {path for path in before if before[path] != after[path]} == {"latin.sql", "large.sql"}


def test_a_submodule_is_not_read(repo: Path) -> None:
    sha = git(repo, "rev-parse", "HEAD")
    git(repo, "update-index", "--add", "--cacheinfo", f"160000,{sha},vendored.sql")
    git(repo, "commit", "-q", "-m", "x")

    assert read_revision(repo, "HEAD", is_sql).tree.unread["vendored.sql"] == "it is a submodule"


def test_merge_base(repo: Path) -> None:
    base = git(repo, "rev-parse", "HEAD")
    git(repo, "checkout", "-q", "-b", "topic")
    (repo / "a.sql").write_text("select 5\n")
    commit(repo)
    git(repo, "checkout", "-q", "main")
    (repo / "c.sql").write_text("select 6\n")
    commit(repo)

    assert find_merge_base(repo, "main", "topic") == base


@pytest.mark.parametrize("revision", ["nowhere", "--help", "HEAD^{tree}", "a.sql", ""])
def test_no_such_revision(repo: Path, revision: str) -> None:
    with pytest.raises(Permanent, match="is no revision"):
        read_revision(repo, revision, is_sql)


def test_no_such_directory(tmp_path: Path) -> None:
    with pytest.raises(Permanent, match="is not a directory"):
        read_directory(tmp_path / "none", is_sql)


def test_no_common_commit(repo: Path) -> None:
    git(repo, "checkout", "-q", "--orphan", "other")
    (repo / "a.sql").write_text("select 5\n")
    commit(repo)

    with pytest.raises(Permanent, match="no common commit"):
        find_merge_base(repo, "main", "other")
