"""One bare git repository, driven by the git binary with argument lists, never a shell.

Reads objects and writes commits (through `fast-import`: one process however many files). Comparing is in `git_diff`,
merging in `git_merge`. The child's environment is built here from nothing, so that neither a user's git configuration
nor the GIT_DIR of a hook that runs the tests can reach it; identity and `safe.directory` come from our own config file.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.standin.github.git_write import Write, stream

_CONFIG = """[user]
\tname = Sandbox
\temail = sandbox@users.noreply.github.com
[safe]
\tdirectory = *
[gc]
\tauto = 0
[init]
\tdefaultBranch = main
[core]
\tquotePath = false
\tfsync = none
[protocol "file"]
\tallow = always
[uploadpack]
\tallowAnySHA1InWant = true
"""
_REF = re.compile(r"(?!-)(?!.*(?:\.\.|@\{|//|\.lock(?:/|$)))[^\x00-\x20\x7f~^:?*\[\\]+(?<![./])")
_SHA = re.compile(r"[0-9a-f]{40}")
_COMMIT_FIELDS = 10
_FETCH = ("fetch", "--quiet", "--no-write-fetch-head")
#: bytes of answers that a repository keeps in memory; then it begins anew
_KEPT_BYTES = 32 * 1024**2


class GitError(Exception):
    """git refused; the message is its standard error."""


@dataclass(frozen=True, slots=True)
class CommitData:
    sha: str
    tree: str
    parents: tuple[str, ...]
    author: tuple[str, str, int]  # name, e-mail, epoch seconds
    committer: tuple[str, str, int]
    message: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One tree entry. `size` is None for trees and submodules."""

    path: str
    mode: str
    type: str
    sha: str
    size: int | None


