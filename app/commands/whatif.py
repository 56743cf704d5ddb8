"""`tether whatif`: who reads a column, and which models stand behind it, as if it were dropped."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.commands.opening import open_any_catalog, open_pool
from app.commands.trees import read_folder

if TYPE_CHECKING:
    from app.effects import WhatIf


def print_whatif(name: str, column: str | None, repo: Path, catalog: str | None, style: str) -> None:
    """Raises `Permanent`, `Transient` and `click.UsageError`."""
    from app.effects import what_if_json, what_if_text  # noqa: PLC0415

    answer = asyncio.run(_ask(name, column, repo, catalog))
    as_json = style == "json"
    click.echo(json.dumps(what_if_json(answer), indent=1) if as_json else what_if_text(answer), nl=as_json)


async def _ask(name: str, column: str | None, repo: Path, catalog: str | None) -> WhatIf:
    from app.offline.whatif import ask_what_if  # noqa: PLC0415

    tree = read_folder(repo).tree
    async with open_pool() as pool, open_any_catalog(catalog) as reads:
        return await ask_what_if(name, column, tree=tree, catalog=reads, isolation=pool)
