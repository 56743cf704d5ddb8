"""The configuration that a repository is judged by: its own `.tether.yml` over the organisation's, each read from its branch."""

from __future__ import annotations

from typing import Final

from app.ports import Forge, TooLarge
from app.review.config import ConfigError, Defaults, find_config_text, parse_config
from app.source.repo_files import OrgIndex, Wanted, find_wanted, read_text
from app.words import CONFIG_PATH, Config, Repo, Tree

#: GitHub's name for the repository with an organisation's defaults
ORG_REPO: Final = ".github"


async def fetch_defaults(forge: Forge, repo: Repo) -> Defaults | None:
    """The organisation's file, None where there is none that the App may read. Raises `ConfigError` for one that is no text."""
    owner, _, name = repo.full_name.partition("/")
    if name == ORG_REPO:
        return None  # its own file is the organisation's
    called = f"{owner}/{ORG_REPO} {CONFIG_PATH}"
    try:
        blob = await forge.fetch_file(f"{owner}/{ORG_REPO}", CONFIG_PATH)
    except TooLarge:
        raise ConfigError("it is larger than 1 MB", name=called) from None
    if blob is None:
        return None
    text, why = read_text(blob)
    if text is None:
        raise ConfigError(why, name=called)
    return Defaults(text, called)


def name_config(repo: Repo) -> str:
    """What the repository's own file is called: the organisation's has the name that it has for everybody."""
    return f"{repo.full_name} {CONFIG_PATH}" if repo.full_name.endswith(f"/{ORG_REPO}") else CONFIG_PATH


async def read_config(
    index: OrgIndex, forge: Forge, repo: Repo, tree: Wanted, defaults: Defaults | None
) -> tuple[Config, ConfigError | None]:
    """The configuration of one tree, defaults where it has no file; or what is wrong with it beside mere defaults."""
    entry = tree.entries.get(CONFIG_PATH)
    why, text = tree.unread.get(CONFIG_PATH, ""), None
    if entry is not None and not why:
        blobs = await index.fetch_texts(forge, repo, [entry.sha])
        text, why = read_text(blobs[entry.sha])
    if why:
        return Config(), ConfigError(why)
    try:
        return parse_config(text, name=name_config(repo), defaults=defaults, repo=repo.full_name), None
    except ConfigError as error:
        return Config(), error


def find_sharing(repo: Repo, tree: Tree, defaults: Defaults | None) -> tuple[str, ...]:
    """With whom another repository shares its evidence, by its default branch; with nobody where that is no configuration."""
    try:
        text = find_config_text(tree)
        return parse_config(text, name=name_config(repo), defaults=defaults, repo=repo.full_name).share_evidence_with
    except ConfigError:
        return ()


def describe_settings(tree: Wanted, defaults: Defaults | None) -> str:
    """Which files the configuration comes from, "" when it is the repository's own or none."""
    if defaults is None:
        return ""
    return f"{defaults.name}, under this repository's own" if CONFIG_PATH in tree.entries else defaults.name


async def fetch_observed(index: OrgIndex, forge: Forge, repo: Repo, branch: str) -> bool:
    """Whether the branch's configuration only observes. Raises `Transient` and `Permanent` of the forge."""
    tip = await forge.fetch_branch_head(repo, branch)
    if tip is None:
        return False
    tree = find_wanted(await forge.fetch_tree(repo, tip), lambda path: path == CONFIG_PATH)
    config, error = await read_config(index, forge, repo, tree, await fetch_defaults(forge, repo))
    return error is None and config.mode == "observe"
