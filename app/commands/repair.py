"""`tether repair`: read default branches, show or write what SQL proves, take runs back, record a person's decision."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import click

from app.commands.opening import open_catalog, open_pool
from app.commands.trees import read_commit, read_folder
from app.edges.datahub import DataHubWrites
from app.edges.git import find_default_branch, find_origin
from app.edges.github import GitHubForges
from app.edges.store import Store, StoredIndex, StoredParses, load_edges_of, make_engine, upgrade
from app.effects import BackFill, Performed, back_fill_json, back_fill_text, find_name
from app.lineage.backfill import back_fill
from app.lineage.keep import keep_edges
from app.lineage.plan import Branch, fetch_repair_plan
from app.lineage.scheduled import Branches, gather_branches
from app.lineage.writer import REVERTED, LineageWriter
from app.ports import CatalogReads
from app.review.config import find_config_text, parse_config
from app.settings import Settings, load_settings
from app.source.repo_files import BlobCache, OrgIndex
from app.words import Permanent, Repo

_FULL_NAME = re.compile(r"[\w.-]+/[\w.-]+")


@dataclass(frozen=True, slots=True)
class RepairOptions:
    """The command's options. `repo` None: every repository of every installation of the App."""

    repo: str | None
    catalog: str | None
    dry_run: bool


async def repair(asked: RepairOptions) -> tuple[BackFill, ...]:
    """One report for each installation, or one for the repository. Raises `click.UsageError`, `Permanent`, `Transient`."""
    settings = load_settings()
    local = Path(asked.repo) if asked.repo is not None and await asyncio.to_thread(Path(asked.repo).is_dir) else None
    if not asked.dry_run and asked.catalog and not asked.catalog.startswith(("http://", "https://")):
        raise click.UsageError(
            f"--catalog {asked.catalog}: a file is not written to; give a catalog's address, or --dry-run"
        )
    async with open_catalog(asked.catalog) as reads:
        if local is not None:
            branches = _read_local(local, dry_run=asked.dry_run)
            return (await _repair(asked, settings, reads, branches, 0),)
        if asked.repo is not None and not _FULL_NAME.fullmatch(asked.repo):
            raise click.UsageError(
                f"--repo {asked.repo}: no such directory, and not an owner/name of GitHub; give one of both"
            )
        return await _repair_installed(asked, settings, reads)


def _read_local(folder: Path, *, dry_run: bool) -> Branches:
    """The default branch of a clone; of a folder without commits only for a dry run."""
    revision = find_default_branch(folder)
    if revision is None and not dry_run:
        raise click.UsageError(
            f"--repo {folder}: it is no git repository with a commit, so that no line in it could be looked up again;"
            " --dry-run shows what its SQL proves"
        )
    if revision is None:
        tree, name = read_folder(folder).tree, folder.resolve().name
    else:
        tree = read_commit(folder, revision).tree
        name = find_origin(folder) or folder.resolve().name
    config = parse_config(find_config_text(tree))
    branch = Branch(Repo(0, name), replace(tree, repo=name), config)
    return Branches((branch,), frozenset({name}), ())


async def _repair_installed(asked: RepairOptions, settings: Settings, reads: CatalogReads) -> tuple[BackFill, ...]:
    """Repositories as the App sees them. Raises `Permanent` where no installation includes the one that is asked for."""
    if not settings.github_app_id:
        raise click.UsageError(
            "no App is named: set TETHER_GITHUB_APP_ID and TETHER_GITHUB_PRIVATE_KEY, or give a clone with --repo DIR"
        )
    key = settings.read_private_key()
    done: list[BackFill] = []
    forges = GitHubForges(settings.github_app_id, key, settings.github_api_url, key_source=settings.private_key_source)
    async with forges:
        with _open_store(settings) as store:
            for installation in await forges.app.fetch_installations():
                forge = forges.installation(installation.id)
                index = OrgIndex(StoredIndex(store, installation.id), BlobCache())
                branches = await gather_branches(forge, index, only=asked.repo)
                if asked.repo is None or branches.branches or branches.notes:
                    done.append(await _repair(asked, settings, reads, branches, installation.id))
    if not done:
        missing = asked.repo or "any repository"
        raise Permanent(f"no installation of the App includes {missing}: install it there, or give a clone's directory")
    return tuple(done)


