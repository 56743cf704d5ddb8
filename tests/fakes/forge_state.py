"""What the GitHub in memory holds, how a test sets it up, and how it looks at what was done.

`check_runs`, `comments` and `suggestions` mark what a test looked at; `assert_all_seen` fails for an effect that nobody
looked at. Commits are named by the test; `parents` decide the merge base.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from app.effects import Annotation, CheckOutput, Suggestion
from app.ports import Pull
from app.words import Repo


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
    mine: bool = True


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


class ForgeState:
    """Everything but the port's own methods."""

    def __init__(self) -> None:
        self.repos: dict[int, Repo] = {}
        self.commits: dict[tuple[int, str], dict[str, bytes]] = {}
        self.parents: dict[tuple[int, str], str] = {}
        self.branches: dict[tuple[int, str], str] = {}
        self.pulls: dict[tuple[int, int], Pull] = {}
        self.modes: dict[str, str] = {}  # path -> mode, for links and submodules
        self.unreadable: set[int] = set()  # repositories whose contents the App may not read
        self.truncated: set[str] = set()  # commits whose listing GitHub cuts
        self.all_check_runs: list[CheckRun] = []
        self.all_comments: list[Comment] = []
        self.all_suggestions: dict[tuple[int, int, str], tuple[str, Suggestion]] = {}
        self.seen_suggestions: set[tuple[int, int, str]] = set()
        self.calls: Counter[str] = Counter()
        self.fail: defaultdict[str, list[Exception | None]] = defaultdict(list)
        self.on_call: Callable[[str], None] = lambda _: None
        self.installations: list[int] = []  # those that are not suspended
        self.uninstalled: set[int] = set()
        self.failed_deliveries: dict[int, datetime] = {}
        self.attempts: dict[int, int] = {}  # delivery -> how often GitHub sent it, where that was more than once
        self.redelivered: list[int] = []
        self.stale_pulls: list[Pull] = []  # what the API answers first, right after a push
        self._last_comment = 0

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
            created_at=f"2026-01-01T00:00:{second:02d}Z",
        )
        return self.pulls[repo_id, number]

    def push(self, repo_id: int, number: int, head_sha: str, *, second: int) -> None:
        old = self.pulls[repo_id, number]
        self.pulls[repo_id, number] = replace(old, head_sha=head_sha, updated_at=f"2026-01-01T00:00:{second:02d}Z")

    def add_comment(self, repo_id: int, pull: int, body: str, *, mine: bool) -> Comment:
        """No two comments ever have one id, deleted ones included."""
        self._last_comment = max([self._last_comment, *(comment.id for comment in self.all_comments)]) + 1
        self.all_comments.append(Comment(self._last_comment, repo_id, pull, body, mine))
        return self.all_comments[-1]

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

    def suggestions(self, pull: int) -> list[tuple[str, Suggestion]]:
        found = {key: one for key, one in self.all_suggestions.items() if key[1] == pull}
        self.seen_suggestions |= found.keys()
        return list(found.values())

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

    def _ancestors(self, repo_id: int, commit: str) -> list[str]:
        """The commit itself first."""
        found = [commit]
        while (repo_id, found[-1]) in self.parents:
            found.append(self.parents[repo_id, found[-1]])
        return found
