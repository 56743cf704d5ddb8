"""GitHub in memory, as `app.ports.Forge` sees it: stateful, with failures on demand, and strict about effects.

It answers as the adapter over the stand-in does: `tests/contracts` runs the same assertions over both.
"""

from __future__ import annotations

import difflib
import io
import re
import tarfile
from datetime import datetime
from typing import IO, Literal

from app.effects import CheckOutput, Suggestion
from app.ports import CommitComparison, Forge, Pull, TooLarge, TreeEntry, TreeListing
from app.words import Permanent, Repo, Transient
from tests.fakes.forge_state import CheckRun, Comment, ForgeState, sha_of

#: what GitHub gives out by a path
MOST_FILE_BYTES = 1_000_000
MOST_ANNOTATIONS = 200
LINK, SUBMODULE = "120000", "160000"


class FakeForge(ForgeState):
    """One GitHub and its every installation."""

    def installation(self, installation_id: int) -> Forge:
        assert installation_id
        gone: Forge = Uninstalled()  # type: ignore[assignment]  # answers every method alike
        return gone if installation_id in self.uninstalled else self

    async def fetch_installations(self) -> tuple[int, ...]:
        self._called("fetch_installations")
        return tuple(self.installations)

    async def fetch_failed_deliveries(self, *, since: datetime, attempts: int) -> tuple[int, ...]:
        self._called("fetch_failed_deliveries")
        assert attempts > 1
        found = [(at, number) for number, at in self.failed_deliveries.items() if at >= since]
        return tuple(number for _, number in sorted(found) if self.attempts.get(number, 1) < attempts)

    async def redeliver(self, delivery_id: int) -> None:
        self._called("redeliver")
        if delivery_id not in self.failed_deliveries:
            raise Permanent(f"no delivery {delivery_id}")
        self.redelivered.append(delivery_id)

    # --- reads -------------------------------------------------------------------------------------------------

    async def fetch_repositories(self) -> tuple[Repo, ...]:
        self._called("fetch_repositories")
        return tuple(self.repos.values())

    async def fetch_repo(self, repo_id: int) -> Repo:
        self._called("fetch_repo")
        if repo_id not in self.repos:
            raise Permanent(f"the installation does not include the repository with id {repo_id}")
        return self.repos[repo_id]

    async def fetch_pull(self, repo: Repo, number: int) -> Pull:
        self._called("fetch_pull")
        if self.stale_pulls:
            return self.stale_pulls.pop(0)
        return self._pull(repo, number)

    async def fetch_open_pulls(self, repo: Repo, head_sha: str | None = None) -> tuple[Pull, ...]:
        self._called("fetch_open_pulls")
        self._known(repo)
        return tuple(
            pull
            for (repo_id, _), pull in self.pulls.items()
            if repo_id == repo.id and pull.state == "open" and head_sha in (None, pull.head_sha)
        )

    async def fetch_branch_head(self, repo: Repo, branch: str) -> str | None:
        self._called("fetch_branch_head")
        return self.branches.get((repo.id, branch)) if repo.id in self.repos else None

    async def fetch_comparison(self, repo: Repo, base: str, head: str) -> CommitComparison:
        self._called("fetch_comparison")
        tip, head = (self.branches.get((repo.id, name), name) for name in (base, head))
        for commit in (tip, head):
            self._files(repo, commit)
        start, end = self._files(repo, self._merge_base(repo, tip, head)), self._files(repo, head)
        changed = tuple(path for path in sorted({*start, *end}) if start.get(path) != end.get(path))
        return CommitComparison(self._merge_base(repo, tip, head), changed[:300], len(changed) >= 300, base=tip)

    async def fetch_tree(self, repo: Repo, commit: str) -> TreeListing:
        self._called("fetch_tree")
        entries = tuple(
            TreeEntry(path, sha_of(content), mode, None if mode == SUBMODULE else len(content))
            for path, content in self._files(repo, commit).items()
            for mode in (self.modes.get(path, "100644"),)
        )
        return TreeListing(commit, entries, commit in self.truncated)

    async def fetch_blob(self, repo: Repo, sha: str) -> bytes:
        self._called("fetch_blob")
        self._known(repo)
        for (repo_id, _), files in self.commits.items():
            for content in files.values():
                if repo_id == repo.id and sha_of(content) == sha:
                    return content
        raise Permanent(f"no blob {sha}")

    async def fetch_archive(self, repo: Repo, commit: str, into: IO[bytes], *, most: int) -> None:
        self._called("fetch_archive")
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for path, content in self._files(repo, commit).items():
                member = tarfile.TarInfo(f"{repo.full_name.replace('/', '-')}-{commit[:7]}/{path}")
                mode = self.modes.get(path, "")
                member.type = {LINK: tarfile.SYMTYPE, SUBMODULE: tarfile.DIRTYPE}.get(mode, tarfile.REGTYPE)
                member.linkname = content.decode() if mode == LINK else ""
                member.size = len(content) if member.isreg() else 0
                archive.addfile(member, io.BytesIO(content) if member.isreg() else None)
        if packed.tell() > most:
            raise Permanent(f"the archive is larger than {most} bytes")
        into.write(packed.getvalue())

    async def fetch_file(self, full_name: str, path: str) -> bytes | None:
        self._called("fetch_file")
        repo = next((repo for repo in self.repos.values() if repo.full_name == full_name), None)
        if repo is None or repo.id in self.unreadable:
            return None
        found = self.commits[repo.id, self.branches[repo.id, repo.default_branch]].get(path)
        if found is not None and len(found) > MOST_FILE_BYTES:
            raise TooLarge(f"{path} is larger than 1 MB")
        return found

    # --- check runs --------------------------------------------------------------------------------------------

    async def fetch_check_run(self, repo: Repo, head_sha: str, name: str) -> int | None:
        self._called("fetch_check_run")
        key = (repo.id, head_sha, name, True)
        own = [run.id for run in self.all_check_runs if (run.repo_id, run.head_sha, run.name, run.mine) == key]
        return max(own, default=None)

    async def create_check_run(self, repo: Repo, head_sha: str, name: str, *, external_id: str) -> int:
        self._called("create_check_run")
        self._known(repo)
        if (repo.id, head_sha) not in self.commits:
            raise Transient(f"No commit found for SHA: {head_sha}")  # right after a push GitHub may not know it yet
        run = CheckRun(len(self.all_check_runs) + 1, repo.id, head_sha, name, external_id)
        self.all_check_runs.append(run)
        self._called("create_check_run_answer")
        return run.id

    async def conclude_check_run(
        self, repo: Repo, check_run_id: int, output: CheckOutput, *, annotated: Literal["no", "maybe"] = "maybe"
    ) -> None:
        self._called("conclude_check_run")
        run = next((run for run in self.all_check_runs if run.id == check_run_id), None)
        if run is None:
            raise Permanent(f"no check run {check_run_id}")
        assert annotated == "maybe" or not run.annotations, "GitHub would show them twice"
        assert run.repo_id == repo.id
        assert len(output.title) <= 255
        assert len(output.summary.encode()) <= 65_535
        run.output = output
        wanted = output.annotations[:MOST_ANNOTATIONS]
        run.annotations += [a for a in wanted if a not in run.annotations]  # as the real client does
        run.history.append(output.conclusion)
        self._called("conclude_check_run_answer")

    # --- comments ----------------------------------------------------------------------------------------------

    async def fetch_comment(self, repo: Repo, pull: int, marker: str) -> tuple[int, str] | None:
        self._called("fetch_comment")
        self._pull(repo, pull)
        own = [c for c in self.all_comments if (c.repo_id, c.pull, c.mine) == (repo.id, pull, True)]
        marked = sorted((c for c in own if c.body.startswith(marker)), key=lambda comment: comment.id)
        for repeated in marked[1:]:
            self.all_comments.remove(repeated)
        return (marked[0].id, marked[0].body) if marked else None

    async def ensure_suggestion(
        self, repo: Repo, pull: int, head_sha: str, suggestion: Suggestion, *, earlier: Literal["no", "maybe"] = "maybe"
    ) -> None:
        self._called("ensure_suggestion")
        key = (repo.id, pull, suggestion.marker)
        there = self._pull(repo, pull)
        assert suggestion.body.startswith(suggestion.marker), "it would not be found again"
        assert earlier == "maybe" or key not in self.all_suggestions, "GitHub would show it twice"
        if key not in self.all_suggestions:
            if head_sha != there.head_sha:
                raise Permanent("commit_id is not part of the pull request")
            if not {suggestion.first, suggestion.last} <= self._shown_lines(repo, there, suggestion.path):
                raise Permanent("the line must be part of the diff")
            self.all_suggestions[key] = (head_sha, suggestion)
        self._called("ensure_suggestion_answer")

    async def create_comment(self, repo: Repo, pull: int, body: str) -> int:
        self._called("create_comment")
        self._pull(repo, pull)
        made = self.add_comment(repo.id, pull, body, mine=True)
        self._called("create_comment_answer")
        return made.id

    async def update_comment(self, repo: Repo, comment_id: int, body: str) -> bool:
        self._called("update_comment")
        for comment in self.all_comments:
            if (comment.repo_id, comment.id) == (repo.id, comment_id):
                comment.body = body
                self._called("update_comment_answer")
                return True
        return False

    # --- what GitHub refuses -----------------------------------------------------------------------------------

    def _known(self, repo: Repo) -> None:
        if repo.id not in self.repos:
            raise Permanent(f"{repo.full_name} was deleted, or the installation does not include it")

    def _pull(self, repo: Repo, number: int) -> Pull:
        self._known(repo)
        if (repo.id, number) not in self.pulls:
            raise Permanent(f"no pull request {number}")
        return self.pulls[repo.id, number]

    def _files(self, repo: Repo, commit: str) -> dict[str, bytes]:
        self._known(repo)
        if (repo.id, commit) not in self.commits:
            raise Permanent(f"no commit {commit}")
        return self.commits[repo.id, commit]

    def _merge_base(self, repo: Repo, base: str, head: str) -> str:
        ancestors = set(self._ancestors(repo.id, head))
        return next(commit for commit in self._ancestors(repo.id, base) if commit in ancestors)

    def _shown_lines(self, repo: Repo, pull: Pull, path: str) -> set[int]:
        """The lines of the head's side that the diff shows."""
        start = self._files(repo, self._merge_base(repo, pull.base_sha, pull.head_sha)).get(path, b"")
        end = self._files(repo, pull.head_sha).get(path, b"")
        shown: set[int] = set()
        for row in difflib.unified_diff(start.decode().splitlines(), end.decode().splitlines()):
            if hunk := re.match(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", row):
                shown |= set(range(int(hunk[1]), int(hunk[1]) + int(hunk[2] or "1")))
        return shown


class Uninstalled:
    """`Forge` of an installation that is gone."""

    def __getattr__(self, name: str) -> object:
        async def refuse(*_: object, **__: object) -> None:
            raise Permanent(f"{name}: the installation is gone")

        return refuse


__all__ = ["CheckRun", "Comment", "FakeForge", "sha_of"]
