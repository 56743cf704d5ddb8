"""A change on this machine's disk -> the inputs of a review. Directories and revisions are read by whoever calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.change import is_relevant
from app.effects import ReviewSubject
from app.review.assess import ChangeInputs
from app.review.config import find_config_text, parse_config
from app.source.submodules import find_moved
from app.words import CONFIG_PATH, Config, Repo, Tree


@dataclass(frozen=True, slots=True)
class LocalSide:
    """A tree, and for each of its paths something that differs exactly when the content does."""

    tree: Tree
    digests: Mapping[str, str]


def local_change(
    base: LocalSide, head: LocalSide, tip: LocalSide, *, config_text: str | None, config_name: str = CONFIG_PATH
) -> ChangeInputs:
    """Raises `ConfigError`. Without `config_text` the configuration is the tip's `.tether.yml`; with it, `config_name` is the
    file that it came from."""
    text = config_text if config_text is not None else find_config_text(tip.tree)
    name = config_name if config_text is not None else CONFIG_PATH
    return find_change(base, head, tip, parse_config(text, name=name))


def find_change(base: LocalSide, head: LocalSide, tip: LocalSide, config: Config) -> ChangeInputs:
    """Under a configuration that was parsed before."""
    paths = base.digests.keys() | head.digests.keys()
    changed = frozenset(path for path in paths if base.digests.get(path) != head.digests.get(path))
    return ChangeInputs(
        subject=ReviewSubject(Repo(0, ""), head.tree.commit),
        base=base.tree,
        head=head.tree,
        tip=tip.tree,
        config=config,
        changed=changed - {CONFIG_PATH},
        extra=tuple(find_moved(base.tree, head.tree, {path for path in changed if not is_relevant(path)}, config)),
    )
