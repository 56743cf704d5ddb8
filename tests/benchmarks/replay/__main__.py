"""python -m tests.benchmarks.replay: see README.md beside this file."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

from tests.benchmarks.replay.git_objects import fetch_diff
from tests.benchmarks.replay.replay import Plan, Record, load_records, replay_repository
from tests.benchmarks.replay.repositories import OWN, find_clone, load_repositories
from tests.benchmarks.replay.synthesis import open_synthesis
from tests.benchmarks.replay.tables import render_reasons, render_shares, render_table

#: strangers' SQL is nested deeply
MOST_RECURSION = 20_000


def main() -> None:
    """Console entry."""
    sys.setrecursionlimit(MOST_RECURSION)
    told = _parse_arguments()
    told.out.mkdir(parents=True, exist_ok=True)
    {"run": _run, "table": _print_table, "reasons": _print_reasons, "show": _show, "catalog": _write_catalog}[
        told.verb
    ](told)


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.replay", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("replay"), metavar="DIR", help="where the records are kept")
    parser.add_argument("--specs", type=Path, default=OWN, metavar="FILE", help="instead of repositories.yml")
    verbs = parser.add_subparsers(dest="verb", required=True)
    run = verbs.add_parser("run", help="judge what was merged")
    run.add_argument("names", nargs="*", metavar="OWNER/NAME", help="default: every repository that has a clone")
    run.add_argument("-n", type=int, default=60, dest="most", help="commits of each, the newest first")
    run.add_argument("--epoch", type=int, default=1, help="a new catalog after so many commits")
    run.add_argument("--budget", type=float, default=600.0, help="seconds for each repository")
    run.add_argument("--paths", nargs="*", default=["*.sql"], help="only commits that touch them")
    run.add_argument("--since", metavar="DATE")
    run.add_argument("--until", metavar="DATE")
    table = verbs.add_parser("table", help="verdicts, and the two shares")
    table.add_argument("--labels", type=Path, metavar="FILE", help='JSON: commit -> "right" or "wrong", of each block')
    verbs.add_parser("reasons", help="why commits were unassessable")
    show = verbs.add_parser("show", help="what the author would have read, and the diff")
    catalog = verbs.add_parser("catalog", help="write a commit's catalog, for tether check")
    for verb in (show, catalog):
        verb.add_argument("name", metavar="OWNER/NAME")
        verb.add_argument("commit")
    catalog.add_argument("file", type=Path)
    for verb in (run, show, catalog):
        verb.add_argument(
            "--repos", type=Path, required=True, metavar="DIR", help="bare clones: OWNER/NAME.git, or OWNER+NAME"
        )
    for verb in (run, catalog):
        verb.add_argument("--share", type=float, default=0.33, help="of the last tables that feed a model")
    return parser.parse_args()


def _run(told: argparse.Namespace) -> None:
    held = load_repositories(told.specs)
    dates = {name: date for name in ("since", "until") if (date := getattr(told, name))}
    plan = Plan(told.most, told.share, told.epoch, told.budget, tuple(told.paths), dates)
    for name in told.names or held:
        try:
            clone = find_clone(told.repos, name)
        except FileNotFoundError as error:
            if told.names:
                raise SystemExit(str(error)) from None
            continue
        out = told.out / f"{name.replace('/', '+')}.jsonl"
        asyncio.run(replay_repository(held[name], clone, plan, out, lambda line: print(line, flush=True)))


def _print_table(told: argparse.Namespace) -> None:
    records = _load_all(told.out)
    labels = json.loads(told.labels.read_text()) if told.labels else {}
    print(*render_table(records), "", *render_shares(records, labels), sep="\n")


def _print_reasons(told: argparse.Namespace) -> None:
    print(*render_reasons(_load_all(told.out)), sep="\n")


def _show(told: argparse.Namespace) -> None:
    for record in _load_all(told.out):
        if record["repository"] == told.name and record["sha"].startswith(told.commit):
            print(record.get("text") or record.get("trace"))
            print(fetch_diff(find_clone(told.repos, told.name), (record["parent"], record["sha"])))


def _write_catalog(told: argparse.Namespace) -> None:
    repository = load_repositories(told.specs)[told.name]
    with open_synthesis(find_clone(told.repos, told.name), repository, told.share) as synthesis:
        told.file.write_text(json.dumps(synthesis.make_catalog(told.commit), indent=1))


def _load_all(folder: Path) -> list[Record]:
    return [record for file in sorted(folder.glob("*.jsonl")) for record in load_records(file)]


if __name__ == "__main__":
    main()
