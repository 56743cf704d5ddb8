"""Everything of GitHub that one judgement needs: which commits, their trees, the configuration, the organisation's other SQL.

Removals are looked for between the merge base and the head; readers in the tip of the base branch and in the default branches
of every other repository of the installation. Which files changed is told by comparing two listings by blob sha: GitHub's own
list of changed files ends at 300.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.job.assess import ChangeInputs
from app.job.config import CONFIG_PATH, ConfigError, parse_config
from app.job.desk import Desk
from app.job.lines import find_changed_lines
from app.job.local import choose_read
from app.job.ports import Forge, TreeListing
from app.job.trees import Wanted, build_tree, fetch_blobs, find_differences, find_wanted, for_each, read_text
from app.words import Config, Permanent, Repo, Tree, Unknown

#: Repositories are read a few at a time; their blobs are fetched a few at a time as well.
REPOSITORIES_AT_ONCE = 3


@dataclass(frozen=True, slots=True)
class Target:
    """What is judged. `pull` None: a merge group, whose `base_sha` is given and is the tip as well."""

    head_sha: str
    base_ref: str
    base_sha: str
    pull: int | None


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


async def gather(desk: Desk, forge: Forge, repo: Repo, target: Target) -> Gathered:
    """Raises `Transient` and `Permanent` of the forge."""
    tip_sha = target.base_sha
    if target.pull is not None:
        tip_sha = await forge.fetch_branch_head(repo, target.base_ref) or target.base_sha
    comparison = await forge.fetch_comparison(repo, tip_sha, target.head_sha)
    shas = (comparison.merge_base, target.head_sha, tip_sha)
    raw = {sha: await forge.fetch_tree(repo, sha) for sha in dict.fromkeys(shas)}
    paths = [entry.path for listing in raw.values() for entry in listing.entries]
    tip = find_wanted(raw[shas[2]], choose_read(paths))
    config, config_error = await _read_config(desk, forge, repo, tip)
    is_read = choose_read(paths, config, manifests=False)  # what was built is told by the base branch's tip alone
    listings = _Listings(find_wanted(raw[shas[0]], is_read), find_wanted(raw[shas[1]], is_read), tip)
    changed = find_differences(listings.base, listings.head)
    head_error = (await _read_config(desk, forge, repo, listings.head))[1] if CONFIG_PATH in changed else None
    extra = _find_truncated(listings.all)
    changed -= {CONFIG_PATH}
    # A notebook takes nothing away; a submodule may hold anything.
    matters = any(not path.endswith(".ipynb") for path in changed)
    inputs = ChangeInputs(
        repo=repo,
        base=Tree({}, shas[0], repo.full_name),
        head=Tree({}, shas[1], repo.full_name),
        tip=Tree({}, shas[2], repo.full_name),
        config=config,
        default_branch=target.base_ref == repo.default_branch,
        extra=extra,
        web_url=desk.web_url,
        catalog_url=desk.catalog_url,
        head_sha=target.head_sha,
        base_ref=target.base_ref,
        pull=target.pull,
    )
    if (matters or extra) and config_error is None:
        inputs = await _add_texts(desk, forge, inputs, listings, changed)
        others = frozenset(path for path in changed if not is_read(path))
        inputs = replace(inputs, extra=(*inputs.extra, *_unread(inputs.base, inputs.head, others)))
    return Gathered(inputs, config_error, head_error, only_config=_all_differences(listings) == {CONFIG_PATH})


def _all_differences(listings: _Listings) -> frozenset[str]:
    """Of all files, not only of those that may hold SQL."""
    return find_differences(
        find_wanted(listings.base.listing, lambda _: True), find_wanted(listings.head.listing, lambda _: True)
    )


def _find_truncated(listings: tuple[Wanted, ...]) -> tuple[Unknown, ...]:
    if not any(wanted.listing.truncated for wanted in listings):
        return ()
    why = "GitHub cut the list of its files, so that changed SQL may be missing from it"
    return (Unknown("the repository's list of files is incomplete", why),)


async def _read_config(desk: Desk, forge: Forge, repo: Repo, tree: Wanted) -> tuple[Config, ConfigError | None]:
    """The configuration of one tree, defaults where it has none; or defaults and what is wrong with it."""
    entry = tree.entries.get(CONFIG_PATH)
    if entry is None:
        return parse_config(None), None
    why, text = tree.unread.get(CONFIG_PATH, ""), None
    if not why:
        blobs = await fetch_blobs(forge, repo, [entry.sha], desk.blobs)
        text, why = read_text(blobs[entry.sha])
    if text is None:
        return Config(), ConfigError(why)
    try:
        return parse_config(text), None
    except ConfigError as error:
        return Config(), error


async def _add_texts(
    desk: Desk, forge: Forge, inputs: ChangeInputs, listings: _Listings, changed: frozenset[str]
) -> ChangeInputs:
    shas = frozenset[str]().union(*(wanted.shas for wanted in listings.all))
    blobs = await fetch_blobs(forge, inputs.repo, shas, desk.blobs)
    base, head, tip = (
        build_tree(inputs.repo, tree.commit, wanted, blobs)
        for tree, wanted in zip((inputs.base, inputs.head, inputs.tip), listings.all, strict=True)
    )
    others, unseen = await _fetch_others(desk, forge, inputs.repo)
    lines = tuple(
        (path, line)
        for path in sorted(changed)
        for line in find_changed_lines(base.files.get(path), head.files.get(path))
    )
    return replace(
        inputs,
        base=base,
        head=head,
        tip=tip,
        others=others,
        changed=changed,
        extra=(*inputs.extra, *unseen),
        changed_lines=lines,
    )


def _unread(base: Tree, head: Tree, changed: frozenset[str]) -> tuple[Unknown, ...]:
    """Changed paths whose text is not there and that `assess` does not know from their name: submodules."""
    return tuple(
        Unknown(f"{path} changed and could not be read", why, path)
        for path in sorted(changed)
        if (why := head.unread.get(path) or base.unread.get(path))
    )


async def _fetch_others(
    desk: Desk, forge: Forge, repo: Repo
) -> tuple[tuple[tuple[Repo, Tree], ...], tuple[Unknown, ...]]:
    """The SQL of every other repository of the installation at its default branch; what could not be had is an unknown."""
    repositories = [other for other in await forge.fetch_repositories() if other.id != repo.id]

    async def fetch(other: Repo) -> tuple[Repo, Tree | None, Unknown | None]:
        try:
            return other, *await _fetch_default_branch(desk, forge, other)
        except Permanent as error:
            return other, None, Unknown("the SQL of a repository could not be read", str(error), repo=other.full_name)

    found = await for_each(fetch, repositories, REPOSITORIES_AT_ONCE)
    trees = tuple((other, tree) for other, tree, _ in found if tree is not None)
    return trees, tuple(unknown for _, _, unknown in found if unknown is not None)


async def _fetch_default_branch(desk: Desk, forge: Forge, repo: Repo) -> tuple[Tree | None, Unknown | None]:
    head = await forge.fetch_branch_head(repo, repo.default_branch)
    if head is None:
        return None, None  # an empty repository
    listing: TreeListing = await forge.fetch_tree(repo, head)
    wanted = find_wanted(listing, choose_read(entry.path for entry in listing.entries))
    blobs = await fetch_blobs(forge, repo, wanted.shas, desk.blobs)
    unknown = None
    if listing.truncated:
        why = "GitHub cut the list of its files, so that SQL may be missing from it"
        unknown = Unknown("a repository's list of files is incomplete", why, repo=repo.full_name)
    return build_tree(repo, head, wanted, blobs), unknown
