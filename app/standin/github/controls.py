"""What every part of the control API stands on: the state, and how repositories and users are named."""

from __future__ import annotations

from typing import TypeAlias

from app.standin.github.events import Events
from app.standin.github.hooks import Courier
from app.standin.github.records import Account, PullRecord, RepoRecord
from app.standin.github.state import State

RepoRef: TypeAlias = RepoRecord | str | int
UserRef: TypeAlias = Account | str | None


class Controls:
    """Shared by the parts of `World`. A repository is named by itself, "owner/name" or id; a user by itself or login."""

    def __init__(self, state: State, courier: Courier, *, webhook_url: str | None) -> None:
        self.state = state
        self.courier = courier
        self.events = Events(state, courier)
        self.webhook_url = webhook_url

    def repo(self, ref: RepoRef) -> RepoRecord:
        """The repository; raises KeyError when there is none."""
        if isinstance(ref, RepoRecord):
            return ref
        found = self.state.repos.get(ref) if isinstance(ref, int) else self.state.find_repo(*ref.split("/", 1))
        if found is None:
            raise KeyError(f"no repository {ref!r}")
        return found

    def account(self, ref: UserRef) -> Account:
        """The account; None is the sandbox's own developer, who pushes and opens pull requests unless told otherwise."""
        if isinstance(ref, Account):
            return ref
        login = "sandbox-dev" if ref is None else ref
        found = self.state.accounts.get(login.lower())
        if found is None:
            raise KeyError(f"no account {login!r}")
        return found

    def pull(self, repo: RepoRef, number: int) -> PullRecord:
        """The pull request as it is now; raises KeyError when there is none."""
        found = self.state.pulls.get((self.repo(repo).id, number))
        if found is None:
            raise KeyError(f"no pull request {number} in {self.repo(repo).full_name}")
        return found
