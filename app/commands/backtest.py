"""`tether backtest`: reads the history of a local repository and replays it."""

from __future__ import annotations

import asyncio
import json
import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from app.commands.opening import open_catalog, open_pool
from app.commands.trees import read_commit, read_text

if TYPE_CHECKING:
    from app.effects import Backtest, Replayed
    from app.offline.local import LocalSide
    from app.words import Config

_DAYS: Final = {"d": 1, "w": 7, "m": 30, "y": 365}
_DAY_SECONDS: Final = 86_400


def find_since(text: str, now: float) -> float:
    """`90d`, `12w`, `6m`, `1y` or an ISO day -> seconds since the epoch. Raises `click.UsageError`."""
    if found := re.fullmatch(r"(\d{1,4})([dwmy])", text):
        return now - int(found[1]) * _DAYS[found[2]] * _DAY_SECONDS
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
    except ValueError:
        raise click.UsageError(f"--since {text}: write 90d, 12w, 6m, 1y, or a day like 2026-01-31") from None


@dataclass(frozen=True, slots=True)
class BacktestOptions:
    """The command's options, as they were given."""

    repo: Path
    branch: str
    since: str
    catalog: str | None
    config: Path | None


def print_backtest(asked: BacktestOptions, style: str) -> None:
    """Raises `Permanent`, `Transient` and `click.UsageError`."""
    from app.effects import backtest_json, backtest_text  # noqa: PLC0415

    found = asyncio.run(run_backtest(asked))
    as_json = style == "json"
    click.echo(json.dumps(backtest_json(found), indent=1) if as_json else backtest_text(found), nl=as_json)


async def run_backtest(asked: BacktestOptions) -> Backtest:
    """Today's configuration and catalog over what was merged. Progress goes to standard error. Raises as `print_backtest`."""
    from app.edges.git import list_merged  # noqa: PLC0415
    from app.effects import Backtest  # noqa: PLC0415
    from app.offline.backtest import MergedCommit, replay  # noqa: PLC0415

    started, first = time.perf_counter(), find_since(asked.since, time.time())
    commits, cut = list_merged(asked.repo, asked.branch, since=first)
    settings = _read_config(asked)

    @lru_cache(maxsize=4)
    def read(commit: str) -> LocalSide:
        return read_commit(asked.repo, commit, settings)

    history = [MergedCommit(one.sha, one.parent, one.date, one.author, one.subject) for one in commits]
    async with open_pool() as pool, open_catalog(asked.catalog) as reads:
        await reads.fetch_urns("dataset")  # a catalog that does not answer is no verdict on anything that was merged
        changes = await replay(
            history,
            read,
            lambda merged: _touches(asked.repo, merged.parent, merged.commit, settings),
            settings,
            catalog=reads,
            isolation=pool,
            report=lambda number, one: _print_progress(number, len(history), one),
        )
    notes = ("the clone is shallow: what was merged before its first commit is not here",) if cut else ()
    day = datetime.fromtimestamp(first, UTC).date().isoformat()
    return Backtest(day, changes, time.perf_counter() - started, notes)


def _read_config(asked: BacktestOptions) -> Config:
    """The branch's own, or the file that is used instead."""
    from app.edges.git import read_revision  # noqa: PLC0415
    from app.review.config import find_config_text, parse_config  # noqa: PLC0415
    from app.words import CONFIG_PATH  # noqa: PLC0415

    if asked.config is not None:
        return parse_config(read_text(asked.config), name=str(asked.config))
    tree = read_revision(asked.repo, asked.branch, lambda path: path == CONFIG_PATH).tree
    return parse_config(find_config_text(tree), name=CONFIG_PATH)


def _touches(repo: Path, parent: str, commit: str, config: Config) -> bool:
    """By the names of the paths: reading trees takes far longer."""
    from app.edges.git import list_changes, list_revision  # noqa: PLC0415
    from app.source.selection import choose_read  # noqa: PLC0415
    from app.words import CONFIG_PATH  # noqa: PLC0415

    changed = {path: module for path, module in list_changes(repo, parent, commit).items() if path != CONFIG_PATH}
    if not changed:
        return False
    is_read = choose_read((*list_revision(repo, parent), *list_revision(repo, commit)), config)
    return any(module or is_read(path) for path, module in changed.items())


def _print_progress(number: int, total: int, one: Replayed) -> None:
    from app.effects import progress  # noqa: PLC0415

    click.echo(progress(number, total, one), err=True)
