"""`tether ...`: thin. Reads arguments, calls the shell, prints; exit 0 pass or warn, 1 block, 2 unassessable, 3 usage error."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import click
import httpx
import typer

from app.words import Permanent, Transient

if TYPE_CHECKING:
    from app.effects import ReviewFacts
    from app.job.local import LocalSide
    from app.job.ports import CatalogReads

USAGE_ERROR = 3
#: imported once by the process that children are forked from
ENGINE_MODULES = ("app.change", "app.render", "app.reads")
EXIT = {"pass": 0, "warn": 0, "block": 1, "unassessable": 2}

app = typer.Typer(
    help="Fail the pull request that would take an input away from a serving ML model.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
catalog = typer.Typer(help="The embedded, DataHub-compatible catalog.", no_args_is_help=True)
app.add_typer(catalog, name="catalog")


class Format(StrEnum):
    text = "text"
    json = "json"


def main() -> NoReturn:
    """Console script. The command-line library's own usage errors exit with 3 as well."""
    try:
        code = app(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = USAGE_ERROR
    except click.exceptions.Exit as error:
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        code = 130
    except (Permanent, Transient) as error:
        print(f"tether: {error}", file=sys.stderr)
        code = USAGE_ERROR
    sys.exit(code if isinstance(code, int) else 0)


@app.command()
def check(
    base: Annotated[str, typer.Option(help="What the change starts from: a directory or a git revision.")],
    head: Annotated[str, typer.Option(help="What it ends in: a directory or a git revision.")],
    base_tip: Annotated[str | None, typer.Option(help="The base branch as it is now, if it moved on.")] = None,
    repo: Annotated[Path, typer.Option(help="The git repository that revisions belong to.")] = Path(),
    catalog: Annotated[
        str | None, typer.Option(help="A file of MCPs, or a DataHub URL; else TETHER_DATAHUB_URL.")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="Used instead of the base's .tether.yml.")] = None,
    format: Annotated[Format, typer.Option(help="How to print the answer.")] = Format.text,  # noqa: A002 - the flag's name
) -> None:
    """Judge a change on this machine. Writes nothing anywhere."""
    from app.effects import report_json, report_text  # noqa: PLC0415 - the engine takes a second to import; --help need not

    text = None if config is None else _read_text(config)
    facts = asyncio.run(_check(_Sides(repo, base, head, base_tip), catalog, text))
    print(json.dumps(report_json(facts), indent=1) if format is Format.json else report_text(facts), end="")
    raise click.exceptions.Exit(EXIT[facts.verdict.word])


@dataclass(frozen=True, slots=True)
class _Sides:
    repo: Path
    base: str
    head: str
    tip: str | None


async def _check(sides: _Sides, catalog: str | None, config_text: str | None) -> ReviewFacts:
    from app.edges.isolation import ChildPool  # noqa: PLC0415
    from app.job.assess import assess  # noqa: PLC0415
    from app.job.local import local_change  # noqa: PLC0415

    base, head, tip = _read_sides(sides)
    change = local_change(base, head, tip, config_text=config_text)
    pool = ChildPool(preload=ENGINE_MODULES)
    try:
        async with _open_catalog(catalog) as reads:
            return (await assess(change, catalog=reads, isolation=pool)).facts
    finally:
        await pool.close()


def _read_sides(sides: _Sides) -> tuple[LocalSide, LocalSide, LocalSide]:
    """Base, head and tip. Two revisions are compared from their merge base; a directory is taken as it is."""
    from app.edges.git import find_merge_base, read_directory, read_revision  # noqa: PLC0415
    from app.job.local import LocalSide, is_read  # noqa: PLC0415

    def read(side: str) -> LocalSide:
        found = read_directory(Path(side), is_read) if Path(side).is_dir() else read_revision(sides.repo, side, is_read)
        return LocalSide(found.tree, found.digests)

    tip = read(sides.tip or sides.base)
    revisions = not Path(sides.base).is_dir() and not Path(sides.head).is_dir()
    base = find_merge_base(sides.repo, sides.base, sides.head) if revisions else sides.base
    return read(base), read(sides.head), tip


@asynccontextmanager
async def _open_catalog(where: str | None) -> AsyncIterator[CatalogReads]:
    """A file of MCPs is served by the embedded catalog inside this process; the client is the same for both."""
    from app.edges.datahub import DataHubReads  # noqa: PLC0415
    from app.settings import load_settings  # noqa: PLC0415

    if where and not where.startswith(("http://", "https://")):
        async with _open_file(Path(where)) as reads:
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
        await reads.close()


@asynccontextmanager
async def _open_file(file: Path) -> AsyncIterator[CatalogReads]:
    from app.edges.datahub import DataHubReads  # noqa: PLC0415
    from app.sandbox.catalog import CatalogStore, create_app  # noqa: PLC0415

    if not file.is_file():
        raise click.UsageError(f"--catalog {file}: no such file (a file of MCPs, or a URL that starts with http)")
    with tempfile.TemporaryDirectory(prefix="tether-") as folder:
        store = CatalogStore(Path(folder, "catalog.db"))
        store.load_file(file)
        reads = DataHubReads("http://catalog.embedded", None, transport=httpx.ASGITransport(create_app(store)))
        try:
            yield reads
        finally:
            await reads.close()
            store.close()


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"--config {path}: {error}") from None


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8000,
) -> None:
    """Run the GitHub App: webhooks at POST /webhooks/github."""
    from app.main import serve as run  # noqa: PLC0415
    from app.settings import load_settings  # noqa: PLC0415

    run(load_settings(), host=host, port=port)


@app.command()
def demo(
    keep: Annotated[bool, typer.Option("--keep", help="Stay up afterwards and print the addresses.")] = False,
) -> None:
    """Run the main job once on this machine: real webhooks, real repositories, a real catalog."""
    from app.sandbox.demo import run_demo  # noqa: PLC0415

    raise click.exceptions.Exit(run_demo(keep=keep))


@catalog.command("serve")
def catalog_serve(
    file: Annotated[Path, typer.Option(help="The SQLite file; made if it is not there.")],
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 8080,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    token: Annotated[str | None, typer.Option(help="Bearer token to ask for; none if not given.")] = None,
) -> None:
    """Serve the embedded catalog over HTTP, as DataHub's metadata service does."""
    from app.sandbox.catalog import run  # noqa: PLC0415

    run(file, host=host, port=port, token=token)


@catalog.command("load")
def catalog_load(
    source: Annotated[Path, typer.Argument(help="A list of MCPs as DataHub's file sink writes them.")],
    file: Annotated[Path, typer.Option(help="The SQLite file; made if it is not there.")],
) -> None:
    """Load a file of MCPs into the embedded catalog."""
    from app.sandbox.catalog import CatalogStore  # noqa: PLC0415

    count = CatalogStore(file).load_file(source)
    print(f"{count} aspects written to {file}")


if __name__ == "__main__":
    main()
