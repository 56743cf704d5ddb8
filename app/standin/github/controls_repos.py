"""Control of repositories: make them, push to them, fork, rename, hide and delete them, protect their branches."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from app.standin.github.controls import Controls, RepoRef, UserRef
from app.standin.github.git_objects import is_ref_name
from app.standin.github.git_write import FileContent, Write
from app.standin.github.pushing import Move, after_push
from app.standin.github.records import ZERO_SHA, Account, AppRecord, Protection, RepoRecord, Required

File: TypeAlias = str | bytes | FileContent | None
_NAME = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")


class RepoControls(Controls):
    """Repositories and their branches."""

    def create_repo(
        self,
        owner: UserRef,
        name: str,
        files: Mapping[str, File] | Path,
        *,
        private: bool = True,
        default_branch: str = "main",
        message: str = "First commit",
    ) -> RepoRecord:
        """A repository with a first commit of these files, or of everything under a directory."""
        if _NAME.fullmatch(name) is None or self.state.find_repo(self.account(owner).login, name) is not None:
            raise ValueError(f"not a free repository name: {name!r}")
        with self.state.lock:
            repo = self._new_repo(self.account(owner), name, default_branch, private=private)
            git = self.state.git(repo)
            git.create()
            git.run("symbolic-ref", "HEAD", f"refs/heads/{default_branch}")
            contents = read_directory(files) if isinstance(files, Path) else as_contents(files)
            git.write(self._write(default_branch, contents, message, None, self.account(None)))
            self.state.repos[repo.id] = repo
        for installation in self.state.installations_on(repo):
            if installation.repository_selection == "all":
                self.events.installation_repositories(installation, self.account(None), added=[repo])
        return repo

    def _new_repo(
        self, owner: Account, name: str, branch: str, *, private: bool, fork_of: int | None = None
    ) -> RepoRecord:
        repo_id, now = self.state.next_id("repo"), self.state.now()
        path = self.state.directory / "repositories" / f"{repo_id}.git"
        return RepoRecord(repo_id, owner, name, path, private, branch, now, now, now, fork_of)

    def _write(
        self, branch: str, changes: Mapping[str, FileContent | None], message: str, parent: str | None, user: Account
    ) -> Write:
        author = (user.login, f"{user.id}+{user.login}@users.noreply.github.com")
        return Write(branch, changes, message, parent, author, self.state.clock.now())

    def push(
        self,
        repo: RepoRef,
        branch: str,
        changes: Mapping[str, File] | Path,
        message: str = "Change",
        *,
        parent: str | None = None,
        by: UserRef = None,
    ) -> str:
        """Commit on a branch and push it; the new SHA. None as a file deletes it; a Path replaces the whole tree.

        A branch that does not exist starts at the default branch. `parent`: any commit or branch to start from instead,
        which is a forced push when the branch exists.
        """
        target, user = self.repo(repo), self.account(by)
        if not is_ref_name(branch):
            raise ValueError(f"not a branch name: {branch!r}")
        with self.state.lock:
            git = self.state.git(target)
            before = git.branch_head(branch)
            start = git.resolve(parent) if parent is not None else before or git.branch_head(target.default_branch)
            if parent is not None and start is None:
                raise ValueError(f"no commit {parent!r} in {target.full_name}")
            contents = read_directory(changes) if isinstance(changes, Path) else as_contents(changes)
            write = self._write(branch, contents, message, start, user)
            after = git.write(replace(write, replace=isinstance(changes, Path)))
            after_push(self.state, self.events, Move(target, branch, before or ZERO_SHA, after, user))
        return after

    def move_branch(self, repo: RepoRef, branch: str, sha: str, *, by: UserRef = None) -> None:
        """Push an existing commit to a branch, forced if it must be."""
        self._move(self.repo(repo), branch, sha, self.account(by))

    def delete_branch(self, repo: RepoRef, branch: str, *, by: UserRef = None) -> None:
        """Its open pull requests are closed."""
        self._move(self.repo(repo), branch, None, self.account(by))

    def _move(self, repo: RepoRecord, branch: str, sha: str | None, user: Account) -> None:
        with self.state.lock:
            git = self.state.git(repo)
            before = git.branch_head(branch)
            if not is_ref_name(branch) or (sha is None and before is None):
                raise ValueError(f"no branch {branch!r} in {repo.full_name}")
            git.set_ref(f"refs/heads/{branch}", sha)
            after_push(self.state, self.events, Move(repo, branch, before or ZERO_SHA, sha or ZERO_SHA, user))

    def branch_head(self, repo: RepoRef, branch: str) -> str:
        """The SHA a branch is at; raises KeyError when there is none."""
        found = self.state.git(self.repo(repo)).branch_head(branch)
        if found is None:
            raise KeyError(f"no branch {branch!r}")
        return found

    def fork(self, repo: RepoRef, owner: UserRef, *, name: str | None = None) -> RepoRecord:
        """A fork on another account, with all branches; as private as its parent."""
        parent = self.repo(repo)
        with self.state.lock:
            account = self.account(owner)
            new = self._new_repo(
                account, name or parent.name, parent.default_branch, private=parent.private, fork_of=parent.id
            )
            self.state.git(new).copy_from(self.state.git(parent))
            self.state.repos[new.id] = new
        return new

    def delete_fork(self, fork: RepoRef) -> None:
        """Delete a repository. Pull requests from it stay, with a null head repository."""
        gone = self.repo(fork)
        with self.state.lock:
            self.events.announce("repository", {"action": "deleted"}, gone, self.account(None))
            del self.state.repos[gone.id]
            for pull in self.state.pulls.values():
                if pull.head_repo_id == gone.id:
                    pull.head_repo_id = None
            shutil.rmtree(gone.path)

    def rename_repo(self, repo: RepoRef, name: str) -> None:
        """The old name answers 301 from now on; ids stay."""
        target = self.repo(repo)
        if _NAME.fullmatch(name) is None or self.state.find_repo(target.owner.login, name) is not None:
            raise ValueError(f"not a free repository name: {name!r}")
        with self.state.lock:
            before = target.name
            self.state.former_names[target.full_name.lower()] = target.id
            target.name, target.updated_at = name, self.state.now()
            self.state.former_names.pop(target.full_name.lower(), None)
        changes = {"repository": {"name": {"from": before}}}
        self.events.announce("repository", {"action": "renamed", "changes": changes}, target, self.account(None))

    def set_visibility(self, repo: RepoRef, visibility: str) -> None:
        """ "public" or "private"."""
        target = self.repo(repo)
        if visibility not in ("public", "private"):
            raise ValueError(f"not a visibility: {visibility!r}")
        target.private, target.updated_at = visibility == "private", self.state.now()
        action = "privatized" if target.private else "publicized"
        self.events.announce("repository", {"action": action}, target, self.account(None))

    def archive(self, repo: RepoRef) -> None:
        """Read-only from now on: every write answers 403."""
        target = self.repo(repo)
        target.archived = True
        self.events.announce("repository", {"action": "archived"}, target, self.account(None))

    def protect(
        self,
        repo: RepoRef,
        branch: str,
        checks: Mapping[str, AppRecord | None] | Iterable[str],
        *,
        strict: bool = False,
    ) -> None:
        """Require checks before a merge, pinned to an App where one is given. It binds admins too."""
        target = self.repo(repo)
        rows = checks.items() if isinstance(checks, Mapping) else [(name, None) for name in checks]
        required = tuple(Required(name, None if app is None else app.id) for name, app in rows)
        target.protections[self._existing(target, branch)] = Protection(required, strict=strict, enforce_admins=True)

    def _existing(self, repo: RepoRecord, branch: str) -> str:
        self.branch_head(repo, branch)
        return branch


def as_contents(files: Mapping[str, File]) -> dict[str, FileContent | None]:
    """Texts as UTF-8 blobs; `FileContent` chooses its mode (symlink, executable) itself."""
    return {
        path: FileContent(file.encode())
        if isinstance(file, str)
        else FileContent(file)
        if isinstance(file, bytes)
        else file
        for path, file in files.items()
    }


def read_directory(directory: Path) -> dict[str, FileContent | None]:
    """Every file under a directory but `.git`, keeping symlinks and the executable bit."""
    found: dict[str, FileContent | None] = {}
    for path in sorted(directory.rglob("*")):
        name = path.relative_to(directory)
        if ".git" in name.parts:
            continue
        if path.is_symlink():
            found[name.as_posix()] = FileContent(str(path.readlink()).encode(), "120000")
        elif path.is_file():
            found[name.as_posix()] = FileContent(
                path.read_bytes(), "100755" if path.stat().st_mode & 0o100 else "100644"
            )
    return found
