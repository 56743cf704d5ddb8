"""Read a directory or a revision into a `Tree`: the text of relevant files, and a reason for each that cannot be read.

Deliberately absent: `git checkout`, worktrees, filters and hooks. Objects are read with `cat-file --batch`, names with
`ls-tree -z`, so that no name or content of the repository is ever interpreted.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.render import MANIFEST, MOST_MANIFEST_BYTES
from app.words import Permanent, Tree

#: GitHub's contents API stops at 1 MB as well; hand-written SQL is far below it
MAX_FILE_BYTES = 1_000_000
SUBMODULE = "160000"  # git's mode of one
LINE_END = b"\n"
IS_LINK = "it is a symbolic link"
LFS_PREFIX = b"version https://git-lfs.github.com/spec/"

Relevant = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class LocalTree:
    """`digests` maps every relevant path to something that differs exactly when its content does."""

    tree: Tree
    digests: dict[str, str]


def decode(data: bytes) -> str:
    """UTF-8, with or without a byte order mark; raises `Permanent` with the reason for anything else."""
    if data.startswith(LFS_PREFIX):
        raise Permanent("it is a Git LFS pointer, not the file itself")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Permanent("it is UTF-16; save it as UTF-8")
    if b"\0" in data:
        raise Permanent("it is binary")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Permanent(f"it is not UTF-8 (line {data.count(LINE_END, 0, error.start) + 1})") from None


def list_directory(root: Path) -> tuple[str, ...]:
    """The paths of all files below `root`, `.git` left out. Raises `Permanent`."""
    if not root.is_dir():
        raise Permanent(f"{root} is not a directory")
    return tuple(path.relative_to(root).as_posix() for path in _walk(root))


def _walk(root: Path) -> Iterator[Path]:
    for folder, names, entries in os.walk(root):
        names[:] = sorted(n for n in names if n != ".git")
        for name in sorted(entries):
            yield Path(folder, name)


def list_revision(repo: Path, revision: str) -> tuple[str, ...]:
    """The paths of all files of a commit. Raises `Permanent` when there is no such repository or revision."""
    return tuple(path for _, _, _, path in _entries(repo, find_commit(repo, revision)))


def read_directory(root: Path, relevant: Relevant) -> LocalTree:
    """Every relevant file below `root`, `.git` left out; symbolic links are not followed. Raises `Permanent`."""
    if not root.is_dir():
        raise Permanent(f"{root} is not a directory")
    files: dict[str, str] = {}
    unread: dict[str, str] = {}
    digests: dict[str, str] = {}
    for path in _walk(root):
        relative = path.relative_to(root).as_posix()
        if not relevant(relative):
            continue
        data, reason = _read_file(path)
        digests[relative] = _keep(relative, data, reason, files, unread)
    return LocalTree(Tree(files, unread=unread), digests)


def read_contents(contents: Mapping[str, bytes], relevant: Relevant, *, links: Collection[str] = ()) -> LocalTree:
    """As `read_directory`, of files that are at hand; the content of the `links`, symbolic ones, is where they lead."""
    files: dict[str, str] = {}
    unread: dict[str, str] = {}
    digests: dict[str, str] = {}
    for path in sorted(contents, key=_walk_order):
        if not relevant(path):
            continue
        data = contents[path]
        reason = IS_LINK if path in links else _find_excess(path.rpartition("/")[2], len(data))
        digests[path] = _keep(path, data, reason, files, unread)
    return LocalTree(Tree(files, unread=unread), digests)


def _walk_order(path: str) -> tuple[tuple[bool, str], ...]:
    """As `_walk` goes: the files of a folder, then the folders in it."""
    *folders, name = path.split("/")
    return (*((True, folder) for folder in folders), (False, name))


def _read_file(path: Path) -> tuple[bytes, str]:
    """(content, why it cannot be read). Where there is a reason, the content only tells two files apart."""
    if path.is_symlink():
        return str(path.readlink()).encode(), IS_LINK
    try:
        excess = _find_excess(path.name, path.stat().st_size)
        if not excess:
            return path.read_bytes(), ""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest(), excess
    except OSError as error:  # the content is unknown: never equal to another one's
        return str(path).encode(), f"it cannot be read ({error.strerror})"


def _find_excess(name: str, size: int) -> str:
    """Why a file of this size is not read, "" where it is."""
    most = _limit(name)
    return f"it is larger than {most // 1_000_000} MB ({size:,} bytes)" if size > most else ""


def _limit(name: str) -> int:
    return MOST_MANIFEST_BYTES if name == MANIFEST else MAX_FILE_BYTES


def _keep(path: str, data: bytes, reason: str, files: dict[str, str], unread: dict[str, str]) -> str:
    """Into `files`, or into `unread` with the reason; the content's digest."""
    if not reason:
        try:
            files[path] = decode(data)
        except Permanent as error:
            reason = str(error)
    if reason:
        unread[path] = reason
    return f"{reason}:{hashlib.sha256(data).hexdigest()}"


