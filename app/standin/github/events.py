"""Which App hears of what, and what the payload carries; `hooks` delivers it.

Sources: docs.github.com, "Webhook events and payloads", and the published webhook descriptions: an event needs its
permission; check_run and check_suite come by themselves with checks:write; rerequested and requested_action go to the
owning App alone; installation events reach every App.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from app.standin.github.hooks import Courier
from app.standin.github.merging import measure
from app.standin.github.permits import LEVELS
from app.standin.github.records import (
    Account,
    AppRecord,
    CheckRun,
    CheckSuite,
    Comment,
    InstallationRecord,
    Json,
    PullRecord,
    RepoRecord,
    Status,
)
from app.standin.github.shapes_accounts import account_json, installation_json, node_id, repo_json, repo_short, stamp
from app.standin.github.shapes_checks import hook_run_json, status_json, suite_json
from app.standin.github.shapes_git import commit_json
from app.standin.github.shapes_pulls import comment_json, full_pull_json, issue_json
from app.standin.github.state import State

PERMISSION_OF = {
    "pull_request": "pull_requests", "push": "contents", "check_run": "checks", "check_suite": "checks",
    "issue_comment": "issues", "merge_group": "merge_queues", "status": "statuses", "repository": "metadata",
}  # fmt: skip
_AUTOMATIC = {"check_run", "check_suite"}


def unsupported_events(permissions: Mapping[str, str], events: Iterable[str]) -> list[str]:
    """Events that the permissions do not cover: GitHub refuses to register such an App."""
    have = {"metadata": "read", **permissions}
    return [event for event in events if event not in PERMISSION_OF or PERMISSION_OF[event] not in have]


@dataclass(frozen=True, slots=True)
class Events:
    """Announces what happened. Every method returns at once; delivery is the courier's."""

    state: State
    courier: Courier

    def pull_request(self, action: str, pull: PullRecord, sender: Account, **more: Any) -> None:
        """`more`: before and after of a synchronize, changes of an edit, reason of a dequeue."""
        whole = full_pull_json(self.state, pull, measure(self.state, pull))
        body = {"action": action, "number": pull.number, "pull_request": whole, **more}
        self.announce("pull_request", body, pull.repo, sender)

    def check_run(self, action: str, run: CheckRun, sender: Account, **more: Any) -> None:
        body = {"action": action, "check_run": hook_run_json(self.state, run), **more}
        self._checks("check_run", body, run.suite, sender)

    def check_suite(self, action: str, suite: CheckSuite, sender: Account) -> None:
        whole = suite_json(self.state, suite)
        whole.pop("repository")
        self._checks("check_suite", {"action": action, "check_suite": whole}, suite, sender)

    def _checks(self, event: str, body: Json, suite: CheckSuite, sender: Account) -> None:
        """created and completed go to whoever may read checks; everything else to the owning App alone."""
        only = None if body["action"] in {"created", "completed"} else suite.app
        self.announce(event, body, suite.repo, sender, only=only)

    def issue_comment(self, action: str, comment: Comment, sender: Account, **more: Any) -> None:
        pull = self.state.pull(comment.repo, comment.number)
        issue = issue_json(self.state, pull)
        body = {"action": action, "issue": issue, "comment": comment_json(self.state, comment), **more}
        self.announce("issue_comment", body, comment.repo, sender)

    def status(self, status: Status) -> None:
        whole = status_json(self.state, status)
        whole.pop("creator")
        commit = commit_json(self.state, status.repo, self.state.git(status.repo).commit(status.sha))
        body = {**whole, "sha": status.sha, "name": status.repo.full_name, "commit": commit, "branches": []}
        self.announce("status", body, status.repo, status.creator)

    def announce(
        self, event: str, body: Json, repo: RepoRecord, sender: Account, *, only: AppRecord | None = None
    ) -> None:
        """Deliver a repository's event to every installation that sees it and wants it."""
        for installation in self.state.installations_on(repo):
            if (only is None or installation.app is only) and _wants(installation, event):
                payload = {**body, "repository": body.get("repository", repo_json(self.state, repo))}
                payload |= self._context(installation, sender)
                self.courier.send(
                    installation.app, event, payload, installation_id=installation.id, repository_id=repo.id
                )

    def _context(self, installation: InstallationRecord, sender: Account) -> Json:
        account = installation.account
        organization = {"organization": self._organization(account)} if account.type == "Organization" else {}
        short = {"id": installation.id, "node_id": node_id("MDIzOkludGVncmF0aW9u", installation.id)}
        return {**organization, "sender": account_json(self.state, sender), "installation": short}

    def _organization(self, account: Account) -> Json:
        url = f"{self.state.api_url}/orgs/{account.login}"
        links = ("repos", "events", "hooks", "issues")
        return {
            "login": account.login,
            "id": account.id,
            "node_id": node_id("O", account.id),
            "url": url,
            **{f"{name}_url": f"{url}/{name}" for name in links},
            "members_url": f"{url}/members{{/member}}",
            "public_members_url": f"{url}/public_members{{/member}}",
            "avatar_url": f"{self.state.web_url}/avatars/{account.id}",
            "description": None,
        }

    def installation(
        self, action: str, installation: InstallationRecord, sender: Account, repos: Iterable[RepoRecord] = ()
    ) -> None:
        """created, deleted, suspend, unsuspend, new_permissions_accepted."""
        body: Json = {"action": action, "installation": installation_json(self.state, installation)}
        if action in {"created", "deleted"}:
            body["repositories"] = [repo_short(repo) for repo in repos]
        body |= {"requester": None, "sender": account_json(self.state, sender)}
        self.courier.send(installation.app, "installation", body, installation_id=installation.id)

    def installation_repositories(
        self,
        installation: InstallationRecord,
        sender: Account,
        *,
        added: Iterable[RepoRecord] = (),
        removed: Iterable[RepoRecord] = (),
    ) -> None:
        gained, lost = [repo_short(repo) for repo in added], [repo_short(repo) for repo in removed]
        body: Json = {
            "action": "added" if gained else "removed",
            "installation": installation_json(self.state, installation),
            "repository_selection": installation.repository_selection,
            "repositories_added": gained,
            "repositories_removed": lost,
            "requester": None,
            "sender": account_json(self.state, sender),
        }
        self.courier.send(installation.app, "installation_repositories", body, installation_id=installation.id)

    def ping(self, app: AppRecord) -> None:
        config = {"content_type": "json", "insecure_ssl": "0", "secret": "********", "url": app.webhook_url}
        hook = {
            "type": "App",
            "id": app.hook_id,
            "name": "web",
            "active": True,
            "app_id": app.id,
            "events": list(app.events),
            "config": config,
            "created_at": stamp(app.created_at),
            "updated_at": stamp(app.created_at),
            "deliveries_url": f"{self.state.api_url}/app/hook/deliveries",
        }
        self.courier.send(app, "ping", {"zen": "Design for failure.", "hook_id": app.hook_id, "hook": hook})


def _wants(installation: InstallationRecord, event: str) -> bool:
    permission = PERMISSION_OF[event]
    level = LEVELS.get({"metadata": "read", **installation.permissions}.get(permission, ""), 0)
    automatic = event in _AUTOMATIC and level >= LEVELS["write"]
    return automatic or (event in installation.events and level >= LEVELS["read"])
