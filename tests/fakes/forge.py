"""GitHub in memory, as `app.ports.Forge` sees it: stateful, with failures on demand, and strict about effects.

`check_runs` and `comments` mark what a test looked at; `assert_all_seen` fails for an effect that nobody looked at.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import IO, Literal

from app.effects import Annotation, CheckOutput, Suggestion
from app.ports import Comparison, Forge, Pull, TreeEntry, TreeListing
from app.words import Permanent, Repo


@dataclass
class CheckRun:
    id: int
    repo_id: int
    head_sha: str
    name: str
    external_id: str
    output: CheckOutput | None = None  # None: in progress
    annotations: list[Annotation] = field(default_factory=list)
    history: list[str] = field(default_factory=list)  # conclusions, in order
    seen: bool = False


@dataclass
class Comment:
    id: int
    repo_id: int
    pull: int
    body: str
    mine: bool = True
    seen: bool = False


def sha_of(content: bytes) -> str:
    """As git names a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


class FakeForge:
    """Commits are named by the test; `parents` decide the merge base."""

    def __init__(self) -> None:
        self.repos: dict[int, Repo] = {}
        self.commits: dict[tuple[int, str], dict[str, bytes]] = {}
        self.parents: dict[tuple[int, str], str] = {}
        self.branches: dict[tuple[int, str], str] = {}
        self.pulls: dict[tuple[int, int], Pull] = {}
        self.modes: dict[str, str] = {}  # path -> mode, for links and submodules
        self.truncated: set[str] = set()  # commits whose listing GitHub cuts
        self.all_check_runs: list[CheckRun] = []
        self.all_comments: list[Comment] = []
        self.all_suggestions: dict[tuple[int, int, str], tuple[str, Suggestion]] = {}
        self.seen_suggestions: set[tuple[int, int, str]] = set()
        self.calls: Counter[str] = Counter()
        self.fail: defaultdict[str, list[Exception | None]] = defaultdict(list)
        self.on_call: Callable[[str], None] = lambda _: None
        self.installations: list[int] = []
        self.failed_deliveries: dict[int, datetime] = {}
        self.redelivered: list[int] = []
        self.stale_pulls: list[Pull] = []  # what the API answers first, right after a push

    def installation(self, installation_id: int) -> Forge:
        assert installation_id
        return self

    async def fetch_installations(self) -> tuple[int, ...]:
        self._called("fetch_installations")
        return tuple(self.installations)

    async def fetch_failed_deliveries(self, *, since: datetime, attempts: int) -> tuple[int, ...]:
        self._called("fetch_failed_deliveries")
        assert attempts > 1
        return tuple(number for number, at in self.failed_deliveries.items() if at >= since)

    async def redeliver(self, delivery_id: int) -> None:
        self._called("redeliver")
        self.redelivered.append(delivery_id)

    # --- setting up --------------------------------------------------------------------------------------------

    def add_repo(self, repo_id: int, name: str, files: Mapping[str, str | bytes], *, commit: str = "base") -> Repo:
        self.repos[repo_id] = Repo(repo_id, name)
        self.branches[repo_id, "main"] = commit
        self.add_commit(repo_id, commit, files)
        return self.repos[repo_id]

    def add_commit(
        self, repo_id: int, commit: str, files: Mapping[str, str | bytes], *, parent: str | None = None
    ) -> None:
        self.commits[repo_id, commit] = {p: t.encode() if isinstance(t, str) else t for p, t in files.items()}
        if parent:
            self.parents[repo_id, commit] = parent

    def add_pull(self, repo_id: int, number: int, head_sha: str, *, second: int = 1, fork: bool = False) -> Pull:
        self.pulls[repo_id, number] = Pull(
            number=number,
            state="open",
            head_sha=head_sha,
            head_repo_id=77 if fork else repo_id,
            base_ref="main",
            base_sha=self.branches[repo_id, "main"],
            updated_at=f"2026-01-01T00:00:{second:02d}Z",
            draft=False,
            merged=False,
            title="a change",
            html_url=f"https://github.com/{self.repos[repo_id].full_name}/pull/{number}",
            base_repo=self.repos[repo_id],
        )
        return self.pulls[repo_id, number]

    # --- looking -----------------------------------------------------------------------------------------------

    def check_runs(self, head_sha: str) -> list[CheckRun]:
        found = [run for run in self.all_check_runs if run.head_sha == head_sha]
        for run in found:
            run.seen = True
        return found

    def comments(self, pull: int) -> list[Comment]:
        found = [comment for comment in self.all_comments if comment.pull == pull and comment.mine]
        for comment in found:
            comment.seen = True
        return found

    def assert_all_seen(self) -> None:
        unseen = [
            *(f"check run on {run.head_sha}" for run in self.all_check_runs if not run.seen),
            *(f"comment on #{comment.pull}" for comment in self.all_comments if comment.mine and not comment.seen),
            *(f"suggestion on #{key[1]}" for key in self.all_suggestions.keys() - self.seen_suggestions),
        ]
        assert not unseen, f"effects that no assertion looked at: {unseen}"

    def _called(self, name: str) -> None:
        self.calls[name] += 1
        self.on_call(name)
        if self.fail[name] and (error := self.fail[name].pop(0)) is not None:
            raise error

    # --- reads -------------------------------------------------------------------------------------------------

    async def fetch_repositories(self) -> tuple[Repo, ...]:
        self._called("fetch_repositories")
        return tuple(self.repos.values())

    async def fetch_repo(self, repo_id: int) -> Repo:
        self._called("fetch_repo")
        return self.repos[repo_id]

    async def fetch_pull(self, repo: Repo, number: int) -> Pull:
        self._called("fetch_pull")
        if self.stale_pulls:
            return self.stale_pulls.pop(0)
        return self.pulls[repo.id, number]

    async def fetch_open_pulls(self, repo: Repo, head_sha: str | None = None) -> tuple[Pull, ...]:
        self._called("fetch_open_pulls")
        return tuple(
            pull
            for (repo_id, _), pull in self.pulls.items()
            if repo_id == repo.id and pull.state == "open" and head_sha in (None, pull.head_sha)
        )

    async def fetch_branch_head(self, repo: Repo, branch: str) -> str | None:
        self._called("fetch_branch_head")
        return self.branches.get((repo.id, branch))

    async def fetch_comparison(self, repo: Repo, base: str, head: str) -> Comparison:
        self._called("fetch_comparison")
        base = tip = self.branches.get((repo.id, base), base)
        ancestors, at = {head}, head
        while (repo.id, at) in self.parents:
            at = self.parents[repo.id, at]
            ancestors.add(at)
        while base not in ancestors:
            base = self.parents[repo.id, base]
        return Comparison(base, (), truncated=False, base=tip)

    async def fetch_tree(self, repo: Repo, commit: str) -> TreeListing:
        self._called("fetch_tree")
        if (repo.id, commit) not in self.commits:
            raise Permanent(f"no commit {commit}")
        entries = tuple(
            TreeEntry(path, sha_of(content), self.modes.get(path, "100644"), len(content))
            for path, content in self.commits[repo.id, commit].items()
        )
        return TreeListing(commit, entries, commit in self.truncated)

    async def fetch_blob(self, repo: Repo, sha: str) -> bytes:
        self._called("fetch_blob")
        for (repo_id, _), files in self.commits.items():
            for content in files.values():
                if repo_id == repo.id and sha_of(content) == sha:
                    return content
        raise Permanent(f"no blob {sha}")

    async def fetch_archive(self, repo: Repo, commit: str, into: IO[bytes], *, most: int) -> None:
        self._called("fetch_archive")
        with tarfile.open(fileobj=into, mode="w:gz") as archive:
            for path, content in self.commits[repo.id, commit].items():
                member = tarfile.TarInfo(f"{repo.full_name.replace('/', '-')}-{commit[:7]}/{path}")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        assert into.tell() <= most

    async def fetch_file(self, full_name: str, path: str) -> bytes | None:
        self._called("fetch_file")
        repo = next((repo for repo in self.repos.values() if repo.full_name == full_name), None)
        return None if repo is None else self.commits[repo.id, self.branches[repo.id, "main"]].get(path)

    # --- check runs --------------------------------------------------------------------------------------------

    async def find_check_run(self, repo: Repo, head_sha: str, name: str) -> int | None:
        self._called("find_check_run")
        for run in self.all_check_runs:
            if (run.repo_id, run.head_sha, run.name) == (repo.id, head_sha, name):
                return run.id
        return None

    async def create_check_run(self, repo: Repo, head_sha: str, name: str, *, external_id: str) -> int:
        self._called("create_check_run")
        run = CheckRun(len(self.all_check_runs) + 1, repo.id, head_sha, name, external_id)
        self.all_check_runs.append(run)
        self._called("create_check_run_answer")
        return run.id

    async def conclude_check_run(
        self, repo: Repo, check_run_id: int, output: CheckOutput, *, annotated: Literal["no", "maybe"] = "maybe"
    ) -> None:
        self._called("conclude_check_run")
        run = self.all_check_runs[check_run_id - 1]
        assert annotated == "maybe" or not run.annotations, "GitHub would show them twice"
        assert run.repo_id == repo.id
        assert len(output.title) <= 255
        assert len(output.summary.encode()) <= 65_535
        run.output = output
        run.annotations += [a for a in output.annotations if a not in run.annotations]  # as the real client does
        run.history.append(output.conclusion)
        self._called("conclude_check_run_answer")

    # --- comments ----------------------------------------------------------------------------------------------

    async def find_comment(self, repo: Repo, pull: int, marker: str) -> tuple[int, str] | None:
        self._called("find_comment")
        for comment in self.all_comments:
            if (comment.repo_id, comment.pull, comment.mine) == (repo.id, pull, True) and marker in comment.body:
                return comment.id, comment.body
        return None

    async def ensure_suggestion(
        self, repo: Repo, pull: int, head_sha: str, suggestion: Suggestion, *, earlier: Literal["no", "maybe"] = "maybe"
    ) -> None:
        self._called("ensure_suggestion")
        key = (repo.id, pull, suggestion.marker)
        assert earlier == "maybe" or key not in self.all_suggestions, "GitHub would show it twice"
        self.all_suggestions.setdefault(key, (head_sha, suggestion))
        self._called("ensure_suggestion_answer")

    def suggestions(self, pull: int) -> list[tuple[str, Suggestion]]:
        found = {key: one for key, one in self.all_suggestions.items() if key[1] == pull}
        self.seen_suggestions |= found.keys()
        return list(found.values())

    async def create_comment(self, repo: Repo, pull: int, body: str) -> int:
        self._called("create_comment")
        self.all_comments.append(Comment(len(self.all_comments) + 1, repo.id, pull, body))
        self._called("create_comment_answer")
        return len(self.all_comments)

    async def update_comment(self, repo: Repo, comment_id: int, body: str) -> bool:
        self._called("update_comment")
        for comment in self.all_comments:
            if comment.id == comment_id:
                comment.body = body
                self._called("update_comment_answer")
                return True
        return False

    def push(self, repo_id: int, number: int, head_sha: str, *, second: int) -> None:
        old = self.pulls[repo_id, number]
        self.pulls[repo_id, number] = replace(old, head_sha=head_sha, updated_at=f"2026-01-01T00:00:{second:02d}Z")
