"""What `tether backtest` does: reads the history of a local repository and replays it."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from app.commands.catalogs import open_catalog
from app.commands.judging import ENGINE_MODULES, read_text

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


async def run_backtest(repo: Path, branch: str, since: str, catalog: str | None, config: Path | None) -> Backtest:
    """Today's configuration and catalog over what was merged. Progress goes to standard error. Raises as `check_change`."""
    from app.edges.git import list_merged, list_revision, read_revision  # noqa: PLC0415
    from app.edges.isolation import ChildPool  # noqa: PLC0415
    from app.effects import Backtest  # noqa: PLC0415
    from app.offline.backtest import Merged, replay  # noqa: PLC0415
    from app.offline.local import LocalSide  # noqa: PLC0415
    from app.review.config import find_config_text, parse_config  # noqa: PLC0415
    from app.source.selection import choose_read  # noqa: PLC0415
    from app.words import CONFIG_PATH  # noqa: PLC0415

    started, first = time.perf_counter(), find_since(since, time.time())
    commits, cut = list_merged(repo, branch, since=first)
    if config is None:
        text, name = find_config_text(read_revision(repo, branch, lambda path: path == CONFIG_PATH).tree), CONFIG_PATH
    else:
        text, name = read_text(config), str(config)
    settings = parse_config(text, name=name)

    @lru_cache(maxsize=4)
    def read(commit: str) -> LocalSide:
        found = read_revision(repo, commit, choose_read(list_revision(repo, commit), settings))
        return LocalSide(found.tree, found.digests)

    history = [Merged(one.sha, one.parent, one.date, one.author, one.subject) for one in commits]
    pool = ChildPool(preload=ENGINE_MODULES)
    try:
        async with open_catalog(catalog) as reads:
            changes = await replay(
                history,
                read,
                lambda merged: _touches(repo, merged.parent, merged.commit, settings),
                settings,
                catalog=reads,
                isolation=pool,
                tell=lambda number, one: _tell(number, len(history), one),
            )
    finally:
        await pool.close()
    notes = ("the clone is shallow: what was merged before its first commit is not here",) if cut else ()
    day = datetime.fromtimestamp(first, UTC).date().isoformat()
    return Backtest(day, changes, time.perf_counter() - started, notes)


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


def _tell(number: int, total: int, one: Replayed) -> None:
    from app.effects import progress  # noqa: PLC0415

    click.echo(progress(number, total, one), err=True)
