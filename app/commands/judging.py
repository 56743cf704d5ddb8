"""What `tether check` and `tether whatif` do: two sides of a change, or one tree, from this machine to an answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.commands.catalogs import open_any_catalog, open_catalog
from app.words import Config

if TYPE_CHECKING:
    from app.effects import ReviewFacts, WhatIf
    from app.offline.local import LocalSide
    from app.ports import CatalogReads, Isolation
    from app.review.assess import Assessment, ChangeInputs

#: imported once by the process that children are forked from
ENGINE_MODULES = ("app.change", "app.render", "app.reads")


@dataclass(frozen=True, slots=True)
class Sides:
    """Each a directory or a revision of `repo`; `tip` None: the base."""

    repo: Path
    base: str
    head: str
    tip: str | None


async def check_change(sides: Sides, catalog: str | None, config: Path | None) -> ReviewFacts:
    """`catalog` and `config` as they were given. Raises `Permanent`, `Transient` and `click.UsageError`."""
    from app.edges.isolation import ChildPool  # noqa: PLC0415
    from app.offline.local import local_change  # noqa: PLC0415

    text = None if config is None else read_text(config)
    base, head, tip = read_sides(sides, text, str(config))
    change = local_change(base, head, tip, config_text=text, config_name=str(config))
    pool = ChildPool(preload=ENGINE_MODULES)
    try:
        async with open_catalog(catalog) as reads:
            return (await _judge(change, reads, pool)).facts
    finally:
        await pool.close()


async def _judge(change: ChangeInputs, reads: CatalogReads, pool: Isolation) -> Assessment:
    """The assessment with its advice; what is the same in both is parsed once."""
    from app.review.advise import advise  # noqa: PLC0415
    from app.review.assess import assess  # noqa: PLC0415
    from app.source.remembered import RunParseCache  # noqa: PLC0415

    cache = RunParseCache()
    assessment = await assess(change, catalog=reads, isolation=pool, cache=cache)
    return await advise(change, assessment, assess, catalog=reads, isolation=pool, cache=cache)


def read_sides(sides: Sides, text: str | None, name: str) -> tuple[LocalSide, LocalSide, LocalSide]:
    """Base, head and tip. Two revisions are compared from their merge base; a directory is taken as it is.

    `text` is the configuration that is used instead of the tip's, `name` the file that it came from. Raises
    `click.UsageError` where a side is not given, or could be a directory as well as a revision.
    """
    for option, side in (("--base", sides.base), ("--head", sides.head), ("--base-tip", sides.tip)):
        _need_one_meaning(option, side, sides.repo)
    from app.edges.git import (  # noqa: PLC0415
        find_merge_base,
        list_directory,
        list_revision,
        read_directory,
        read_revision,
    )
    from app.offline.local import LocalSide  # noqa: PLC0415
    from app.review.config import find_config_text, parse_config  # noqa: PLC0415
    from app.source.selection import choose_read  # noqa: PLC0415
    from app.words import CONFIG_PATH  # noqa: PLC0415

    def read(side: str, config: Config | None = None) -> LocalSide:
        if (folder := Path(side)).is_dir():
            found = read_directory(folder, choose_read(list_directory(folder), config))
        else:
            found = read_revision(sides.repo, side, choose_read(list_revision(sides.repo, side), config))
        return LocalSide(found.tree, found.digests)

    tip = read(sides.tip or sides.base)
    own = text is None
    config = parse_config(find_config_text(tip.tree) if own else text, name=CONFIG_PATH if own else name)
    revisions = not Path(sides.base).is_dir() and not Path(sides.head).is_dir()
    base = find_merge_base(sides.repo, sides.base, sides.head) if revisions else sides.base
    return read(base, config), read(sides.head, config), tip


def _need_one_meaning(option: str, side: str | None, repo: Path) -> None:
    """An empty side is a variable that nobody set, and would be this directory; `views` may be a folder and a branch."""
    from app.edges.git import is_revision  # noqa: PLC0415

    if side is None:
        return
    if not side.strip():
        raise click.UsageError(f"{option} is empty: give a directory or a revision")
    if Path(side).name == side and side not in (".", "..") and Path(side).is_dir() and is_revision(repo, side):
        raise click.UsageError(
            f"{option} {side}: is a directory and a revision of {repo}; write ./{side} or refs/heads/{side}"
        )


async def ask(name: str, column: str | None, repo: Path, catalog: str | None) -> WhatIf:
    """Who reads `name`, a relation or a column of one. Raises as `check_change`."""
    from app.edges.git import list_directory, read_directory  # noqa: PLC0415
    from app.edges.isolation import ChildPool  # noqa: PLC0415
    from app.offline.whatif import ask_what_if  # noqa: PLC0415
    from app.source.selection import choose_read  # noqa: PLC0415

    tree = read_directory(repo, choose_read(list_directory(repo))).tree
    pool = ChildPool(preload=ENGINE_MODULES)
    try:
        async with open_any_catalog(catalog) as reads:
            return await ask_what_if(name, column, tree=tree, catalog=reads, isolation=pool)
    finally:
        await pool.close()


def read_text(path: Path, option: str = "--config") -> str:
    """The text of the file that `option` names. Raises `click.UsageError`."""
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise click.UsageError(f"{option} {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise click.UsageError(f"{option} {path} line {line}: not UTF-8") from None
