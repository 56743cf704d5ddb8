"""How long a pull request waits for its verdict, and what that costs at GitHub, with everything on this machine.

    python -m tests.benchmarks.bench_review [--rounds N] [--spacing SECONDS]

Both sandboxes and the real server run in this process; the index is warm. Printed for each kind of pull request: p50 and p95 of
the seconds from opening it (the webhook leaves then) to its concluded check run, and the requests to GitHub, without the
health page's. `--spacing` is TETHER_GITHUB_WRITE_SPACING: 0 shows the work itself, 1 what github.com asks for.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests import suite
from tests.stage import Stage, set_stage

SCENARIO = "both_branches_drop"
BASE = suite.texts(suite.scenario(SCENARIO).base)
TETHER = BASE[".tether.yml"]
ORDERS = BASE["migrations/0001_orders.sql"]
READER = BASE["features/customer_features.sql"]
DROP = "ALTER TABLE raw.orders DROP COLUMN discount_pct;\n"
FILES = 200
VIEW = "CREATE VIEW views.v{0} AS SELECT order_id, quantity{1} FROM raw.orders;\n"
REPOSITORIES = {
    "warehouse": {
        ".tether.yml": TETHER,
        "migrations/0001_orders.sql": ORDERS,
        **{f"views/v{n}.sql": VIEW.format(n, "") for n in range(FILES)},
    },
    "features": {".tether.yml": TETHER, "features/customer_features.sql": READER},
}


@dataclass(frozen=True, slots=True)
class Kind:
    """`conclusion` is what the check has to come to."""

    name: str
    conclusion: str

    def changes(self, number: int) -> Mapping[str, str]:
        if self.name == "no SQL":
            return {"README.md": f"{number}\n"}
        if self.name == "one drop":
            return {"migrations/0002_drop.sql": f"{DROP}-- {number}\n"}
        # The expression changes, not what a model reads: all of it is parsed and nothing is lost.
        return {f"views/v{n}.sql": VIEW.format(n, f", {number} AS round") for n in range(FILES)}


KINDS = (Kind("no SQL", "success"), Kind("one drop", "failure"), Kind(f"{FILES} files", "success"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--spacing", type=float, default=0.0)
    told = parser.parse_args()
    print(f"Python {platform.python_version()}, {told.rounds} rounds, write spacing {told.spacing:g} s")
    with (
        tempfile.TemporaryDirectory(prefix="tether-bench-") as folder,
        set_stage(Path(folder), suite.lay_out_catalog(SCENARIO, Path(folder, "catalog.json")), REPOSITORIES) as stage,
    ):
        stage.spacing = told.spacing
        with stage.serve():
            stage.install()
            stage.idle()
            measure(stage, KINDS[1], 0)  # the first review starts child processes and reads the App's name
            for kind in KINDS:
                report(kind, [measure(stage, kind, number) for number in range(1, told.rounds + 1)])


def measure(stage: Stage, kind: Kind, number: int) -> tuple[float, Counter[str]]:
    """(seconds from opening to the concluded check, requests by method and kind of path)."""
    branch = f"{kind.name.replace(' ', '-')}-{number}"
    stage.world.push(stage.repos["warehouse"], branch, dict(kind.changes(number)), branch, parent="main")
    stage.idle()
    stage.world.forget_requests()
    start = time.perf_counter()
    pull = stage.world.open_pull(stage.repos["warehouse"], branch)
    run = stage.concluded("warehouse", stage.head("warehouse", pull))
    seconds = time.perf_counter() - start
    assert run.conclusion == kind.conclusion, f"{kind.name}: {run.conclusion}: {run.title}"
    stage.idle()
    return seconds, Counter(one.method for one in stage.world.requests() if one.path != "/app")


def report(kind: Kind, measured: list[tuple[float, Counter[str]]]) -> None:
    seconds = sorted(one for one, _ in measured)
    p95 = seconds[min(len(seconds) - 1, round(0.95 * len(seconds)))]
    totals = sorted(sum(requests.values()) for _, requests in measured)
    reads = statistics.median(requests["GET"] for _, requests in measured)
    print(
        f"{kind.name:>10}: p50 {statistics.median(seconds):.2f} s, p95 {p95:.2f} s; requests to GitHub: "
        f"median {statistics.median(totals):g} ({reads:g} of them reads), most {totals[-1]}"
    )


if __name__ == "__main__":
    main()
