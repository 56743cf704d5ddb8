"""From a request to an endpoint and back: callers, repositories, permissions, paging, errors as GitHub answers them.

An endpoint is one row: method, path, the permissions one of which it needs, and a plain function `Call -> Reply`. They
run in Starlette's thread pool, because git is a child process; whatever changes state holds the state's lock.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar
from urllib.parse import urlencode

from app.standin.github.auth import (
    Anonymous,
    AppCaller,
    Caller,
    InstallationCaller,
    UserCaller,
    find_caller,
)
from app.standin.github.errors import GitHubError, not_accessible, not_found, requires_authentication
from app.standin.github.events import Events
from app.standin.github.permits import allows, only_reads
from app.standin.github.records import Account, AppRecord, Json, RepoRecord
from app.standin.github.state import State

T = TypeVar("T")
PER_PAGE, MAX_PER_PAGE = 30, 100
Audience = Literal["anyone", "app", "repo"]


@dataclass(frozen=True, slots=True)
class RestCall:
    """One request, understood. `url` is the public URL without its query; `raw` the body as it came."""

    state: State
    events: Events
    caller: Caller
    method: str
    url: str
    params: Mapping[str, Any]
    query: Mapping[str, str]
    body: Json
    accept: str = ""
    raw: bytes = b""
    _repo: RepoRecord | None = None

    @property
    def repo(self) -> RepoRecord:
        if self._repo is None:
            raise not_found()
        return self._repo

    @property
    def actor(self) -> Account:
        """Who acts: the user, or the App's bot."""
        match self.caller:
            case UserCaller(account):
                return account
            case InstallationCaller(installation, _):
                return installation.app.bot
            case AppCaller(app):
                return app.bot
            case Anonymous():
                raise requires_authentication()

    @property
    def via_app(self) -> AppRecord | None:
        return self.caller.installation.app if isinstance(self.caller, InstallationCaller) else None

    def number(self, name: str) -> int:
        return int(self.params[name])


@dataclass(frozen=True, slots=True)
class Reply:
    """A response: `body` is JSON, or bytes as they are."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str = "application/json; charset=utf-8"

    def payload(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return b"" if self.status == 204 else json.dumps(self.body, ensure_ascii=False).encode()


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`needs`: permissions, one of which suffices ("checks=write"). `audience` "repo": the path's repository is looked up."""

    method: str
    path: str
    act: Callable[[RestCall], Reply]
    needs: tuple[str, ...] = ()
    audience: Audience = "repo"


def answer(endpoint: Endpoint, call: RestCall, authorization: str | None) -> Reply:
    """Run an endpoint with everything GitHub checks first; errors come back as their responses."""
    try:
        caller = find_caller(call.state, authorization)
        known = replace(call, caller=caller)
        if endpoint.audience == "repo":
            known = replace(known, _repo=_reachable_repo(known, endpoint))
        if call.method == "GET":
            return endpoint.act(known)
        with call.state.lock:
            return endpoint.act(known)
    except GitHubError as error:
        return Reply(error.body(), error.status, error.headers)


def _reachable_repo(call: RestCall, endpoint: Endpoint) -> RepoRecord:
    """The repository of the path, if this caller may do that to it: else 404, 403 or 401; 301 / 307 when renamed."""
    owner, name = str(call.params["owner"]), str(call.params["repo"])
    repo = call.state.find_repo(owner, name) or _renamed(call, owner, name)
    reads = call.method == "GET" and only_reads(endpoint.needs)
    match call.caller:
        case InstallationCaller(installation, token):
            inside = call.state.sees(installation, repo) and (token.repo_ids is None or repo.id in token.repo_ids)
            if not inside and repo.private:
                raise not_found()
            if not (reads if not inside else allows(token.permissions, endpoint.needs)):
                raise not_accessible(*endpoint.needs)
        case UserCaller():
            pass
        case AppCaller():
            raise GitHubError(401, "Bad credentials")
        case Anonymous():
            if repo.private:
                raise not_found()
            if not reads:
                raise requires_authentication()
    if repo.archived and call.method != "GET":
        raise GitHubError(403, "Repository was archived so is read-only.")
    return repo


def _renamed(call: RestCall, owner: str, name: str) -> RepoRecord:
    repo_id = call.state.former_names.get(f"{owner}/{name}".lower())
    if repo_id is None or repo_id not in call.state.repos:
        raise not_found()
    rest = call.url.split("/repos/", 1)[1].split("/", 2)[2:]
    target = "/".join([f"{call.state.api_url}/repositories/{repo_id}", *rest])
    status, message = (301, "Moved Permanently") if call.method == "GET" else (307, "Temporary Redirect")
    raise GitHubError(status, message, headers={"Location": target}, extra={"url": target})


def paged(call: RestCall, items: Sequence[T], render: Callable[[T], Any], key: str | None = None) -> Reply:
    """One page of items with its Link header; with `key` wrapped as `{total_count, key: [...]}`."""
    page, per_page = page_of(call.query)
    start = (page - 1) * per_page
    shown = [render(item) for item in items[start : start + per_page]]
    body: Any = shown if key is None else {"total_count": len(items), key: shown}
    return Reply(body, headers=page_links(call, len(items)))


def page_of(query: Mapping[str, str]) -> tuple[int, int]:
    """`page` and `per_page`, as forgiving as GitHub: nonsense is the default, too much is the maximum."""
    page, per_page = query.get("page", ""), query.get("per_page", "")
    number = int(page) if re.fullmatch(r"\d{1,9}", page) else 1
    size = int(per_page) if re.fullmatch(r"\d{1,9}", per_page) else PER_PAGE
    return max(number, 1), min(size or PER_PAGE, MAX_PER_PAGE)


def page_links(call: RestCall, total: int) -> dict[str, str]:
    """The Link header of one page; empty when everything fits on the first."""
    page, per_page = page_of(call.query)
    last = max(1, -(-total // per_page))
    targets: dict[str, int] = {}
    if page > 1:
        targets |= {"prev": min(page - 1, last), "first": 1}
    if page < last:
        targets |= {"next": page + 1, "last": last}
    order = [rel for rel in ("prev", "next", "last", "first") if rel in targets]
    links = [f'<{_page_url(call, targets[rel])}>; rel="{rel}"' for rel in order]
    return {"Link": ", ".join(links)} if links else {}


def _page_url(call: RestCall, page: int) -> str:
    return f"{call.url}?{urlencode({**call.query, 'page': page})}"


def etag_of(payload: bytes) -> str:
    return f'W/"{hashlib.sha256(payload).hexdigest()}"'
