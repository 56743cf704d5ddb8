"""`tether bench`: git repositories and an embedded catalog, two rounds, a repair in between.

The reviews see one repository and the catalog; the repair reads the other repository, at its default branch. Nothing of
Tether is faked here, and of the results only the model that each change breaks is known beforehand.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import click

from app.catalog import ServingCatalog
from app.commands.opening import open_pool
from app.commands.served import open_clients
from app.commands.suite import find_suite, run_suite
from app.commands.trees import read_commit
from app.edges.git import find_merge_base
from app.effects import Bench, bench_html, bench_json, bench_text, suite_json, suite_text
from app.lineage.backfill import back_fill
from app.lineage.plan import Branch, fetch_repair_plan
from app.offline.bench import Case, Say, find_refused_inputs, run_round
from app.review.config import find_config_text, parse_config
from app.standin.github import GitHubWorld
from app.words import Permanent, Repo

FILES = Path(__file__).parents[1] / "standin" / "data"
ORG, REVIEWED, REPAIRED, BRANCH = "shop", "warehouse", "features", "main"


@dataclass(frozen=True, slots=True)
class _Setup:
    cases: tuple[Case, ...]
    repaired: Branch
    catalog: ServingCatalog


async def run_bench(*, repair: Literal["yes", "no"], say: Say) -> Bench:
    """Cold round, repair (or none), warm round. Raises `Permanent` where the demo's files are not there."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tether-bench-") as folder, _start_setup(Path(folder), say) as setup:
        async with open_clients(setup.catalog) as (reads, writer), open_pool() as pool:
            say("Cold: the graph as it is")
            cold = await run_round(setup.cases, catalog=reads, isolation=pool, say=say)
            done, refused = None, {}
            if repair == "yes":
                branch = setup.repaired
                say(f"Repair: reads {branch.repo.full_name}, {BRANCH} at {branch.tree.commit[:8]}")
                plan = await fetch_repair_plan([branch], catalog=reads, isolation=pool)
                run_id = f"bench-{secrets.token_hex(4)}"
                done = await back_fill(plan, catalog=reads, write=writer.write, run_id=run_id)
                refused = find_refused_inputs(plan)
                say(f"Repair: {len(done.connected)} features reconnected, {len(done.refusals)} refused")
            say("Warm: the same changes again")
            warm = await run_round(setup.cases, catalog=reads, isolation=pool, say=say, refused=refused)
    return Bench(cold, warm, done, time.monotonic() - start)


# --- what it runs on -----------------------------------------------------------------------------------------------


@contextmanager
def _start_setup(folder: Path, say: Say) -> Iterator[_Setup]:
    """Two repositories with a commit each, a branch for every case, and the shop's catalog on a cold day."""
    if not FILES.is_dir():
        raise Permanent(f"{FILES} is missing, which holds the bench's repositories: install Tether again")
    say("Stage: two git repositories, a branch for each case, the embedded catalog")
    world = GitHubWorld(folder / "github")
    try:
        world.create_org(ORG)
        reviewed = world.create_repo(ORG, REVIEWED, FILES / REVIEWED)
        repaired = world.create_repo(ORG, REPAIRED, FILES / REPAIRED)
        cases = []
        for row in json.loads((FILES / "bench" / "cases.json").read_text()):
            source = FILES / "bench" / row["folder"]
            title = (source / "pull.md").read_text().partition("\n")[0]
            files = (path for path in sorted(source.rglob("*")) if path.is_file() and path.name != "pull.md")
            world.push(reviewed, row["folder"], {p.relative_to(source).as_posix(): p.read_text() for p in files}, title)
            cases.append(_case(row["id"], title, row["model"], reviewed.path, row["folder"]))
        with ServingCatalog(path=folder / "catalog.db", token=secrets.token_hex(16)) as catalog:
            catalog.store.load_file(FILES / "catalog.json")
            yield _Setup(tuple(cases), _read_branch(repaired.path, BRANCH, f"{ORG}/{REPAIRED}"), catalog)
    finally:
        world.close()


def _case(name: str, title: str, model: str | None, repo: Path, branch: str) -> Case:
    """A pull request's branch against the default one, from their merge base, as the App takes it."""
    base, head, tip = (read_commit(repo, one) for one in (find_merge_base(repo, BRANCH, branch), branch, BRANCH))
    return Case(name, title, model, base, head, tip, Repo(1, f"{ORG}/{REVIEWED}"), BRANCH)


def _read_branch(repo: Path, revision: str, name: str) -> Branch:
    """One revision of a git repository, with its own configuration. Raises `Permanent`."""
    tree = read_commit(repo, revision).tree
    return Branch(Repo(0, name), replace(tree, repo=name), parse_config(find_config_text(tree)))


# --- the command ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """The command's options: the bench itself, with or without a repair, or the scenarios of `suite`."""

    style: str
    html: Path | None
    suite: str | None
    repair: Literal["yes", "no"]


def print_bench(asked: BenchOptions) -> None:
    """Run it, write the page, print the result. Raises `click.UsageError` for options that do not fit."""
    if asked.suite is not None:
        _print_suite(asked, asked.suite)
        return
    html, as_json = asked.html, asked.style == "json"
    if html is not None and not html.absolute().parent.is_dir():
        raise click.UsageError(f"--html {html}: there is no folder {html.absolute().parent}; make it first")
    done = asyncio.run(run_bench(repair=asked.repair, say=_say))
    if html is not None:
        html.write_text(bench_html(done), encoding="utf-8")
        _say(f"The page is written: {html}")
    click.echo(json.dumps(bench_json(done), indent=1) if as_json else bench_text(done), nl=as_json)


def _print_suite(asked: BenchOptions, suite: str) -> None:
    if asked.html is not None or asked.repair == "no":
        raise click.UsageError("--suite goes with --format alone: leave --html and --no-repair out")
    measured, as_json = asyncio.run(run_suite(find_suite(suite), say=_say)), asked.style == "json"
    click.echo(json.dumps(suite_json(measured), indent=1) if as_json else suite_text(measured), nl=as_json)


def _say(text: str) -> None:
    click.echo(text, err=True)
