"""GitHub's JSON -> our values: the few fields we read, everything else ignored. A missing field raises Permanent, by name."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Mapping
from typing import Any, cast

from app.ports import CommitComparison, Pull, TooLarge, TreeEntry, TreeListing
from app.words import Permanent, Repo, Visibility

#: compare lists at most 300 files, on its first page only
COMPARE_FILES = 300


def field(body: Any, *path: str) -> Any:
    """The value at this path; Permanent when it is not there."""
    value = body
    for name in path:
        if not isinstance(value, Mapping) or name not in value:
            raise Permanent(f"GitHub: the answer lacks `{'.'.join(path)}`: is TETHER_GITHUB_API_URL a GitHub API?")
        value = value[name]
    return value


def find_repo(body: Any) -> Repo:
    """A repository. Without `visibility` (old servers) `private` decides; without both it counts as private."""
    given = body.get("visibility") if isinstance(body, Mapping) else None
    private = bool(body.get("private", True)) if isinstance(body, Mapping) else True
    visibility = given if given in ("public", "internal", "private") else "private" if private else "public"
    branch = str(body.get("default_branch") or "main") if isinstance(body, Mapping) else "main"
    return Repo(int(field(body, "id")), str(field(body, "full_name")), branch, cast("Visibility", visibility))


def find_pull(body: Any) -> Pull:
    """A pull request. `head.repo` is null when the fork was deleted."""
    head_repo, base_repo = field(body, "head").get("repo"), field(body, "base").get("repo")
    return Pull(
        number=int(field(body, "number")),
        state="open" if field(body, "state") == "open" else "closed",
        head_sha=str(field(body, "head", "sha")),
        head_repo_id=int(field(head_repo, "id")) if head_repo else None,
        base_ref=str(field(body, "base", "ref")),
        base_sha=str(field(body, "base", "sha")),
        updated_at=str(field(body, "updated_at")),
        draft=bool(body.get("draft")),
        # Listings have no `merged`, but a time of merging.
        merged=bool(body.get("merged")) or body.get("merged_at") is not None,
        title=str(body.get("title") or ""),
        html_url=str(body.get("html_url") or ""),
        base_repo=find_repo(base_repo) if base_repo else None,
        created_at=str(body.get("created_at") or ""),
    )


def find_comparison(body: Any) -> CommitComparison:
    """Both names of a renamed file are changed paths."""
    files = body.get("files") if isinstance(body, Mapping) else None
    names = [str(field(file, "filename")) for file in files or ()]
    former = [str(file["previous_filename"]) for file in files or () if file.get("previous_filename")]
    merge_base = str(field(body, "merge_base_commit", "sha"))
    truncated = files is None or len(files) >= COMPARE_FILES
    base = str(field(body, "base_commit", "sha"))
    return CommitComparison(merge_base, tuple(dict.fromkeys((*names, *former))), truncated, base)


def find_tree(body: Any) -> TreeListing:
    """Blobs and submodules; directories are implied by their paths."""
    entries = tuple(
        TreeEntry(str(field(entry, "path")), str(field(entry, "sha")), str(field(entry, "mode")), entry.get("size"))
        for entry in field(body, "tree")
        if field(entry, "type") != "tree"
    )
    return TreeListing(str(field(body, "sha")), entries, bool(field(body, "truncated")))


def find_blob(body: Any) -> bytes:
    """The bytes of a blob, whichever of the two encodings GitHub chose."""
    content, encoding = str(field(body, "content")), field(body, "encoding")
    if encoding == "utf-8":
        return content.encode()
    if encoding == "none":
        raise TooLarge("GitHub: the file is larger than 1 MB, so that it is not given out by its path")
    try:
        return b64decode(content)
    except Base64Error as error:
        raise Permanent(f"GitHub: a blob came in the encoding {encoding!r}, which cannot be read") from error
