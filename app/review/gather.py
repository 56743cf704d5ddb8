"""Everything of GitHub that one judgement needs: which commits, their trees, the configuration, the organisation's other SQL.

Removals are looked for between the merge base and the head; readers in the tip of the base branch and in the default branches
of every other repository of the installation, which `app.source.repo_files` holds. Which files changed is told by comparing two
listings by blob sha: GitHub's own list of changed files ends at 300.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from app.effects import ReviewSubject
from app.ports import CommitComparison, Forge, TreeListing
from app.review.assess import ChangeInputs
from app.review.changed_lines import find_changed_lines
from app.review.config import ConfigError, Defaults
from app.review.fetch_config import describe_settings, fetch_defaults, find_sharing, read_config
from app.source.repo_files import (
    FOLDER,
    Allowance,
    Indexed,
    OrgIndex,
    Wanted,
    build_tree,
    cut_alike,
    find_differences,
    find_entries,
    for_each,
)
from app.source.selection import choose_read
from app.source.submodules import GITMODULES, find_full_name, find_moved, read_urls
from app.words import CONFIG_PATH, Config, Permanent, Repo, Tree, Unknown

#: Repositories are asked a few at a time; their blobs are fetched a few at a time as well.
REPOSITORIES_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Gathered:
    """`config_error` of the base's .tether.yml: then `inputs` carry defaults and must not be judged. `head_config_error`
    of the head's, when the change touches it. `only_config`: nothing else is touched."""

    inputs: ChangeInputs
    config_error: ConfigError | None = None
    head_config_error: ConfigError | None = None
    only_config: bool = False


@dataclass(frozen=True, slots=True)
class _Listings:
    base: Wanted
    head: Wanted
    tip: Wanted

    @property
    def all(self) -> tuple[Wanted, ...]:
        return (self.base, self.head, self.tip)


async def gather(forge: Forge, index: OrgIndex, subject: ReviewSubject) -> Gathered:
    """The subject comes back with its changed lines, and with its repository as it is by then. Raises `Transient` and
    `Permanent` of the forge."""
    repo = subject.repo
    comparison = await _compare(forge, subject)
    shas = (comparison.merge_base, subject.head_sha, comparison.base)
    tip_listing = await (index.fetch_tip if subject.to_default_branch else _fetch_tree)(forge, repo, shas[2])
    raw = {shas[2]: tip_listing}
    for sha in shas[:2]:
        raw[sha] = raw[sha] if sha in raw else await forge.fetch_tree(repo, sha)
    paths = [entry.path for listing in raw.values() for entry in listing.entries]
    tip = find_entries(raw[shas[2]], choose_read(paths))
    defaults, config, config_error = await _fetch_config(index, forge, repo, tip)
    is_read = choose_read(paths, config, manifests=False)  # what was built is told by the base branch's tip alone
    base, head = (find_entries(raw[sha], is_read) for sha in shas[:2])
    base, head, tip = _fill(base, head), _fill(head, base), _fill(tip, base)
    changed = find_differences(base, head)
    listings = _Listings(*cut_alike((base, head, tip), changed))
    touched = CONFIG_PATH in changed
    head_error = (await read_config(index, forge, repo, listings.head, defaults))[1] if touched else None
    extra = _find_truncated(listings.all)
    changed -= {CONFIG_PATH}
    # A notebook takes nothing away; a submodule may hold anything.
    matters = any(not path.endswith(".ipynb") for path in changed)
    inputs = ChangeInputs(
        subject=subject,
        base=Tree({}, shas[0], repo.full_name),
        head=Tree({}, shas[1], repo.full_name),
        tip=Tree({}, shas[2], repo.full_name),
        config=config,
        extra=extra,
        settings=describe_settings(tip, defaults),
    )
    if (matters or extra) and config_error is None:
        inputs = await _add_texts(index, forge, inputs, listings, changed, defaults)
        others = frozenset(path for path in changed if not is_read(path))
        empty = await _fetch_empty(forge, inputs, listings, others)
        moved = find_moved(inputs.base, inputs.head, others, config, empty=empty)
        inputs = replace(inputs, extra=(*inputs.extra, *moved))
    return Gathered(inputs, config_error, head_error, only_config=_all_differences(listings) == {CONFIG_PATH})


async def _compare(forge: Forge, subject: ReviewSubject) -> CommitComparison:
    """The merge base, and as `base` the tip: of the branch as it is now, or the commit that a merge group starts from."""
    repo = subject.repo
    if subject.pull is None:
        return replace(await forge.fetch_comparison(repo, subject.base_sha, subject.head_sha), base=subject.base_sha)
    try:
        return await forge.fetch_comparison(repo, subject.base_ref, subject.head_sha)
    except Permanent:
        if await forge.fetch_branch_head(repo, subject.base_ref) is not None:
            raise
        # The branch is gone, and GitHub has not closed the pull request yet.
        return replace(await forge.fetch_comparison(repo, subject.base_sha, subject.head_sha), base=subject.base_sha)


async def _fetch_tree(forge: Forge, repo: Repo, commit: str) -> TreeListing:
    return await forge.fetch_tree(repo, commit)


