"""`tether catalog`: the embedded catalog, served or filled."""

from __future__ import annotations

from pathlib import Path

import click

from app.commands.listening import need_free_port
from app.commands.opening import load_proposals, need_file


def serve_catalog(file: Path, host: str, port: int, token: str | None) -> None:
    """Until it is stopped. Raises `click.UsageError` before anything is started."""
    from app.catalog import UnusableFile, run  # noqa: PLC0415

    need_free_port(host, port)
    try:
        run(file, host=host, port=port, token=token)
    except UnusableFile as error:
        raise click.UsageError(f"--file {file}: {error}") from None


def load_catalog(source: Path, file: Path) -> None:
    """Raises `click.UsageError`."""
    from app.catalog import CatalogStore, UnusableFile  # noqa: PLC0415

    need_file(source, "SOURCE")
    try:
        with CatalogStore(file) as store:
            count = load_proposals(store, source)
    except UnusableFile as error:
        raise click.UsageError(f"--file {file}: {error}") from None
    click.echo(f"{count} aspects were written to {file}.")
