"""`tether ...`: reads arguments and calls `app.commands`. Exit 0 pass or warn, 1 block, 2 unassessable, 3 usage error."""

from __future__ import annotations

import gc
import io
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from app.commands.sections import Sections
from app.words import Permanent, Transient

# Commands are imported when they are called: the engine takes a second to load, and --help need not wait for it.

UNASSESSABLE = 2
USAGE_ERROR = 3
INTERRUPTED = 130
#: whoever read the output went away, as shells say it; click says 1, which would be "block"
BROKEN_PIPE = 141

#: new objects between two searches for cycles. Catalogs and syntax trees are many objects and hardly any cycles: Python's 700
#: make a large walk half as slow again
GC_THRESHOLD = 50_000


def main() -> NoReturn:
    """Console script."""
    gc.set_threshold(GC_THRESHOLD, 20, 20)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a name that the terminal cannot show must not end the command
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run())


def run(arguments: Sequence[str] | None = None) -> int:
    """The exit code. The command-line library's own usage errors are 3 as well. None: the arguments of this process."""
    code: object
    try:
        code = tether(arguments, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = USAGE_ERROR
    except (click.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except Permanent as error:
        click.echo(f"tether: {error}", err=True)
        code = USAGE_ERROR
    except Transient as error:
        click.echo(f"tether: {error}", err=True)
        code = UNASSESSABLE
    except Exception:  # noqa: BLE001 - a bug is no verdict: exit 1 would say "block"
        traceback.print_exc()
        click.echo("tether: internal error (a bug in Tether): nothing was judged", err=True)
        code = UNASSESSABLE
    except SystemExit as left:
        code = BROKEN_PIPE if left.code == 1 else left.code
    return code if isinstance(code, int) else 0


# --- options that several commands have ----------------------------------------------------------------------------

Command = Callable[..., Any]
PORT = click.IntRange(0, 65535)
FILE = click.Path(path_type=Path)

_catalog = click.option(
    "--catalog",
    metavar="FILE.json|URL",
    help="Catalog: a file of MCPs, or DataHub's address. Default: TETHER_DATAHUB_URL.",
)
_host = click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")


def _format(*styles: str) -> Callable[[Command], Command]:
    return click.option(
        "--format", "style", type=click.Choice(styles), default="text", show_default=True, help="Form of the output."
    )


def _port(default: int) -> Callable[[Command], Command]:
    return click.option("--port", type=PORT, default=default, show_default=True, help="Port to listen on.")


@click.group(cls=Sections)
@click.version_option(package_name="tether", prog_name="tether")
def tether() -> None:
    """Tether blocks the pull request that would take an input away from a serving ML model."""


# --- look at a change ----------------------------------------------------------------------------------------------


@tether.command()
@click.option("--base", required=True, metavar="DIR|REV", help="Version before the change: directory or revision.")
@click.option("--head", required=True, metavar="DIR|REV", help="Changed version: directory or revision.")
@click.option(
    "--base-tip", metavar="DIR|REV", help="Base branch as it is now: directory or revision. Default: as --base."
)
@click.option("--repo", type=FILE, default=Path(), help="Git repository of the revisions. Default: this directory.")
@_catalog
@click.option("--config", type=FILE, help="Configuration file, instead of the base branch's .tether.yml.")
@_format("text", "json", "sarif")
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
    """Judge a change on this machine, as the App would.

    Two revisions are compared from their merge base. Nothing is written anywhere.

    Exit code: 0 pass or warn, 1 block, 2 unassessable, 3 usage error.
    """
    from app.commands.check import Sides, print_check  # noqa: PLC0415

    context.exit(print_check(Sides(repo, base, head, base_tip), catalog, config, style))


@tether.command()
@click.argument("name", metavar="RELATION[.COLUMN]")
@click.option(
    "--column", metavar="NAME", help="Column, where RELATION.COLUMN could be a relation. '*': the whole relation."
)
@click.option("--repo", type=FILE, required=True, metavar="DIR", help="Directory whose SQL is searched.")
@_catalog
@_format("text", "json")
def whatif(*, name: str, column: str | None, repo: Path, catalog: str | None, style: str) -> None:
    """Show who reads a column, and the models behind it.

    Readers are found in DIR as it is, directly and through what other files compute. Without a catalog the models stay unknown.
    """
    from app.commands.whatif import print_whatif  # noqa: PLC0415

    print_whatif(name, column, repo, catalog, style)


@tether.command()
@click.option("--repo", type=FILE, required=True, metavar="DIR", help="Git repository whose history is replayed.")
@click.option("--since", default="90d", show_default=True, help="How far back: 90d, 12w, 6m, 1y, or a day.")
@click.option("--branch", default="HEAD", show_default=True, metavar="REV", help="Branch that was merged into.")
@_catalog
@click.option("--config", type=FILE, help="Configuration file, instead of the branch's .tether.yml.")
@_format("text", "json")
def backtest(*, repo: Path, since: str, branch: str, catalog: str | None, config: Path | None, style: str) -> None:
    """Judge what was merged already: what would have been red.

    Each commit of the branch's first-parent line is compared with its first parent, against the catalog as it is today. Nothing
    is written anywhere.
    """
    from app.commands.backtest import BacktestOptions, print_backtest  # noqa: PLC0415

    print_backtest(BacktestOptions(repo, branch, since, catalog, config), style)


# --- set a repository up -------------------------------------------------------------------------------------------


@tether.command("config")
@click.option("--explain", is_flag=True, help="Show every value that holds, and the file and line it comes from.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of .tether.yml, for editors.")
@click.option("--suggest", is_flag=True, help="Print the lines that bind features whose table nobody can tell.")
@click.option("--repo", type=FILE, default=Path(), help="Directory with the .tether.yml. Default: this directory.")
@click.option("--config", type=FILE, metavar="FILE", help="Configuration file, instead of that one.")
@click.option("--org", type=FILE, metavar="FILE", help="Defaults of the organisation, which the file may override.")
@click.option("--catalog", metavar="FILE|URL", help="The catalog that --suggest looks at. Default: TETHER_DATAHUB_URL.")
@_format("text", "json")
def config_command(
    *,
    explain: bool,
    schema: bool,
    suggest: bool,
    repo: Path,
    config: Path | None,
    org: Path | None,
    catalog: str | None,
    style: str,
) -> None:
    """Check a .tether.yml, and say what it comes to."""
    from app.commands.config import ConfigOptions, print_config, print_schema, print_suggestion  # noqa: PLC0415

    if schema:
        print_schema()
    elif suggest:
        print_suggestion(repo, catalog)
    else:
        print_config(ConfigOptions(repo, config, org), "values" if explain else "state", style)


@tether.command()
@click.argument("rule", required=False)
@click.option("--config", type=FILE, metavar="FILE", help="Configuration file: shows the levels that it sets.")
@_format("text", "json")
def rules(*, rule: str | None, config: Path | None, style: str) -> None:
    """List the rules behind findings, or explain RULE."""
    from app.commands.rules import print_rules  # noqa: PLC0415

    print_rules(rule, config, style)


# --- run the App ---------------------------------------------------------------------------------------------------


@tether.command()
@_host
@_port(8000)
def serve(host: str, port: int) -> None:
    """Run the GitHub App.

    Webhooks are received at POST /webhooks/github. The environment (TETHER_...) holds the settings.
    """
    from app.commands.serve import run_server  # noqa: PLC0415

    run_server(host, port)


@tether.command()
@click.option(
    "--repo",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Directory of a repository, to check its .tether.yml and its SQL as well.",
)
@_format("text", "json")
@click.pass_context
def doctor(context: click.Context, *, repo: Path | None, style: str) -> None:
    """Check the App's setup, with a fix for each fault.

    Nothing is changed anywhere.

    Exit code: 0 all is well, 1 something is wrong, 3 usage error.
    """
    from app.commands.doctor import print_checkup  # noqa: PLC0415

    context.exit(print_checkup(repo, style))


@tether.command()
@click.option("--since", default="90d", show_default=True, help="How far back: 90d, 12w, 6m, 1y, or a day.")
@click.option("--installation", type=int, metavar="N", help="One installation of the App. Default: all.")
@_format("text", "json")
def audit(*, since: str, installation: int | None, style: str) -> None:
    """Show what people did with Tether's buttons.

    Who, when, where, and what came of it, from the server's database (TETHER_DATABASE_URL).
    """
    from app.commands.audit import print_audit  # noqa: PLC0415

    print_audit(since, installation, style)


@tether.command()
@click.option(
    "--repo", metavar="DIR|owner/name", help="One repository. Default: every repository that the App is installed on."
)
@click.option(
    "--catalog",
    metavar="FILE.json|URL",
    help="Catalog: DataHub's address, or a file of MCPs with --dry-run. Default: TETHER_DATAHUB_URL.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--revert", metavar="RUN_ID", help="Remove exactly the edges that run RUN_ID wrote.")
@click.option("--confirm", multiple=True, metavar="URN", help="Vouch for Tether's edges on URN.")
@click.option("--reject", multiple=True, metavar="URN", help="Remove Tether's edges on URN and never write them again.")
@_format("text", "json")
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
    """Write the lineage that SQL proves and the catalog lacks.

    Default branches are read. Edges carry the tag tether:inferred and the lines that prove them. What cannot be proven is refused
    and listed. The report goes model by model.

    Exit code: 0 done, 1 an edge could not be written, 3 usage error.
    """
    from app.commands.repair import RepairOptions, print_repair, print_settled  # noqa: PLC0415

    words = [word for word in (revert, confirm, reject) if word]
    if len(words) > 1 or (words and (repo or dry_run)):
        raise click.UsageError(
            "--revert, --confirm and --reject stand alone: give one of them, without --repo and --dry-run"
        )
    if words:
        context.exit(print_settled(catalog, style, run_id=revert, confirm=confirm, reject=reject))
    context.exit(print_repair(RepairOptions(repo, catalog, dry_run), style))


# --- try it out ----------------------------------------------------------------------------------------------------


@tether.command()
@click.option("--keep", is_flag=True, help="Stay up afterwards, with the addresses that were printed.")
@click.pass_context
def demo(context: click.Context, *, keep: bool) -> None:
    """Show the App at work on this machine.

    Four pull requests are opened on a stand-in for GitHub: real webhooks, real repositories, a real catalog.
    """
    from app.commands.demo import run_demo_setup  # noqa: PLC0415

    context.exit(run_demo_setup(keep=keep))


@tether.command()
@click.option("--no-repair", is_flag=True, help="Leave the graph as it is between the two rounds.")
@_format("text", "json")
@click.option(
    "--html", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="File to write a page to."
)
@click.option(
    "--suite", metavar="DIR", help="Folder of scenarios (NAME.md) to judge instead; 'scenarios': Tether's own."
)
def bench(*, no_repair: bool, style: str, html: Path | None, suite: str | None) -> None:
    """Count caught breakages before and after a repair.

    Six changes are reviewed for real, over a real catalog, on this machine; nothing outside is touched. Progress goes to standard
    error.
    """
    from app.commands.bench import BenchOptions, print_bench  # noqa: PLC0415

    print_bench(BenchOptions(style, html, suite, "no" if no_repair else "yes"))


@tether.group("catalog")
def catalog_group() -> None:
    """Serve or fill the embedded, DataHub-compatible catalog."""


_catalog_file = click.option(
    "--file", type=FILE, required=True, help="SQLite file of the catalog. It is made if it is not there."
)


@catalog_group.command("serve")
@_catalog_file
@_port(8080)
@_host
@click.option(
    "--token", envvar="TETHER_DATAHUB_TOKEN", help="Bearer token to ask for. Default: TETHER_DATAHUB_TOKEN, or none."
)
def catalog_serve(file: Path, port: int, host: str, token: str | None) -> None:
    """Serve the catalog over HTTP, as DataHub does."""
    from app.commands.catalog import serve_catalog  # noqa: PLC0415

    serve_catalog(file, host, port, token)


@catalog_group.command("load")
@click.argument("source", type=FILE)
@_catalog_file
def catalog_load(source: Path, file: Path) -> None:
    """Load SOURCE: MCPs as DataHub's file sink writes them."""
    from app.commands.catalog import load_catalog  # noqa: PLC0415

    load_catalog(source, file)


if __name__ == "__main__":
    main()
