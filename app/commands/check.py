"""`tether check`: two sides of a change, from this machine to an answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from app.commands.opening import open_catalog, open_pool
from app.commands.trees import read_commit, read_folder, read_text

if TYPE_CHECKING:
    from app.effects import ReviewFacts
    from app.offline.local import LocalSide
    from app.words import Config

UNASSESSABLE: Final = 2
EXIT_CODES: Final = {"pass": 0, "warn": 0, "block": 1, "unassessable": UNASSESSABLE}


@dataclass(frozen=True, slots=True)
class Sides:
    """Each a directory or a revision of `repo`; `tip` None: the base."""

    repo: Path
    base: str
    head: str
    tip: str | None


def print_check(sides: Sides, catalog: str | None, config: Path | None, style: str) -> int:
    """The exit code."""
    from app.effects import report_json, report_sarif, report_text  # noqa: PLC0415

    facts = asyncio.run(check_change(sides, catalog, config))
    report = {"json": report_json, "sarif": report_sarif}.get(style)
    click.echo(report_text(facts) if report is None else json.dumps(report(facts), indent=1))
    return EXIT_CODES[facts.verdict.word]


async def check_change(sides: Sides, catalog: str | Sequence[Any] | None, config: Path | None) -> ReviewFacts:
    """`catalog` as `open_catalog` takes it. Raises `Permanent`, `Transient` and `click.UsageError`."""
    from app.offline.judge import judge_trees  # noqa: PLC0415
    from app.words import CONFIG_PATH  # noqa: PLC0415

    text, name = (None, CONFIG_PATH) if config is None else (read_text(config), str(config))
    base, head, tip = read_sides(sides, text, name)
    async with open_pool() as pool, open_catalog(catalog) as reads:
        assessment = await judge_trees(
            base, head, tip=tip, config=text, config_name=name, catalog=reads, isolation=pool, advice="tested"
        )
    return assessment.facts


def read_sides(sides: Sides, text: str | None, name: str) -> tuple[LocalSide, LocalSide, LocalSide]:
    """Base, head and tip. Two revisions are compared from their merge base; a directory is taken as it is.

    `text` is the configuration that is used instead of the tip's, `name` the file that it came from. Raises
    `click.UsageError` where a side is not given, or could be a directory as well as a revision.
    """
    for option, side in (("--base", sides.base), ("--head", sides.head), ("--base-tip", sides.tip)):
        _need_one_meaning(option, side, sides.repo)
    from app.edges.git import find_merge_base  # noqa: PLC0415
    from app.review.config import find_config_text, parse_config  # noqa: PLC0415

    def read(side: str, config: Config | None = None) -> LocalSide:
        folder = Path(side)
        return read_folder(folder, config) if folder.is_dir() else read_commit(sides.repo, side, config)

    tip = read(sides.tip or sides.base)
    config = parse_config(find_config_text(tip.tree) if text is None else text, name=name)
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
