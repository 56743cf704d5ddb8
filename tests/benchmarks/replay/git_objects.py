"""What a bare clone holds: the first-parent line, the files of a commit, the text of a blob."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

SYMLINK = "120000"  # git's mode of one


@dataclass(frozen=True, slots=True)
class MergedCommit:
    """What reached the branch in one step; `day` is an ISO day."""

    sha: str
    parent: str
    day: str
    author: str
    subject: str


@dataclass(slots=True)
class Objects:
    """Reads blobs through one `git cat-file`, each once."""

    clone: Path
    batch: subprocess.Popen[bytes]
    texts: dict[str, str] = field(default_factory=dict)

    def fetch_tree(self, revision: str) -> dict[str, str]:
        """path -> blob, in git's order; symbolic links and submodules left out."""
        listing = _run(self.clone, "ls-tree", "-r", "-z", revision)
        found = {}
        for row in filter(None, listing.split("\0")):
            about, path = row.split("\t", 1)
            mode, kind, sha = about.split()
            if kind == "blob" and mode != SYMLINK:
                found[path] = sha
        return found

    def fetch_text(self, blob: str) -> str:
        """The text of a blob; "" where it is not in the clone."""
        if blob not in self.texts:
            self.texts[blob] = self._ask(blob)
        return self.texts[blob]

    def _ask(self, blob: str) -> str:
        assert self.batch.stdin is not None
        assert self.batch.stdout is not None
        self.batch.stdin.write(blob.encode() + b"\n")
        self.batch.stdin.flush()
        answer = self.batch.stdout.readline().split()
        if len(answer) < 3:  # "<blob> missing"
            return ""
        data = self.batch.stdout.read(int(answer[2]))
        self.batch.stdout.read(1)
        return data.decode("utf-8", "replace")


@contextmanager
def open_objects(clone: Path) -> Iterator[Objects]:
    """The objects of a clone, until the block ends."""
    command = ["git", "-C", str(clone), "cat-file", "--batch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as batch:
        yield Objects(clone, batch)


def fetch_merged(
    clone: Path, most: int, *, paths: Sequence[str], dates: Mapping[str, str] | None = None
) -> tuple[MergedCommit, ...]:
    """The newest commits of the first-parent line of HEAD that touch `paths`; `dates`: since, until. A root changes nothing."""
    limits = [f"--{name}={date}" for name, date in (dates or {}).items()]
    shape = "--format=%H%x1f%P%x1f%cs%x1f%an%x1f%s"
    line = ("log", "--first-parent", "--diff-merges=first-parent", shape, f"-{most}", *limits, "HEAD", "--", *paths)
    rows = (row.split("\x1f", 4) for row in _run(clone, *line).split("\n") if row.count("\x1f") >= 4)
    return tuple(
        MergedCommit(sha, parents.split()[0], day, author, subject)
        for sha, parents, day, author, subject in rows
        if parents
    )


def fetch_diff(clone: Path, commit: MergedCommit | tuple[str, str]) -> str:
    """What the commit did to SQL and Python."""
    parent, sha = (commit.parent, commit.sha) if isinstance(commit, MergedCommit) else commit
    return _run(clone, "diff", "-U2", parent, sha, "--", "*.sql", "*.py")


def _run(clone: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(clone), *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")
