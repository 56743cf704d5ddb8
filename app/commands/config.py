"""`tether config`: whether a `.tether.yml` can be used, and what it comes to."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from app.commands.trees import read_text

if TYPE_CHECKING:
    from app.review.config import Origin
    from app.trail import Unbound

_MISNAMED = ".tether.yaml"


@dataclass(frozen=True, slots=True)
class ConfigOptions:
    """Whose configuration: a repository's, or the file `config` instead; `org` holds the organisation's defaults."""

    repo: Path
    config: Path | None
    org: Path | None


def print_suggestion(repo: Path, catalog: str | None) -> None:
    """The lines that bind what no table is known of. Raises `ConfigError`, `click.UsageError` and what the catalog raises."""
    from app.doctor.unbound import render_suggestion  # noqa: PLC0415

    click.echo(render_suggestion(asyncio.run(_fetch_unbound(repo, catalog))), nl=False)


async def _fetch_unbound(repo: Path, where: str | None) -> tuple[Unbound, ...]:
    from app.commands.opening import open_catalog, open_pool  # noqa: PLC0415
    from app.commands.trees import read_folder  # noqa: PLC0415
    from app.doctor.unbound import fetch_survey  # noqa: PLC0415
    from app.lineage.served import fetch_served  # noqa: PLC0415
    from app.review.config import find_config_text, parse_config  # noqa: PLC0415

    tree = read_folder(repo).tree
    config = parse_config(find_config_text(tree))
    async with open_pool() as pool, open_catalog(where) as catalog:
        served = await fetch_served(catalog, config)
        return (await fetch_survey(served, catalog, config, tree=tree, isolation=pool)).unbound


def print_schema() -> None:
    """The JSON Schema of `.tether.yml`."""
    from app.review.config import config_schema  # noqa: PLC0415

    click.echo(json.dumps(config_schema(), indent=1))


def print_config(asked: ConfigOptions, show: Literal["state", "values"], style: str) -> None:
    """Raises `ConfigError` and `click.UsageError`."""
    origins = _explain(asked)
    if style == "json":
        click.echo(json.dumps([{"key": o.key, "value": o.value, "source": o.source} for o in origins], indent=1))
    elif show == "values":
        click.echo("".join(_lines(origins)), nl=False)
    else:
        click.echo(_render_state(asked))


def _render_state(asked: ConfigOptions) -> str:
    """The one sentence after a configuration was found to be good; that there is none is no praise of one."""
    from app.words import CONFIG_PATH  # noqa: PLC0415

    if asked.config is None and not (path := asked.repo / CONFIG_PATH).is_file():
        return f"There is no {path}: what holds without one can be used. --explain says what that comes to."
    return "The configuration can be used. --explain says what it comes to."


def _explain(asked: ConfigOptions) -> tuple[Origin, ...]:
    from app.edges.git import read_directory  # noqa: PLC0415
    from app.review.config import Defaults, explain_config, find_config_text  # noqa: PLC0415
    from app.words import CONFIG_PATH  # noqa: PLC0415

    defaults = None if asked.org is None else Defaults(read_text(asked.org, "--org"), str(asked.org))
    if asked.config is None:
        tree = read_directory(asked.repo, lambda path: path == CONFIG_PATH).tree
        text, name = find_config_text(tree), CONFIG_PATH
        if text is None and (other := asked.repo / _MISNAMED).is_file():
            raise click.UsageError(f"{other} is not read: it has to be called {CONFIG_PATH}")
    else:
        text, name = read_text(asked.config), str(asked.config)
    return explain_config(text, name=name, defaults=defaults)


def _lines(origins: tuple[Origin, ...]) -> list[str]:
    shown = [(f"{one.key}: {json.dumps(one.value, ensure_ascii=False)}", one.source) for one in origins]
    width = min(max(len(text) for text, _ in shown), 70)
    return [f"{text:{width}}  # {source}\n" for text, source in shown]