async def _fetch_config(
    index: OrgIndex, forge: Forge, repo: Repo, tip: Wanted
) -> tuple[Defaults | None, Config, ConfigError | None]:
    try:
        defaults = await fetch_defaults(forge, repo)
    except ConfigError as error:
        return None, Config(), error
    return defaults, *await read_config(index, forge, repo, tip, defaults)


def _all_differences(listings: _Listings) -> frozenset[str]:
    """Of all files, not only of those that may hold SQL."""
    return find_differences(
        find_entries(listings.base.listing, lambda _: True), find_entries(listings.head.listing, lambda _: True)
    )


def _fill(cut: Wanted, other: Wanted) -> Wanted:
    """A listing that GitHub cut says nothing of what it leaves out, least of all that it was deleted: those paths are taken
    to be as they are on the other side. That the listing is cut is an unknown of its own."""
    if not cut.listing.truncated:
        return cut
    entries = {**other.entries, **cut.entries}
    left = {path: why for path, why in other.unread.items() if path not in cut.entries}
    return Wanted(cut.listing, entries, {**left, **cut.unread})


def _find_truncated(listings: tuple[Wanted, ...]) -> tuple[Unknown, ...]:
    if not any(wanted.listing.truncated for wanted in listings):
        return ()
    why = "GitHub cut the list of its files, so that changed SQL may be missing from it"
    return (Unknown("the repository's list of files is incomplete", why),)


async def _add_texts(
    index: OrgIndex,
    forge: Forge,
    inputs: ChangeInputs,
    listings: _Listings,
    changed: frozenset[str],
    defaults: Defaults | None,
) -> ChangeInputs:
    repo, tip = inputs.repo, listings.tip
    keep = (
        tip.shas if inputs.subject.to_default_branch else frozenset[str]()
    )  # what only a pull request has is nothing to keep
    blobs = dict(await index.fetch_texts(forge, repo, tip.shas, keep=keep, commit=inputs.tip.commit))
    rest = (listings.base.shas | listings.head.shas) - blobs.keys()
    blobs |= await index.fetch_texts(forge, repo, rest, commit=inputs.head.commit)
    base, head, now = (
        build_tree(repo, tree.commit, wanted, blobs)
        for tree, wanted in zip((inputs.base, inputs.head, inputs.tip), listings.all, strict=True)
    )
    listed = await forge.fetch_repositories()
    found = await _fetch_others(index, forge, [other for other in listed if other.id != repo.id])
    lines = tuple(
        (path, line)
        for path in sorted(changed)
        for line in find_changed_lines(base.files.get(path), head.files.get(path))
    )
    # Who may see the check is asked for last: the repository may have been made public since the review began.
    own = next((own for own in listed if own.id == repo.id), repo)
    return replace(
        inputs,
        subject=replace(inputs.subject, repo=own, changed_lines=lines),
        base=base,
        head=head,
        tip=now,
        others=tuple((one.repo, one.tree) for one in found if one.tree is not None),
        sharing={
            one.repo.full_name: find_sharing(one.repo, one.tree, defaults) for one in found if one.tree is not None
        },
        changed=changed,
        extra=(*inputs.extra, *(one.unknown for one in found if one.unknown is not None)),
    )


async def _fetch_empty(
    forge: Forge, inputs: ChangeInputs, listings: _Listings, paths: Collection[str]
) -> frozenset[str]:
    """Submodules of the installation's repositories that hold nothing at either commit that makes or reads a table."""
    moved = [
        path
        for path in paths
        if (inputs.head.unread.get(path) or inputs.base.unread.get(path, "")).find("submodule") >= 0
    ]
    if not moved:
        return frozenset()
    urls = {**read_urls(inputs.base), **read_urls(inputs.head)}
    known = {repo.full_name.lower(): repo for repo in await forge.fetch_repositories()}
    found = set()
    for path in moved:
        other = known.get(find_full_name(urls.get(path, ""), inputs.repo.full_name) or "")
        entries = [entry for side in (listings.base, listings.head) if (entry := side.entries.get(path)) is not None]
        if other is not None and all([await _fetch_is_empty(forge, other, entry.sha) for entry in entries]):
            found.add(path)
    return frozenset(found)


async def _fetch_is_empty(forge: Forge, repo: Repo, commit: str) -> bool:
    """Nothing that anybody would read, and the list of it is whole."""
    try:
        listing = await forge.fetch_tree(repo, commit)
    except Permanent:  # then it was not listed
        return False
    is_read = choose_read(entry.path for entry in listing.entries)
    names = (entry.path for entry in listing.entries if entry.mode != FOLDER)
    return not listing.truncated and not any(is_read(name) for name in names if name != GITMODULES)


async def _fetch_others(index: OrgIndex, forge: Forge, repositories: Sequence[Repo]) -> list[Indexed]:
    """The SQL of every other repository of the installation at its default branch; what could not be had is an unknown."""
    allowance = Allowance()

    async def fetch(other: Repo) -> Indexed:
        try:
            return await index.fetch_repository(forge, other, choose_read, allowance)
        except Permanent as error:
            unknown = Unknown("the SQL of a repository could not be read", str(error), repo=other.full_name)
            return Indexed(other, unknown=unknown)

    return await for_each(fetch, repositories, REPOSITORIES_AT_ONCE)
