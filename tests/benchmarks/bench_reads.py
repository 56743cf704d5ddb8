"""How quick `find_reads` is beside its peers: sqllineage, and DataHub's `sqlglot_lineage`.

    .venv/bin/python -m tests.benchmarks.bench_reads [--statements 300] [--models 60] [--rounds 5] [--plain] [--keep DIR]

The same statements for all, with the same known columns where an engine takes them; one process an engine, one engine
after another, the median of the rounds, in CPU seconds. Peers live in an environment of their own, made with pip in a
temporary folder (or in `--keep`, and used again from there): they pin another sqlglot. With `--plain` also `find_reads` on
sqlglot without its compiled modules, whose answers must be equal.

Two kinds of statements, decision-support queries and wide dbt models, in two dialects. Targets: 60 times each peer, and
25 times without the compiled modules. DataHub's parser takes ten times as long for DuckDB's dialect as for another.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from tests.benchmarks.engines import CORPORA

ROOT = Path(__file__).parent.parent.parent
PEERS = ("sqllineage", f"acryl-datahub[sql-parser]=={version('acryl-datahub')}")
ENGINES = {"sqllineage": "sqllineage", "DataHub's sqlglot_lineage": "datahub"}
DIALECTS = ("duckdb", "snowflake")
PLAIN = (f"sqlglot=={version('sqlglot')}",)


@dataclass(frozen=True, slots=True)
class Corpus:
    """A name in `tests.benchmarks.engines.CORPORA`, and how many of its statements."""

    name: str
    dialect: str
    count: int


@dataclass(frozen=True, slots=True)
class Timed:
    """`rate` in statements a second, of the median round."""

    name: str
    rate: float
    failed: int
    digest: str


def make_environment(folder: Path, packages: tuple[str, ...]) -> Path:
    """The Python of an environment with these packages; one that is there is taken as it is."""
    python = folder / "bin" / "python"
    if not python.exists():
        print(f"installing {', '.join(packages)} ...", file=sys.stderr)
        venv.create(folder, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True, stdout=sys.stderr)
    return python


def run(name: str, engine: str, python: Path, corpus: Corpus, rounds: int) -> Timed:
    command = [str(python), "-m", "tests.benchmarks.engines", engine, corpus.name, corpus.dialect]
    command += [str(corpus.count), str(rounds)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)
    answer = json.loads(done.stdout.splitlines()[-1])
    rate = corpus.count / statistics.median(answer["seconds"])
    timed = Timed(name, rate, answer["failed"], answer["digest"])
    print(f"  {name:28} {rate:9.1f} statements/s   {timed.failed} failed")
    return timed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--statements", type=int, default=300)
    parser.add_argument("--models", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--keep", type=Path, help="where the environments stay")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tether-bench-") as temporary:
        compare(options, options.keep or Path(temporary))


def compare(options: argparse.Namespace, folder: Path) -> None:
    peers = make_environment(folder / "peers", PEERS)
    pythons = {"find_reads": Path(sys.executable)}
    if options.plain:
        pythons["find_reads, not compiled"] = make_environment(folder / "plain", PLAIN)
    counts = {"queries": options.statements, "models": options.models}
    for corpus in (Corpus(name, dialect, count) for dialect in DIALECTS for name, count in counts.items()):
        statements = CORPORA[corpus.name][0](corpus.count)
        size = sum(map(len, statements)) / corpus.count / 1024
        print(
            f"{corpus.dialect}, {corpus.name}: {corpus.count} statements, {size:.2f} KB each, median of {options.rounds} rounds"
        )
        ours = [run(name, "tether", python, corpus, options.rounds) for name, python in pythons.items()]
        theirs = [run(name, engine, peers, corpus, options.rounds) for name, engine in ENGINES.items()]
        for one in ours:
            for other in theirs:
                print(f"  {one.name} is {one.rate / other.rate:.1f} times as quick as {other.name}")
        if any(one.digest != ours[0].digest for one in ours):
            sys.exit("find_reads answers differently without the compiled modules")
        if ours[0].failed:
            sys.exit(f"find_reads failed on {ours[0].failed} statements")


if __name__ == "__main__":
    main()
