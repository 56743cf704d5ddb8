"""A GitHub that a contract test sets up and looks at without the port; one implementation for each `Forge`."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, TypeAlias, TypeVar

from app.ports import Forge, Forges
from app.words import Repo

T = TypeVar("T")
Changes: TypeAlias = Mapping[str, str | bytes | None]

BASE = {"README.md": "x\n", "db/1.sql": "CREATE TABLE a (b INT);\n"}
#: what the pull request does: it adds a file and takes one away
CHANGE: Changes = {"db/2.sql": "ALTER TABLE a DROP COLUMN b;\n", "README.md": None}
HEAD = {"db/1.sql": "CREATE TABLE a (b INT);\n", "db/2.sql": "ALTER TABLE a DROP COLUMN b;\n"}


@dataclass(frozen=True)
class ShownRun:
    """A check run as its page shows it. `conclusion` None: in progress. `annotations`: (path, line, level, title, message)."""

    id: int
    name: str
    external_id: str
    conclusion: str | None
    title: str | None
    summary: str | None
    annotations: tuple[tuple[str, int, str, str, str], ...]


@dataclass(frozen=True)
class ShownSuggestion:
    path: str
    first: int
    last: int
    body: str


class ForgeWorld(ABC):
    """One installation on `repo`, whose pull request `number` leads from branch `drop` (at `head`) to `main` (at `base`)."""

    repo: Repo
    number: int
    base: str
    head: str
    installation_id: int

    def run(self, work: Callable[[Forge], Awaitable[T]]) -> T:
        return self.run_app(lambda forges: work(forges.installation(self.installation_id)))

    def run_app(self, work: Callable[[Forges], Awaitable[T]]) -> T:
        async def go() -> T:
            async with self.opened() as forges:
                return await work(forges)

        return asyncio.run(go())

    @abstractmethod
    def opened(self) -> AbstractAsyncContextManager[Forges]:
        """What is tested."""

    # --- repositories

    @abstractmethod
    def add_repo(
        self, name: str, files: Mapping[str, str | bytes], *, visibility: Literal["public", "private"]
    ) -> Repo:
        """Of the same owner."""

    @abstractmethod
    def rename(self, repo: Repo, name: str) -> None: ...
    @abstractmethod
    def take_away(self, repo: Repo) -> None:
        """Out of the installation."""

    @abstractmethod
    def push(self, branch: str, changes: Changes) -> str:
        """The new commit; a branch that is not there starts at `main`. None as a file deletes it."""

    @abstractmethod
    def push_link(self, branch: str, path: str, target: str) -> str:
        """A symbolic link."""

    @abstractmethod
    def cut_listing(self, commit: str) -> None:
        """The commit has more files than GitHub lists."""

    # --- pull requests

    @abstractmethod
    def open_pull(self, branch: str) -> int: ...
    @abstractmethod
    def close_pull(self, number: int) -> None: ...
    @abstractmethod
    def merge_pull(self, number: int) -> None: ...
    @abstractmethod
    def open_pull_of_lost_fork(self) -> int:
        """A pull request whose fork was deleted."""

    # --- what others do, and what is there

    @abstractmethod
    def comment_as_person(self, number: int, body: str) -> int: ...
    @abstractmethod
    def suggest_as_person(self, number: int, body: str) -> None:
        """A review comment on line 1 of `db/2.sql`."""

    @abstractmethod
    def run_of_another_app(self, commit: str, name: str) -> None: ...
    @abstractmethod
    def delete_comment(self, comment_id: int) -> None: ...
    @abstractmethod
    def comments(self, number: int) -> list[tuple[int, str]]:
        """(id, body), the oldest first, everybody's."""

    @abstractmethod
    def runs(self, commit: str) -> list[ShownRun]:
        """Of this App, the oldest first."""

    @abstractmethod
    def suggestions(self, number: int) -> list[ShownSuggestion]:
        """Of this App."""

    # --- the App

    @abstractmethod
    def add_installation(self) -> int: ...
    @abstractmethod
    def suspend(self, installation_id: int) -> None: ...
    @abstractmethod
    def uninstall(self, installation_id: int) -> None: ...
    @abstractmethod
    def fail_delivery(self, *, attempts: int = 1, ago: timedelta = timedelta()) -> int:
        """A delivery that nobody took, however often it was sent; the id of the last attempt."""

    @abstractmethod
    def redeliveries(self) -> int:
        """How many deliveries were asked for again through the port."""

    # --- trouble

    @abstractmethod
    def go_away(self) -> None:
        """GitHub answers nothing but errors of its own from now on."""

    @abstractmethod
    def refuse(self) -> None:
        """The installation has no permission but to see that its repositories are there."""
