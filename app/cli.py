"""`tether ...`: thin. Reads arguments, calls the shell, prints; exit 0 pass or warn, 1 block, 2 unassessable, 3 usage error."""

from __future__ import annotations

import asyncio
import errno
import gc
import json
import socket
import sys
import traceback
from pathlib import Path
from typing import NoReturn

import click

from app.commands.backtest import run_backtest
from app.commands.catalogs import load, need_file
from app.commands.judging import Sides, ask, check_change
from app.commands.policy import tell_config, tell_rules, tell_schema, tell_state
from app.words import Permanent, Transient

# Commands import what they run: the engine takes a second to load, and --help need not wait for it.

USAGE_ERROR = 3
UNASSESSABLE = 2
EXIT = {"pass": 0, "warn": 0, "block": 1, "unassessable": UNASSESSABLE}
PORT = click.IntRange(0, 65535)


#: new objects between two searches for cycles. Catalogs and syntax trees are many objects and hardly any cycles: Python's 700
#: make a large walk half as slow again
GC_THRESHOLD = 50_000


def main() -> NoReturn:
    """Console script. The command-line library's own usage errors exit with 3 as well."""
    gc.set_threshold(GC_THRESHOLD, 20, 20)
    try:
        code = tether(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = USAGE_ERROR
    except (click.Abort, KeyboardInterrupt):
        code = 130
    except Permanent as error:
        click.echo(f"tether: {error}", err=True)
        code = USAGE_ERROR
    except Transient as error:
        click.echo(f"tether: {error}", err=True)
        code = UNASSESSABLE
    except Exception:  # noqa: BLE001 - a defect is no verdict: exit 1 would say "block"
        traceback.print_exc()
        click.echo("tether: this is a defect of Tether; nothing was judged", err=True)
        code = UNASSESSABLE
    sys.exit(code if isinstance(code, int) else 0)


@click.group()
@click.version_option(package_name="tether", prog_name="tether")
def tether() -> None:
    """Fail the pull request that would take an input away from a serving ML model."""


@tether.command()
@click.option("--base", required=True, metavar="DIR|REV", help="What the change starts from.")
@click.option("--head", required=True, metavar="DIR|REV", help="What it ends in.")
@click.option("--base-tip", metavar="DIR|REV", help="The base branch as it is now, if it moved on.")
@click.option(
    "--repo", type=click.Path(path_type=Path), default=Path(), help="The git repository of revisions; default: here."
)
@click.option("--catalog", metavar="FILE.json|URL", help="A file of MCPs, or DataHub; default: TETHER_DATAHUB_URL.")
@click.option("--config", type=click.Path(path_type=Path), help="Used instead of the base's .tether.yml.")
@click.option(
    "--format", "style", type=click.Choice(["text", "json", "sarif"]), default="text", help="How to print it."
)
@click.pass_context
def check(
    context: click.Context,
    *,
    base: str,
    head: str,
    base_tip: str | None,
    repo: Path,
    catalog: str | None,
    config: Path | None,
    style: str,
) -> None:
    """Judge a change on this machine. Writes nothing anywhere.

    Two revisions are compared from their merge base. Exit code: 0 pass or warn, 1 block, 2 unassessable, 3 usage error.
    """
    from app.effects import report_json, report_sarif, report_text  # noqa: PLC0415

    facts = asyncio.run(check_change(Sides(repo, base, head, base_tip), catalog, config))
    report = {"json": report_json, "sarif": report_sarif}.get(style)
    click.echo(report_text(facts) if report is None else json.dumps(report(facts), indent=1))
    context.exit(EXIT[facts.verdict.word])


@tether.command()
@click.argument("name", metavar="RELATION[.COLUMN]")
@click.option("--column", metavar="NAME", help="The column, where RELATION.COLUMN could be a relation; '*': all of it.")
@click.option("--repo", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Whose SQL is searched.")
@click.option("--catalog", metavar="FILE.json|URL", help="A file of MCPs, or DataHub; default: TETHER_DATAHUB_URL.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="How to print the answer.")
def whatif(*, name: str, column: str | None, repo: Path, catalog: str | None, style: str) -> None:
    """Show who reads RELATION.COLUMN, and which models stand behind, as if it were dropped.

    Readers are found in DIR as it is, directly and through what other files compute. Without a catalog models are not known.
    """
    from app.effects import what_if_json, what_if_text  # noqa: PLC0415

    answer = asyncio.run(ask(name, column, repo, catalog))
    click.echo(
        json.dumps(what_if_json(answer), indent=1) if style == "json" else what_if_text(answer), nl=style == "json"
    )


@tether.command()
@click.option(
    "--repo", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Whose history is replayed."
)
@click.option("--since", default="90d", show_default=True, help="How far back: 90d, 12w, 6m, 1y, or a day.")
@click.option("--branch", default="HEAD", show_default=True, metavar="REV", help="The branch that was merged into.")
@click.option("--catalog", metavar="FILE.json|URL", help="A file of MCPs, or DataHub; default: TETHER_DATAHUB_URL.")
@click.option("--config", type=click.Path(path_type=Path), help="Used instead of the branch's .tether.yml.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="How to print the answer.")
def backtest(*, repo: Path, since: str, branch: str, catalog: str | None, config: Path | None, style: str) -> None:
    """Replay what was merged, against today's catalog: what would have been red, and whose.

    The first-parent line of the branch, each commit against its first parent. Writes nothing anywhere.
    """
    from app.effects import backtest_json, backtest_text  # noqa: PLC0415

    found = asyncio.run(run_backtest(repo, branch, since, catalog, config))
    click.echo(
        json.dumps(backtest_json(found), indent=1) if style == "json" else backtest_text(found), nl=style == "json"
    )


@tether.command()
@click.argument("rule", required=False)
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="A .tether.yml, to see what it sets.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="How to print them.")
def rules(*, rule: str | None, config: Path | None, style: str) -> None:
    """List the rules that findings are made by, or explain RULE."""
    click.echo(tell_rules(rule, config, style), nl=False)


@tether.command("config")
@click.option("--explain", is_flag=True, help="Every value that holds, and the file and line that it comes from.")
@click.option("--schema", is_flag=True, help="The JSON Schema of .tether.yml, for editors.")
@click.option("--repo", type=click.Path(path_type=Path), default=Path(), help="Whose .tether.yml; default: here.")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="Used instead of it.")
@click.option("--org", type=click.Path(path_type=Path), metavar="FILE", help="The organisation's defaults, below it.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="How to print them.")
def config_command(
    *, explain: bool, schema: bool, repo: Path, config: Path | None, org: Path | None, style: str
) -> None:
    """Check a .tether.yml; with --explain, say what holds and why."""
    if schema:
        click.echo(tell_schema(), nl=False)
        return
    told = tell_config(repo, config, org, style)
    click.echo(told if explain or style == "json" else tell_state(repo, config), nl=False)


@tether.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=PORT, default=8000, show_default=True, help="Port to listen on.")
def serve(host: str, port: int) -> None:
    """Run the GitHub App: webhooks at POST /webhooks/github."""
    from app.main import serve as run  # noqa: PLC0415
    from app.settings import load_settings  # noqa: PLC0415

    settings = load_settings()
    _need_free_port(host, port)
    run(settings, host=host, port=port)


@tether.command()
@click.option("--keep", is_flag=True, help="Stay up afterwards and print the addresses.")
@click.pass_context
def demo(context: click.Context, *, keep: bool) -> None:
    """Run the main job once: real webhooks, real repositories, a real catalog."""
    from app.standin.demo import run_demo  # noqa: PLC0415

    context.exit(run_demo(keep=keep))


@tether.command()
@click.option("--repo", metavar="DIR|owner/name", help="One repository; default: all that the App is installed on.")
@click.option("--catalog", metavar="FILE.json|URL", help="Default: TETHER_DATAHUB_URL. A file only with --dry-run.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--revert", metavar="RUN_ID", help="Take exactly that run's edges back.")
@click.option("--confirm", multiple=True, metavar="URN", help="Vouch for Tether's edges on an entity.")
@click.option("--reject", multiple=True, metavar="URN", help="Refuse them, now and for ever.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="How to print it.")
@click.pass_context
def repair(
    context: click.Context,
    *,
    repo: str | None,
    catalog: str | None,
    dry_run: bool,
    revert: str | None,
    confirm: tuple[str, ...],
    reject: tuple[str, ...],
    style: str,
) -> None:
    """Write the lineage that SQL on default branches proves and the catalog lacks; report it model by model.

    Edges carry the tag tether:inferred and the lines that prove them; what cannot be proven is refused and listed. Exit code: 0
    done, 1 an edge could not be written, 3 usage error.
    """
    from app.commands.repairing import Asked, print_repair, print_settled  # noqa: PLC0415

    words = [word for word in (revert, confirm, reject) if word]
    if len(words) > 1 or (words and (repo or dry_run)):
        raise click.UsageError("--revert, --confirm and --reject stand alone")
    if words:
        context.exit(print_settled(catalog, style, run_id=revert, confirm=confirm, reject=reject))
    context.exit(print_repair(Asked(repo, catalog, dry_run), style))


@tether.command()
@click.option("--no-repair", is_flag=True, help="Leave the graph as it is between the two rounds.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="How to print it.")
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write a page as well.")
@click.option(
    "--suite", metavar="DIR", help="Judge the scenarios (NAME.md) of a folder instead; 'scenarios': Tether's own."
)
def bench(*, no_repair: bool, style: str, html: Path | None, suite: str | None) -> None:
    """Review six breakages before and after the graph is repaired, and count what is caught.

    Real reviews over a real catalog, on this machine; nothing outside is touched. Progress goes to standard error.
    """
    from app.commands.benching import print_bench  # noqa: PLC0415

    print_bench(no_repair=no_repair, style=style, html=html, suite=suite)


@tether.command()
@click.option(
    "--repo",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="A repository to look at.",
)
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text", help="How to print the answer.")
@click.pass_context
def doctor(context: click.Context, *, repo: Path | None, style: str) -> None:
    """Check what a new install gets wrong, with the fix for each. Changes nothing anywhere.

    Exit code: 0 all well, 1 something is wrong, 3 usage error.
    """
    from app.commands.doctor import examine  # noqa: PLC0415
    from app.doctor.checkup import doctor_json, doctor_text, find_exit  # noqa: PLC0415
    from app.doctor.health import health_json, health_lines  # noqa: PLC0415
    from app.edges.git import list_directory, read_directory  # noqa: PLC0415
    from app.settings import load_settings  # noqa: PLC0415
    from app.source.selection import choose_read  # noqa: PLC0415

    tree = read_directory(repo, choose_read(list_directory(repo))).tree if repo else None
    checks, health = asyncio.run(examine(load_settings(), tree))
    if style == "json":
        click.echo(json.dumps(doctor_json(checks, health_json(health) if health else None), indent=1))
    else:
        click.echo(doctor_text(checks, health_lines(health) if health else ()), nl=False)
    context.exit(find_exit(checks))


@tether.group("catalog")
def catalog_group() -> None:
    """The embedded, DataHub-compatible catalog over one SQLite file."""


@catalog_group.command("serve")
@click.option(
    "--file", type=click.Path(path_type=Path), required=True, help="The SQLite file; made if it is not there."
)
@click.option("--port", type=PORT, default=8080, show_default=True, help="Port to listen on.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--token", envvar="TETHER_DATAHUB_TOKEN", help="Bearer token to ask for; default: TETHER_DATAHUB_TOKEN, or none."
)
def catalog_serve(file: Path, port: int, host: str, token: str | None) -> None:
    """Serve it over HTTP, as DataHub's metadata service does."""
    from app.catalog import UnusableFile, run  # noqa: PLC0415

    _need_free_port(host, port)
    try:
        run(file, host=host, port=port, token=token)
    except UnusableFile as error:
        raise click.UsageError(f"--file {file}: {error}") from None


@catalog_group.command("load")
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "--file", type=click.Path(path_type=Path), required=True, help="The SQLite file; made if it is not there."
)
def catalog_load(source: Path, file: Path) -> None:
    """Load SOURCE, a list of MCPs as DataHub's file sink writes them."""
    from app.catalog import CatalogStore, UnusableFile  # noqa: PLC0415

    need_file(source, "SOURCE")
    try:
        with CatalogStore(file) as store:
            count = load(store, source)
    except UnusableFile as error:
        raise click.UsageError(f"--file {file}: {error}") from None
    click.echo(f"{count} aspects written to {file}")


def _need_free_port(host: str, port: int) -> None:
    """Before anything is started: the server itself would tell of it in a traceback, after it had taken up work."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise click.UsageError(f"--host {host}: {error}") from None
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen()
        except OSError as error:
            reason = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be listened on ({error.strerror})"
            raise click.UsageError(f"port {port} of {host} {reason}: choose another with --port") from None


if __name__ == "__main__":
    main()
