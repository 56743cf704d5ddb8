"""Endpoints of pull requests, their comments, their merge, and branch protection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.sandbox.github import pulling
from app.sandbox.github.errors import GitHubError, malformed, not_found
from app.sandbox.github.git_diff import commits_between, find_changes
from app.sandbox.github.limits import check_comment_body
from app.sandbox.github.merging import MergeAsk, compute_mergeable, measure, pull_base
from app.sandbox.github.records import Comment, Json, Protection, Pull, Required
from app.sandbox.github.routing import Call, Endpoint, Reply, paged
from app.sandbox.github.shapes_accounts import repo_url
from app.sandbox.github.shapes_git import change_json, commit_json
from app.sandbox.github.shapes_pulls import comment_json, full_pull_json, issue_json, pull_json


def _list(call: Call) -> Reply:
    query = call.query
    state, head, base = query.get("state", "open"), query.get("head"), query.get("base")
    found = [
        pull
        for pull in call.state.pulls_of(call.repo)
        if state in ("all", pull.state)
        and (base is None or pull.base_ref == base)
        and (not head or f"{pull.head_owner.login}:{pull.head_ref}".lower() == head.lower() or ":" not in head)
    ]
    keys: dict[str, Callable[[Pull], Any]] = {"updated": lambda p: (p.updated_at, p.number)}
    found.sort(key=keys.get(query.get("sort", "created"), lambda p: p.number))
    if query.get("direction", "desc" if query.get("sort", "created") == "created" else "asc") == "desc":
        found.reverse()
    return paged(call, found, lambda pull: pull_json(call.state, pull))


def _pull(call: Call) -> Pull:
    return call.state.pull(call.repo, call.number("number"))


def _get(call: Call) -> Reply:
    """Right after a push GitHub may still answer the old head: `stale_reads` times here, when a test asked for it."""
    pull, stale = _pull(call), None
    if pull.stale_reads > 0:
        with call.state.lock:
            pull.stale_reads -= 1
            stale = pull.stale_head
    measured = measure(call.state, pull, mergeable=compute_mergeable(call.state, pull))
    return Reply(full_pull_json(call.state, pull, measured, head_sha=stale))


def _files(call: Call) -> Reply:
    pull, limits = _pull(call), call.state.limits
    git = call.state.git(call.repo)
    changes = find_changes(git, pull_base(call.state, pull), pull.head_sha, patch_bytes=limits.patch_bytes)
    return paged(call, changes[: limits.pull_files], lambda c: change_json(call.state, call.repo, c, pull.head_sha))


def _commits(call: Call) -> Reply:
    pull, git = _pull(call), call.state.git(call.repo)
    shas = commits_between(git, pull.base_sha, pull.head_sha)[: call.state.limits.compare_commits]
    return paged(call, git.commits(shas), lambda commit: commit_json(call.state, call.repo, commit))


def _pulls_of_commit(call: Call) -> Reply:
    sha = str(call.params["sha"])
    found = [p for p in call.state.pulls_of(call.repo) if sha in (p.head_sha, p.merge_commit_sha)]
    return paged(call, found, lambda pull: pull_json(call.state, pull))


def _merge(call: Call) -> Reply:
    body = call.body
    texts = [body.get(key) for key in ("sha", "commit_title", "commit_message")]
    if any(text is not None and not isinstance(text, str) for text in texts):
        raise malformed("sha, commit_title and commit_message must be strings.")
    ask = MergeAsk(texts[0], str(body.get("merge_method", "merge")), texts[1], texts[2])
    sha = pulling.merge(call.state, call.events, _pull(call), call.actor, ask)
    return Reply({"sha": sha, "merged": True, "message": "Pull Request successfully merged"})


def _issue(call: Call) -> Reply:
    return Reply(issue_json(call.state, _pull(call)))


def _comments(call: Call) -> Reply:
    pull = _pull(call)
    return paged(call, call.state.comments_on(call.repo, pull.number), lambda c: comment_json(call.state, c))


def _comment(call: Call) -> Comment:
    found = call.state.comments.get(call.number("id"))
    if found is None or found.repo is not call.repo:
        raise not_found()
    return found


def _get_comment(call: Call) -> Reply:
    return Reply(comment_json(call.state, _comment(call)))


def _post_comment(call: Call) -> Reply:
    pull, text = _pull(call), check_comment_body(call.body)
    comment = pulling.add_comment(call.state, call.events, pull, call.actor, text, call.via_app)
    location = f"{repo_url(call.state, call.repo)}/issues/comments/{comment.id}"
    return Reply(comment_json(call.state, comment), 201, {"Location": location})


def _patch_comment(call: Call) -> Reply:
    comment, text = _comment(call), check_comment_body(call.body)
    before, comment.body, comment.updated_at = comment.body, text, call.state.now()
    call.events.issue_comment("edited", comment, call.actor, changes={"body": {"from": before}})
    return Reply(comment_json(call.state, comment))


def _delete_comment(call: Call) -> Reply:
    comment = _comment(call)
    del call.state.comments[comment.id]
    call.events.issue_comment("deleted", comment, call.actor)
    return Reply(None, 204)


def _protected(call: Call) -> str:
    branch = str(call.params["branch"])
    if call.state.git(call.repo).branch_head(branch) is None:
        raise GitHubError(404, "Branch not found")
    return branch


def _get_protection(call: Call) -> Reply:
    branch = _protected(call)
    protection = call.repo.protections.get(branch)
    if protection is None:
        raise GitHubError(404, "Branch not protected")
    return Reply(_protection_json(call, branch, protection))


def _put_protection(call: Call) -> Reply:
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


def _required(call: Call, asked: Json) -> tuple[Required, ...]:
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


def _delete_protection(call: Call) -> Reply:
    branch = _protected(call)
    if call.repo.protections.pop(branch, None) is None:
        raise GitHubError(404, "Branch not protected")
    return Reply(None, 204)


def _protection_json(call: Call, branch: str, protection: Protection) -> Json:
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


_READ, _ADMIN = ("pull_requests=read",), ("administration=write",)
_TALK = ("pull_requests=read", "issues=read")
_COMMENT = "/repos/{owner}/{repo}/issues/comments/{id:int}"
_PROTECTION = "/repos/{owner}/{repo}/branches/{branch:path}/protection"
ENDPOINTS = (
    Endpoint("GET", "/repos/{owner}/{repo}/pulls", _list, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/pulls/{number:int}", _get, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/pulls/{number:int}/files", _files, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/pulls/{number:int}/commits", _commits, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/commits/{sha}/pulls", _pulls_of_commit, _READ),
    Endpoint("PUT", "/repos/{owner}/{repo}/pulls/{number:int}/merge", _merge, ("contents=write",)),
    Endpoint("GET", "/repos/{owner}/{repo}/issues/{number:int}", _issue, _TALK),
    Endpoint("GET", "/repos/{owner}/{repo}/issues/{number:int}/comments", _comments, _TALK),
    # For a pull request issues=write alone does not suffice (github/rest-api-description#6994).
    Endpoint("POST", "/repos/{owner}/{repo}/issues/{number:int}/comments", _post_comment, ("pull_requests=write",)),
    Endpoint("GET", _COMMENT, _get_comment, _TALK),
    Endpoint("PATCH", _COMMENT, _patch_comment, ("pull_requests=write",)),
    Endpoint("DELETE", _COMMENT, _delete_comment, ("pull_requests=write",)),
    Endpoint("GET", _PROTECTION, _get_protection, ("administration=read",)),
    Endpoint("PUT", _PROTECTION, _put_protection, _ADMIN),
    Endpoint("DELETE", _PROTECTION, _delete_protection, _ADMIN),
)
