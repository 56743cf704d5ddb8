"""A file of a repository as lines."""

from __future__ import annotations

from app.standin.github.git_objects import GitRepo


def fetch_lines(git: GitRepo, sha: str, path: str) -> list[str] | None:
    """None where there is no such file at that commit."""
    entry = git.entry(sha, path)
    if entry is None or entry.type != "blob":
        return None
    return git.blob(entry.sha).decode(errors="replace").splitlines()