def prepare_home(directory: Path) -> None:
    """Write the git configuration every child process runs under."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "gitconfig").write_text(_CONFIG, encoding="utf-8")


def is_ref_name(name: str) -> bool:
    return _REF.fullmatch(name) is not None


def is_sha(text: str) -> bool:
    return _SHA.fullmatch(text) is not None


class GitRepo:
    """The bare repository at `path`; `home` is the directory `prepare_home` was given."""

    def __init__(self, path: Path, home: Path) -> None:
        self.path = path
        self._home = home
        self._answers: dict[tuple[str, ...], bytes] = {}
        self._kept = 0
        self._commits: dict[str, CommitData] = {}

    def attempt(
        self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git and return its result, whatever it was."""
        clean = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self._home),
            "GIT_CONFIG_GLOBAL": str(self._home / "gitconfig"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
            **(env or {}),
        }
        command = ["git", "--git-dir", str(self.path), *args]
        return subprocess.run(command, input=stdin, env=clean, capture_output=True, check=False)  # noqa: S603 - argument list

    def run(self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
        """Standard output; raises `GitError` on a non-zero exit."""
        done = self.attempt(*args, stdin=stdin, env=env)
        if done.returncode != 0:
            raise GitError(f"git {args[0]}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout

    def line(self, *args: str, of: Sequence[str] | None = None) -> str | None:
        """Standard output as one stripped line; None on a non-zero exit or when it is empty."""
        try:
            return (self.run(*args) if of is None else self.run_of(of, *args)).decode(errors="replace").strip() or None
        except GitError:
            return None

    def run_of(self, objects: Sequence[str], *args: str) -> bytes:
        """As `run`, for a question about these objects alone: where each is named by its whole id, the answer never
        changes, and git is asked once."""
        if not all(map(is_sha, objects)):
            return self.run(*args)
        answer = self._answers.get(args)
        if answer is None:
            answer = self.run(*args)
            if self._kept + len(answer) > _KEPT_BYTES:
                self._answers, self._kept = {}, 0
            self._answers[args] = answer
            self._kept += len(answer)
        return answer

    def create(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.run("init", "--bare", "--quiet", str(self.path))

    def copy_from(self, source: GitRepo) -> None:
        """Become a fork of `source`: its branches, its objects."""
        self.create()
        self.run(*_FETCH, str(source.path), "+refs/heads/*:refs/heads/*")

    def fetch(self, source: GitRepo, sha: str) -> None:
        """Bring one commit with its history over from another repository of the network."""
        if self.type_of(sha) is None:
            self.run(*_FETCH, str(source.path), sha)

    def set_ref(self, ref: str, sha: str | None) -> None:
        """Point a full ref name at a commit; None deletes it."""
        if sha is None:
            self.run("update-ref", "-d", ref)
        else:
            self.run("update-ref", ref, sha)

    def branches(self) -> dict[str, str]:
        out = self.run("for-each-ref", "--format=%(refname:lstrip=2)%00%(objectname)", "refs/heads/")
        return dict(line.split("\0", 1) for line in out.decode().splitlines())

    def branch_head(self, branch: str) -> str | None:
        return self.ref(f"heads/{branch}") if is_ref_name(branch) else None

    def ref(self, name: str) -> str | None:
        """The object of a ref like "heads/main" or "pull/1/head". Most stand in a file of their own; git knows of others."""
        if not is_ref_name(name):
            return None
        try:
            found = (self.path / "refs" / name).read_text(encoding="utf-8", errors="replace").strip()
        except (OSError, ValueError):
            found = ""
        return found if is_sha(found) else self.line("rev-parse", "--verify", "--quiet", f"refs/{name}")

    def resolve(self, name: str) -> str | None:
        """A commit from a SHA (also short), a branch, a tag or a full ref; None when there is none.

        Every candidate starts with a constant or is hexadecimal, so that a name can never be read as an option.
        """
        if self.type_of(name) == "commit":
            return name
        candidates = [name] if re.fullmatch(r"[0-9a-f]{7,40}", name) else []
        if is_ref_name(name):
            candidates += [f"refs/heads/{name}", f"refs/tags/{name}", f"refs/{name.removeprefix('refs/')}"]
        for candidate in candidates:
            found = self.line("rev-parse", "--verify", "--quiet", f"{candidate}^{{commit}}")
            if found is not None:
                return found
        return None

    def type_of(self, sha: str) -> str | None:
        return self.line("cat-file", "-t", sha, of=[sha]) if is_sha(sha) else None

    def blob(self, sha: str) -> bytes:
        return self.run_of([sha], "cat-file", "blob", sha)

    def entries(self, tree: str, *, recursive: bool = False) -> list[Entry]:
        """Entries in git's order, the trees themselves included."""
        flags = ("-r", "-t") if recursive else ()
        out = self.run_of([tree], "ls-tree", "-z", "-l", "--full-tree", *flags, tree)
        return [_entry(row) for row in out.decode(errors="surrogateescape").split("\0") if row]

    def entry(self, tree: str, path: str) -> Entry | None:
        """The entry at exactly this path; None when nothing is there."""
        if "\0" in path:
            return None
        for row in self.run_of([tree], "ls-tree", "-z", "-l", "--full-tree", tree, "--", path).split(b"\0"):
            if row:
                found = _entry(row.decode(errors="surrogateescape"))
                if found.path == path:
                    return found
        return None

    def commits(self, shas: Sequence[str]) -> list[CommitData]:
        """The data of commits named by full SHA, in the order asked, with one process at most."""
        unread = [sha for sha in dict.fromkeys(shas) if sha not in self._commits]
        if unread:
            self._commits |= self._read_commits(unread)
        return [self._commits[sha] for sha in shas]

    def _read_commits(self, shas: Sequence[str]) -> dict[str, CommitData]:
        form = "tformat:%H%x00%T%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B"
        asked = "\n".join(shas).encode()
        out = self.run("log", "--no-walk=unsorted", "--stdin", "-z", f"--format={form}", stdin=asked)
        cells = out.decode(errors="replace").split("\0")
        rows = [cells[at : at + _COMMIT_FIELDS] for at in range(0, len(cells) - 1, _COMMIT_FIELDS)]
        return {row[0]: _commit(row) for row in rows}

    def commit(self, sha: str) -> CommitData:
        return self.commits([sha])[0]

    def write(self, write: Write) -> str:
        """Make a commit and point the branch at it, whatever the branch was before; returns its SHA."""
        self.run("fast-import", "--quiet", "--force", stdin=stream(write))
        head = self.branch_head(write.branch)
        if head is None:
            raise GitError(f"git fast-import wrote no branch {write.branch!r}")
        return head


def _entry(row: str) -> Entry:
    head, path = row.split("\t", 1)
    mode, kind, sha, size = head.split()
    return Entry(path, mode, kind, sha, int(size) if size != "-" else None)


def _commit(row: Sequence[str]) -> CommitData:
    sha, tree, parents, *people, message = row
    author, committer = (people[0], people[1], int(people[2])), (people[3], people[4], int(people[5]))
    return CommitData(sha, tree, tuple(parents.split()), author, committer, message.rstrip("\n"))
