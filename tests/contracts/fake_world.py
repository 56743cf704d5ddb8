"""The contract's world over the GitHub in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from inspect import iscoroutinefunction
from typing import Literal

from app.effects import Suggestion
from app.ports import Forge, Forges
from app.words import Permanent, Repo, Transient
from tests.contracts.forge_world import BASE, CHANGE, Changes, ForgeWorld, ShownRun, ShownSuggestion
from tests.fakes.forge import FakeForge
from tests.fakes.forge_state import CheckRun

ASKED = [name for port in (Forge, Forges) for name, one in vars(port).items() if iscoroutinefunction(one)]
#: what needs no permission, or takes its absence for the file's
UNGUARDED = {"fetch_repositories", "fetch_repo", "fetch_file"}


class FakeWorld(ForgeWorld):
    def __init__(self) -> None:
        self.forge = FakeForge()
        self.installation_id, self.base = 9, "base"
        self.forge.installations = [9]
        self.repo = self.forge.add_repo(1, "acme/warehouse", BASE)
        self.head = self.push("drop", CHANGE)
        self.number = self.open_pull("drop")

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Forges]:
        yield self.forge

    def add_repo(
        self, name: str, files: Mapping[str, str | bytes], *, visibility: Literal["public", "private"]
    ) -> Repo:
        number = max(self.forge.repos) + 1
        made = self.forge.add_repo(number, f"acme/{name}", files, commit=f"first-{number}")
        self.forge.repos[number] = replace(made, visibility=visibility)
        return self.forge.repos[number]

    def rename(self, repo: Repo, name: str) -> None:
        self.forge.repos[repo.id] = replace(repo, full_name=f"acme/{name}")

    def take_away(self, repo: Repo) -> None:
        del self.forge.repos[repo.id]

    def push(self, branch: str, changes: Changes) -> str:
        start = self.forge.branches.get((1, branch), self.forge.branches[1, "main"])
        files: dict[str, str | bytes | None] = {**self.forge.commits[1, start], **changes}
        commit = f"commit-{len(self.forge.commits)}"
        self.forge.add_commit(1, commit, {p: t for p, t in files.items() if t is not None}, parent=start)
        self.forge.branches[1, branch] = commit
        for key, pull in self.forge.pulls.items():
            if pull.head_sha == start and branch != "main":
                self.forge.pulls[key] = replace(pull, head_sha=commit)
        return commit

    def push_link(self, branch: str, path: str, target: str) -> str:
        self.forge.modes[path] = "120000"
        return self.push(branch, {path: target})

    def cut_listing(self, commit: str) -> None:
        self.forge.truncated.add(commit)

    def open_pull(self, branch: str) -> int:
        number = len(self.forge.pulls) + 1
        self.forge.add_pull(1, number, self.forge.branches[1, branch])
        return number

    def close_pull(self, number: int) -> None:
        self.forge.pulls[1, number] = replace(self.forge.pulls[1, number], state="closed")

    def merge_pull(self, number: int) -> None:
        self.forge.pulls[1, number] = replace(self.forge.pulls[1, number], state="closed", merged=True)

    def open_pull_of_lost_fork(self) -> int:
        number = self.open_pull("drop")
        self.forge.pulls[1, number] = replace(self.forge.pulls[1, number], head_repo_id=None)
        return number

    def comment_as_person(self, number: int, body: str) -> int:
        return self.forge.add_comment(1, number, body, mine=False).id

    def suggest_as_person(self, number: int, body: str) -> None:
        """The fake keeps its own alone: another's is never found."""

    def run_of_another_app(self, commit: str, name: str) -> None:
        made = CheckRun(len(self.forge.all_check_runs) + 1, 1, commit, name, "theirs", mine=False)
        self.forge.all_check_runs.append(made)

    def delete_comment(self, comment_id: int) -> None:
        self.forge.all_comments = [one for one in self.forge.all_comments if one.id != comment_id]

    def comments(self, number: int) -> list[tuple[int, str]]:
        return [(one.id, one.body) for one in self.forge.all_comments if one.pull == number]

    def runs(self, commit: str) -> list[ShownRun]:
        return [_shown(run) for run in self.forge.all_check_runs if run.mine and run.head_sha == commit]

    def suggestions(self, number: int) -> list[ShownSuggestion]:
        return [_suggested(one) for _, one in self.forge.suggestions(number)]

    def add_installation(self) -> int:
        self.forge.installations.append(10)
        return 10

    def suspend(self, installation_id: int) -> None:
        self.forge.installations.remove(installation_id)

    def uninstall(self, installation_id: int) -> None:
        self.forge.installations.remove(installation_id)
        self.forge.uninstalled.add(installation_id)

    def fail_delivery(self, *, attempts: int = 1, ago: timedelta = timedelta()) -> int:
        number = 100 - len(self.forge.failed_deliveries)  # later ones are not the larger ones
        self.forge.failed_deliveries[number] = datetime.now(UTC) - ago
        self.forge.attempts[number] = attempts
        return number

    def redeliveries(self) -> int:
        return len(self.forge.redelivered)

    def go_away(self) -> None:
        for name in ASKED:
            self.forge.fail[name] = [Transient("GitHub answered 502")] * 9

    def refuse(self) -> None:
        for name in set(ASKED) - UNGUARDED:
            self.forge.fail[name] = [Permanent("the App lacks that permission")] * 9
        self.forge.unreadable.add(1)


def _shown(run: CheckRun) -> ShownRun:
    output = run.output
    shown = tuple((a.path, a.line, a.level, a.title, a.message) for a in run.annotations)
    if output is None:
        return ShownRun(run.id, run.name, run.external_id, None, None, None, shown)
    return ShownRun(run.id, run.name, run.external_id, output.conclusion, output.title, output.summary, shown)


def _suggested(one: Suggestion) -> ShownSuggestion:
    return ShownSuggestion(one.path, one.first, one.last, one.body)
