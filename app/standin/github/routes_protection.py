"""Endpoints of branch protection; only its required status checks mean anything here."""

from __future__ import annotations

from app.standin.github import pulling
from app.standin.github.errors import GitHubError, malformed
from app.standin.github.records import Json, Protection, Required
from app.standin.github.routing import Endpoint, Reply, RestCall
from app.standin.github.shapes_accounts import repo_url


def _protected(call: RestCall) -> str:
    branch = str(call.params["branch"])
    if call.state.git(call.repo).branch_head(branch) is None:
        raise GitHubError(404, "Branch not found")
    return branch


def _get_protection(call: RestCall) -> Reply:
    branch = _protected(call)
    protection = call.repo.protections.get(branch)
    if protection is None:
        raise GitHubError(404, "Branch not protected")
    return Reply(_protection_json(call, branch, protection))


def _put_protection(call: RestCall) -> Reply:
    branch, body = _protected(call), call.body
    keys = ("required_status_checks", "enforce_admins", "required_pull_request_reviews", "restrictions")
    missing = [f'"{key}"' for key in keys if key not in body]
    if missing:
        raise malformed(f"{', '.join(missing)} weren't supplied.")
    asked = body["required_status_checks"]
    if asked is not None and not isinstance(asked, dict):
        raise malformed("For 'properties/required_status_checks', that is not an object.")
    checks = () if asked is None else _required(call, asked)
    strict = asked is not None and asked.get("strict") is True
    protection = Protection(checks, strict, body["enforce_admins"] is True, asked is not None)
    call.repo.protections[branch] = protection
    return Reply(_protection_json(call, branch, protection))


def _required(call: RestCall, asked: Json) -> tuple[Required, ...]:
    """`checks` with app_id (-1: any App; left out: the App that last set it), or the older `contexts`."""
    if "strict" not in asked or not {"checks", "contexts"} & set(asked):
        raise malformed('"strict" and one of "checks", "contexts" must be supplied.')
    checks = []
    for row in asked.get("checks", [{"context": name} for name in asked.get("contexts", [])]):
        if not isinstance(row, dict) or not isinstance(row.get("context"), str):
            raise malformed('"context" wasn\'t supplied.')
        app_id = row.get("app_id", pulling.last_app_of(call.state, call.repo, row["context"]))
        if app_id not in (None, -1) and app_id not in call.state.apps:
            raise GitHubError(422, "Invalid request.\n\napp_id does not belong to an App that is installed here.")
        checks.append(Required(row["context"], None if app_id == -1 else app_id))
    return tuple(checks)


def _delete_protection(call: RestCall) -> Reply:
    branch = _protected(call)
    if call.repo.protections.pop(branch, None) is None:
        raise GitHubError(404, "Branch not protected")
    return Reply(None, 204)


def _protection_json(call: RestCall, branch: str, protection: Protection) -> Json:
    url = f"{repo_url(call.state, call.repo)}/branches/{branch}/protection"
    checks = f"{url}/required_status_checks"
    body: Json = {"url": url, "enforce_admins": {"url": f"{url}/enforce_admins", "enabled": protection.enforce_admins}}
    if protection.has_checks:
        body["required_status_checks"] = {
            "url": checks,
            "strict": protection.strict,
            "contexts": [c.context for c in protection.checks],
            "contexts_url": f"{checks}/contexts",
            "checks": [{"context": check.context, "app_id": check.app_id} for check in protection.checks],
        }
    off = ("required_linear_history", "allow_force_pushes", "allow_deletions", "block_creations")
    more = ("required_conversation_resolution", "lock_branch", "allow_fork_syncing")
    signatures = {"url": f"{url}/required_signatures", "enabled": False}
    return {**body, **{name: {"enabled": False} for name in (*off, *more)}, "required_signatures": signatures}


_READ, _ADMIN = ("administration=read",), ("administration=write",)
_PROTECTION = "/repos/{owner}/{repo}/branches/{branch:path}/protection"
ENDPOINTS = (
    Endpoint("GET", _PROTECTION, _get_protection, _READ),
    Endpoint("PUT", _PROTECTION, _put_protection, _ADMIN),
    Endpoint("DELETE", _PROTECTION, _delete_protection, _ADMIN),
)
