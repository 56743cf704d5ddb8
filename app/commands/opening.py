"""Opens what a command needs: the catalog it is pointed at, and child processes that strangers' text is read in.

A catalog is DataHub at an address, or MCPs (a file as DataHub's file sink writes them, or a list) behind the embedded catalog.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from app.catalog import CatalogStore
    from app.edges.isolation import ChildPool
    from app.ports import CatalogReads

#: imported once by the process that children are forked from
ENGINE_MODULES: Final = ("app.change", "app.render", "app.reads")


@asynccontextmanager
async def open_pool() -> AsyncIterator[ChildPool]:
    """Child processes, as the App uses them."""
    from app.edges.isolation import ChildPool  # noqa: PLC0415

    pool = ChildPool(preload=ENGINE_MODULES)
    try:
        yield pool
    finally:
        await pool.close()


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
async def open_catalog(where: str | Sequence[Any] | None) -> AsyncIterator[CatalogReads]:
    """An address, the path of a file of MCPs, or a list of MCPs; None: what TETHER_DATAHUB_URL names.

    MCPs are served by the embedded catalog inside this process, and are gone afterwards; the client is the same for all.
    Raises `click.UsageError`.
    """
    if where is not None and not isinstance(where, str):
        async with _open_embedded(where) as reads:
            yield reads
        return
    if where and not where.startswith(("http://", "https://")):
        if "://" in where:
            raise click.UsageError(
                f"--catalog {where}: only http:// and https:// addresses are read, or a file of MCPs"
            )
        need_file(Path(where), "--catalog")
        async with _open_embedded(Path(where)) as reads:
            yield reads
        return
    async with _open_datahub(where) as reads:
        yield reads


@asynccontextmanager
async def _open_datahub(where: str | None) -> AsyncIterator[CatalogReads]:
    from app.edges.datahub import DataHubReads  # noqa: PLC0415
    from app.settings import load_settings  # noqa: PLC0415

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
async def _open_embedded(proposals: Path | Sequence[Any]) -> AsyncIterator[CatalogReads]:
    import httpx  # noqa: PLC0415

    from app.catalog import CatalogStore, create_app  # noqa: PLC0415
    from app.edges.datahub import DataHubReads  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="tether-") as folder, CatalogStore(Path(folder, "catalog.db")) as store:
        load_proposals(store, proposals)
        reads = DataHubReads("http://catalog.embedded", None, transport=httpx.ASGITransport(create_app(store)))
        try:
            yield reads
        finally:
            await reads.aclose()


def load_proposals(store: CatalogStore, proposals: Path | Sequence[Any]) -> int:
    """How many aspects were loaded. Raises `click.UsageError` for what is no MCPs, naming the item."""
    from app.catalog import RequestRefused  # noqa: PLC0415

    try:
        if isinstance(proposals, Path):
            return store.load_file(proposals)
        return store.load(proposals, "the list of MCPs")
    except RequestRefused as refused:
        raise click.UsageError(refused.message) from None


def need_file(path: Path, option: str) -> None:
    """Raises `click.UsageError` unless `path` is a file; `option` is what it was given as."""
    if path.is_dir():
        raise click.UsageError(f"{option} {path}: is a directory, not a file")
    if not path.is_file():
        raise click.UsageError(f"{option} {path}: no such file")
