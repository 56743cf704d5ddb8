"""Endpoints of files: blobs by SHA, and the contents API by path."""

from __future__ import annotations

import posixpath
import re

from app.standin.github.errors import GitHubError, malformed, not_found
from app.standin.github.git_objects import Entry, is_sha
from app.standin.github.routes_git import resolve
from app.standin.github.routing import Endpoint, Reply, RestCall
from app.standin.github.shapes_git import blob_json, content_json, encoded

_BLOB_LIMIT = 100_000_000


def _blob(call: RestCall) -> Reply:
    git, sha = call.state.git(call.repo), str(call.params["sha"])
    if not is_sha(sha):
        raise malformed("The sha parameter must be exactly 40 characters and contain only [0-9a-f].")
    if git.type_of(sha) != "blob":
        raise not_found()
    data = git.blob(sha)
    if len(data) > _BLOB_LIMIT:
        raise GitHubError(403, "This API returns blobs up to 100 MB in size.")
    if re.search(r"\braw\b", call.accept):
        return Reply(data, media_type="application/vnd.github.raw")
    return Reply(blob_json(call.state, call.repo, sha, data))


def _contents(call: RestCall) -> Reply:
    """A file, or a directory's entries. Above 1 MB a file has no content in JSON; above 100 MB it is refused."""
    ref = call.query.get("ref") or call.repo.default_branch
    sha = call.state.git(call.repo).resolve(ref) or (resolve(call, ref) if is_sha(ref) else None)
    if sha is None:
        raise GitHubError(404, f"No commit found for the ref {ref}")
    path = str(call.params.get("path", "")).strip("/")
    entry = _followed(call, sha, path)
    if entry is None or entry.type == "tree":
        return _directory(call, sha, path, ref)
    body = content_json(call.state, call.repo, entry, ref)
    if entry.type == "commit":
        return Reply({**body, "submodule_git_url": None})
    data = call.state.git(call.repo).blob(entry.sha)
    if len(data) > _BLOB_LIMIT:
        raise GitHubError(403, "This API returns blobs up to 100 MB in size.")
    if re.search(r"\braw\b", call.accept):
        return Reply(data, media_type="application/vnd.github.raw; charset=utf-8")
    if entry.mode == "120000":
        return Reply({**body, "target": data.decode(errors="replace")})
    if len(data) > call.state.limits.contents_bytes:
        return Reply({**body, "content": "", "encoding": "none"})
    return Reply({**body, "content": encoded(data), "encoding": "base64"})


def _followed(call: RestCall, sha: str, path: str) -> Entry | None:
    """The entry at a path; a symlink to a file inside of the repository is answered with that file. None: the root."""
    if not path:
        return None
    git = call.state.git(call.repo)
    entry = git.entry(sha, path)
    if entry is None:
        raise not_found()
    if entry.mode == "120000":
        target = posixpath.normpath(
            posixpath.join(posixpath.dirname(path), git.blob(entry.sha).decode(errors="replace"))
        )
        inside = None if target.startswith(("/", "..")) else git.entry(sha, target)
        if inside is not None and inside.type == "blob" and inside.mode != "120000":
            return Entry(path, inside.mode, inside.type, inside.sha, inside.size)
    return entry


def _directory(call: RestCall, sha: str, path: str, ref: str) -> Reply:
    git = call.state.git(call.repo)
    rows = git.entries(f"{sha}:{path}")[: call.state.limits.directory_entries]
    prefix = f"{path}/" if path else ""
    whole = [Entry(f"{prefix}{row.path}", row.mode, row.type, row.sha, row.size) for row in rows]
    listed = [content_json(call.state, call.repo, entry, ref) for entry in whole]
    if "object" not in call.accept:
        return Reply(listed)
    tree = git.line("rev-parse", "--verify", "--quiet", f"{sha}:{path}") or ""
    root = content_json(call.state, call.repo, Entry(path, "040000", "tree", tree, None), ref)
    return Reply({**root, "entries": listed})


_READ = ("contents=read",)
ENDPOINTS = (
    Endpoint("GET", "/repos/{owner}/{repo}/git/blobs/{sha}", _blob, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/contents", _contents, _READ),
    Endpoint("GET", "/repos/{owner}/{repo}/contents/{path:path}", _contents, _READ),
)