async def _repair(
    asked: RepairOptions, settings: Settings, reads: CatalogReads, branches: Branches, installation_id: int
) -> BackFill:
    run_id = f"repair-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    async with open_pool() as pool:
        if asked.dry_run:
            plan = await fetch_repair_plan(branches.branches, catalog=reads, isolation=pool)
            report = await back_fill(plan, catalog=reads, write=None, run_id=run_id)
        else:
            with _open_store(settings) as store:
                cache = StoredParses(store, installation_id)
                plan = await fetch_repair_plan(branches.branches, catalog=reads, isolation=pool, cache=cache)
                writer = LineageWriter(
                    store, _open_writes(settings, asked.catalog), run_id, installation_id, origin="asked"
                )
                kept, fresh = await keep_edges(writer, plan, read=branches.read)
                report = await back_fill(fresh, catalog=reads, write=writer.write, run_id=run_id)
                before = (*kept.restored, *kept.taken_back, *kept.rejected)
                report = replace(report, performed=(*report.performed, *before))
    return replace(report, notes=(*branches.notes, *report.notes))


@contextmanager
def _open_store(settings: Settings) -> Iterator[Store]:
    engine = make_engine(settings.database_url.get_secret_value())
    try:
        upgrade(engine)
        yield Store(engine)
    finally:
        engine.dispose()


def _open_writes(settings: Settings, catalog: str | None) -> DataHubWrites:
    url = catalog or settings.datahub_url
    if not url:
        raise click.UsageError("no catalog: give --catalog URL, or set TETHER_DATAHUB_URL")
    token = settings.datahub_token.get_secret_value() if settings.datahub_token else None
    return DataHubWrites(url, token, web_url=settings.github_web_url)


# --- what people say of edges --------------------------------------------------------------------------------------


async def revert(run_id: str, catalog: str | None) -> tuple[Performed, ...]:
    """Take exactly the edges of one run back. Raises `click.UsageError` for a run that the ledger does not know."""
    return await _settle(catalog, run_id=run_id)


async def apply_decision(word: str, entities: Sequence[str], catalog: str | None) -> tuple[Performed, ...]:
    """`word` is "confirm" or "reject": all edges of ours on these entities. Raises `click.UsageError` for what is no URN."""
    strange = [entity for entity in entities if not entity.startswith("urn:li:")]
    if strange:
        raise click.UsageError(f"{strange[0]!r} is no URN: write urn:li:..., as the report of `tether repair` does")
    return await _settle(catalog, entities=entities, word=word)


async def _settle(
    catalog: str | None, *, run_id: str | None = None, entities: Sequence[str] | None = None, word: str = ""
) -> tuple[Performed, ...]:
    settings = load_settings()
    writes = _open_writes(settings, catalog)
    with _open_store(settings) as store:
        rows = await store.run(load_edges_of, run_id=run_id, entities=entities)
        if not rows:
            what = f"of the run {run_id}" if run_id else f"on {', '.join(entities or ())}"
            raise click.UsageError(
                f"the ledger knows no edge {what}: set TETHER_DATABASE_URL to the database of the Tether that wrote it"
            )
        writer = LineageWriter(store, writes, f"repair-{secrets.token_hex(4)}", rows[0].installation_id, origin="asked")
        if run_id is not None:
            standing = [row for row in rows if row.state != "rejected"]
            return await writer.take_back(standing, "reverted", REVERTED)
        sentence = "at the command line"
        named = {row.entity for row in rows}
        return await (writer.confirm(named, sentence) if word == "confirm" else writer.reject(named, sentence))


# --- printing ------------------------------------------------------------------------------------------------------


def print_repair(asked: RepairOptions, style: str) -> int:
    """The exit code."""
    reports = asyncio.run(repair(asked))
    if style == "json":
        shown = [back_fill_json(report) for report in reports]
        click.echo(json.dumps(shown[0] if len(shown) == 1 else shown, indent=1))
    else:
        click.echo("\n".join(map(back_fill_text, reports)), nl=False)
    return int(any(report.failed for report in reports))


def print_settled(
    catalog: str | None, style: str, *, run_id: str | None, confirm: Sequence[str], reject: Sequence[str]
) -> int:
    """The exit code."""
    if run_id is not None:
        done = asyncio.run(revert(run_id, catalog))
    else:
        done = asyncio.run(apply_decision("confirm" if confirm else "reject", confirm or reject, catalog))
    if style == "json":
        rows = [{"what": one.what, "outcome": one.outcome, "detail": one.detail} for one in done]
        click.echo(json.dumps(rows, indent=1))
    else:
        for one in done:
            ends = " -> ".join(find_name(urn) for urn in one.what.split(" -> "))
            click.echo(f"{one.outcome}: {ends}{f' ({one.detail})' if one.detail else ''}")
    return int(any(one.outcome in ("failed", "not allowed") for one in done))
