"""Opens the catalog that a command is pointed at: DataHub, or a file of MCPs behind the embedded catalog."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
import httpx

if TYPE_CHECKING:
    from app.catalog import CatalogStore
    from app.ports import CatalogReads


@asynccontextmanager
async def open_any_catalog(where: str | None) -> AsyncIterator[CatalogReads | None]:
    """The catalog that is given or configured; None where there is neither."""
    from app.settings import load_settings  # noqa: PLC0415

    if where is None and not load_settings().datahub_url:
        yield None
        return
    async with open_catalog(where) as reads:
        yield reads


@asynccontextmanager
async def open_catalog(where: str | None) -> AsyncIterator[CatalogReads]:
    """A file of MCPs is served by the embedded catalog inside this process; the client is the same for both."""
    from app.edges.datahub import DataHubReads  # noqa: PLC0415
    from app.settings import load_settings  # noqa: PLC0415

    if where and not where.startswith(("http://", "https://")):
        if "://" in where:
            raise click.UsageError(f"--catalog {where}: only http:// and https:// addresses, or a file of MCPs")
        async with open_file(Path(where)) as reads:
            yield reads
        return
    settings = load_settings()
    url = where or settings.datahub_url
    if not url:
        raise click.UsageError("no catalog: give --catalog FILE.json or URL, or set TETHER_DATAHUB_URL")
    token = settings.datahub_token.get_secret_value() if settings.datahub_token else None
    reads = DataHubReads(str(url), token)
    try:
        yield reads
    finally:
        await reads.aclose()


@asynccontextmanager
async def open_file(file: Path) -> AsyncIterator[CatalogReads]:
    """A catalog of its own, gone afterwards."""
    from app.catalog import CatalogStore, create_app  # noqa: PLC0415
    from app.edges.datahub import DataHubReads  # noqa: PLC0415

    need_file(file, "--catalog")
    with tempfile.TemporaryDirectory(prefix="tether-") as folder, CatalogStore(Path(folder, "catalog.db")) as store:
        load(store, file)
        reads = DataHubReads("http://catalog.embedded", None, transport=httpx.ASGITransport(create_app(store)))
        try:
            yield reads
        finally:
            await reads.aclose()


def load(store: CatalogStore, file: Path) -> int:
    """How many aspects were loaded. Raises `click.UsageError` for a file that holds no MCPs."""
    from app.catalog import Refused  # noqa: PLC0415

    try:
        return store.load_file(file)
    except Refused as refused:
        raise click.UsageError(refused.message) from None


def need_file(path: Path, option: str) -> None:
    """Raises `click.UsageError` unless `path` is a file; `option` is what it was given as."""
    if path.is_dir():
        raise click.UsageError(f"{option} {path}: is a directory, not a file")
    if not path.is_file():
        raise click.UsageError(f"{option} {path}: no such file")
