"""A commit's archive: the API answers with a place on another host, which carries a token of its own and asks for no other.

Source: docs.github.com, "Download a repository archive (tar)": 302, and for private repositories links that expire after five
minutes.
"""

from __future__ import annotations

import secrets
from datetime import timedelta

from app.standin.github.errors import not_found
from app.standin.github.routes_git import resolve_tree
from app.standin.github.routing import Endpoint, Reply, RestCall

_LIFETIME = timedelta(minutes=5)


def _archive(call: RestCall) -> Reply:
    sha = resolve_tree(call, str(call.params.get("ref") or call.repo.default_branch))
    token = secrets.token_urlsafe(20)
    call.state.archive_tokens[token] = (call.repo.id, sha, call.state.now() + _LIFETIME)
    # Another name of the same machine: a client that sends its credentials along is found out.
    host = call.state.api_url.replace("127.0.0.1", "localhost")
    return Reply(b"", 302, {"Location": f"{host}/codeload/{call.repo.full_name}/legacy.tar.gz/{sha}?token={token}"})


def _codeload(call: RestCall) -> Reply:
    repo_id, sha, expires = call.state.archive_tokens.get(call.query.get("token", ""), (0, "", call.state.now()))
    repo = call.state.repos.get(repo_id)
    if repo is None or expires <= call.state.now() or sha != call.params["sha"]:
        raise not_found()
    prefix = f"{repo.full_name.replace('/', '-')}-{sha[:7]}/"
    data = call.state.git(repo).run("archive", "--format=tar.gz", f"--prefix={prefix}", sha)
    return Reply(data, media_type="application/x-gzip")


ENDPOINTS = (
    Endpoint("GET", "/repos/{owner}/{repo}/tarball", _archive, ("contents=read",)),
    Endpoint("GET", "/repos/{owner}/{repo}/tarball/{ref:path}", _archive, ("contents=read",)),
    Endpoint("GET", "/codeload/{owner}/{repo}/legacy.tar.gz/{sha}", _codeload, audience="anyone"),
)