def read_revision(repo: Path, revision: str, relevant: Relevant) -> LocalTree:
    """The tree of a commit, its submodules as unread. Raises `Permanent` when there is no such repository or revision."""
    sha = find_commit(repo, revision)
    files: dict[str, str] = {}
    unread: dict[str, str] = {}
    digests: dict[str, str] = {}
    wanted: list[tuple[str, str]] = []
    for mode, blob, size, path in _entries(repo, sha):
        if not relevant(path) and mode != SUBMODULE:  # what is in a submodule, its name does not tell
            continue
        digests[path] = blob
        if mode == SUBMODULE:
            unread[path] = "it is a submodule"
        elif mode == "120000":
            unread[path] = IS_LINK
        elif excess := _find_excess(path.rpartition("/")[2], size):
            unread[path] = excess
        else:
            wanted.append((path, blob))
    for (path, _), data in zip(wanted, _blobs(repo, [blob for _, blob in wanted]), strict=True):
        _keep(path, data, "", files, unread)
    return LocalTree(Tree(files, commit=sha, unread=unread), digests)


def find_merge_base(repo: Path, one: str, other: str) -> str:
    """The commit where the two went apart. Raises `Permanent` when they share none, or one of them is no revision."""
    found = run_git(repo, "merge-base", find_commit(repo, one), find_commit(repo, other))
    if found is None:
        raise Permanent(f"{one!r} and {other!r} have no common commit in {repo}")
    return found.decode().split("\n")[0]


def is_revision(repo: Path, name: str) -> bool:
    """Whether `name` is a commit of `repo`; False where there is no such repository."""
    return run_git(repo, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}") is not None


def find_commit(repo: Path, revision: str) -> str:
    """The full sha. Raises `Permanent` when there is no such repository or revision."""
    commit = run_git(repo, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if commit is not None:
        return commit.decode().strip()
    if run_git(repo, "rev-parse", "--git-dir") is None:
        raise Permanent(f"{revision!r} is no directory, and {repo} is not a git repository")
    raise Permanent(f"{revision!r} is no revision of the git repository {repo}, and no directory")


def _entries(repo: Path, commit: str) -> Iterator[tuple[str, str, int, str]]:
    listing = run_git(repo, "ls-tree", "-r", "-z", "--long", "--full-tree", commit)
    for row in (listing or b"").split(b"\0"):
        if row:
            head, _, name = row.partition(b"\t")
            mode, _, blob, size = head.split()
            yield (
                mode.decode(),
                blob.decode(),
                int(size) if size.isdigit() else 0,
                name.decode("utf-8", "surrogateescape"),
            )


def _blobs(repo: Path, shas: list[str]) -> Iterator[bytes]:
    if not shas:
        return
    output = run_git(repo, "cat-file", "--batch", data="\n".join(shas).encode() + b"\n") or b""
    position = 0
    for sha in shas:
        end = output.index(b"\n", position)
        header = output[position:end].split()
        if len(header) != 3:
            raise Permanent(f"git object {sha} is missing from {repo} (a shallow or partial clone?)")
        size = int(header[2])
        yield output[end + 1 : end + 1 + size]
        position = end + 2 + size


def run_git(repo: Path, *arguments: str, data: bytes | None = None) -> bytes | None:
    """stdout, None when git says no. The environment is ours: no system or user configuration, no hooks, no pager."""
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "LC_ALL": "C",
    }
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program and an argument list
            ["git", "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-C", str(repo), *arguments],  # noqa: S607 - git of the PATH
            input=data,
            capture_output=True,
            env=environment,
            check=False,
            timeout=120,
        )
    except FileNotFoundError:
        raise Permanent("git is not installed (or not on the PATH)") from None
    return done.stdout if done.returncode == 0 else None


def find_default_branch(repo: Path) -> str | None:
    """The revision of the default branch: the remote's as it was last fetched, else what is checked out. None where `repo` is no
    top of a git repository with a commit: a folder inside of one is not the repository."""
    top = run_git(repo, "rev-parse", "--show-toplevel")
    bare = (run_git(repo, "rev-parse", "--is-bare-repository") or b"").strip() == b"true"
    if not bare and (top is None or Path(top.decode().rstrip("\n")).resolve() != repo.resolve()):
        return None
    remote = run_git(repo, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
    revision = remote.decode().strip() if remote else "HEAD"
    return revision if run_git(repo, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}") is not None else None


def find_origin(repo: Path) -> str:
    """`owner/name` of the remote that it was cloned from, "" where that cannot be told."""
    url = (run_git(repo, "config", "--get", "remote.origin.url") or b"").decode(errors="replace").strip()
    parts = url.removesuffix("/").removesuffix(".git").replace(":", "/").split("/")
    return "/".join(parts[-2:]) if len(parts) > 2 and all(parts[-2:]) else ""
