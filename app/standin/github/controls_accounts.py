"""Control of accounts, Apps and installations."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from typing import Literal

from app.standin.github.controls import Controls, RepoRef, UserRef
from app.standin.github.records import Account, AppRecord, InstallationRecord
from app.standin.github.registering import Registration, create_account, register_app


class AccountControls(Controls):
    """Organizations, users, Apps, installations."""

    def create_org(self, login: str) -> Account:
        return create_account(self.state, login, "Organization")

    def create_user(self, login: str, *, admin: bool = False) -> Account:
        """A user with a personal access token (`.token`). `admin`: protection that spares admins does not bind them."""
        user = create_account(self.state, login, "User")
        user.token, user.admin = f"ghp_{secrets.token_hex(18)}", admin
        return user

    def create_app(
        self,
        name: str,
        permissions: Mapping[str, str],
        events: Iterable[str] = (),
        *,
        owner: UserRef = None,
        webhook_url: str | None = None,
        webhook_secret: str | None = None,
        private_key_pem: str | None = None,
    ) -> AppRecord:
        """Register an App and send its ping; refused as a whole when an event lacks its permission."""
        url = webhook_url or self.webhook_url
        form = Registration(name, self.account(owner), permissions, tuple(events), url, webhook_secret, private_key_pem)
        return register_app(self.state, self.events, form)

    def install(
        self, app: AppRecord, org: UserRef, repos: Iterable[RepoRef] | Literal["all"] = "all"
    ) -> InstallationRecord:
        """Install the App on an account, for some repositories or all, with the permissions it asks for now."""
        account = self.account(org)
        chosen = [] if repos == "all" else [self.repo(ref) for ref in repos]
        if any(repo.owner is not account for repo in chosen):
            raise ValueError(f"an installation on {account.login} sees its own repositories only")
        now = self.state.now()
        with self.state.lock:
            installation = InstallationRecord(
                id=self.state.next_id("installation"),
                app=app,
                account=account,
                permissions=dict(app.permissions),
                events=app.events,
                repository_selection="all" if repos == "all" else "selected",
                repo_ids={repo.id for repo in chosen},
                created_at=now,
                updated_at=now,
            )
            self.state.installations[installation.id] = installation
        seen = self.state.repos_of(installation)
        self.events.installation("created", installation, self.account(None), seen)
        return installation

    def uninstall(self, installation: InstallationRecord) -> None:
        """Its tokens stop working at once."""
        seen = self.state.repos_of(installation)
        with self.state.lock:
            del self.state.installations[installation.id]
        self.events.installation("deleted", installation, self.account(None), seen)

    def add_repositories(self, installation: InstallationRecord, *repos: RepoRef) -> None:
        added = [self.repo(ref) for ref in repos]
        installation.repo_ids |= {repo.id for repo in added}
        installation.updated_at = self.state.now()
        self.events.installation_repositories(installation, self.account(None), added=added)

    def remove_repositories(self, installation: InstallationRecord, *repos: RepoRef) -> None:
        """From a selection, or from "all", which becomes a selection of the rest."""
        removed = [self.repo(ref) for ref in repos]
        rest = {repo.id for repo in self.state.repos_of(installation)} - {repo.id for repo in removed}
        installation.repository_selection, installation.repo_ids = "selected", rest
        installation.updated_at = self.state.now()
        self.events.installation_repositories(installation, self.account(None), removed=removed)

    def suspend(self, installation: InstallationRecord) -> None:
        """Tokens answer 403 from now on and no events are delivered but the installation's own."""
        installation.suspended_at, installation.suspended_by = self.state.now(), self.account(None)
        self.events.installation("suspend", installation, self.account(None))

    def unsuspend(self, installation: InstallationRecord) -> None:
        installation.suspended_at, installation.suspended_by = None, None
        self.events.installation("unsuspend", installation, self.account(None))

    def change_permissions(
        self, app: AppRecord, permissions: Mapping[str, str], events: Iterable[str] | None = None
    ) -> None:
        """The App asks for others; installations keep theirs until their owner accepts."""
        app.permissions = dict(permissions)
        app.events = app.events if events is None else tuple(events)

    def accept_permissions(self, installation: InstallationRecord) -> None:
        """The owner accepts what the App asks for now."""
        installation.permissions, installation.events = dict(installation.app.permissions), installation.app.events
        installation.updated_at = self.state.now()
        self.events.installation("new_permissions_accepted", installation, self.account(None))

    def revoke_tokens(self) -> None:
        """Every installation token becomes invalid, as after a key was withdrawn."""
        with self.state.lock:
            self.state.tokens.clear()
