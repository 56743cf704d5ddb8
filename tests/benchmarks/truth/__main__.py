"""python -m tests.benchmarks.truth BUILT... [--rounds N] [--kinds KIND...] [--out FILE]

`BUILT`: folder of a dbt project after `dbt build` with DuckDB (`target/manifest.json` in it, its `.duckdb` file beside it).
Every model is changed in every kind of way, `rounds` times; base and head are executed, and judged with a catalog in which each
last model feeds a serving model. Printed: what came of each kind, and what Tether said. A line of JSON for each case in FILE.
"""
# ruff: noqa: S608 - our own statements over tables of this process

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import duckdb

from app.commands.opening import open_catalog
from app.offline.judge import judge_trees
from app.ports import CatalogReads
from app.source.remembered import RunParseCache
from tests.benchmarks.truth.mutations import KINDS, Changed, Models, star_to_names
from tests.benchmarks.truth.project import Project, find_columns, find_names, load_project, render_models
from tests.fakes.isolation import InlineIsolation

CONFIG = """version: 1
dialect: duckdb
catalog: {platform: duckdb, env: PROD, database: db, schema: main}
dbt: {target: prod, database: db, schema: main}
serving: {unknown: serving}
"""
#: of the outputs of a last model, these are features
SHARE = 75
Print = tuple[Any, ...]


class Warehouse:
    """Executes a project's models; what did not change is not made again."""

    def __init__(self, project: Project) -> None:
        self.data = project.data
        self.made: dict[str, int] = {}
        self.prints: dict[int, dict[str, Print] | None] = {}

    def build(self, models: Mapping[str, str]) -> dict[str, dict[str, Print] | None]:
        """Model -> column -> what identifies its values; None where it fails."""
        for name in [name for name in self.made if name not in models]:
            self.data.execute(f'DROP TABLE IF EXISTS "ref__{name}"')
            del self.made[name]
        found: dict[str, dict[str, Print] | None] = {}
        left = dict(models)
        while left:
            ready = next(
                (n for n, t in left.items() if not {r for k, r in find_names(t) if k == "ref"} & set(left)), None
            )
            if ready is None:
                return {**found, **dict.fromkeys(left)}
            found[ready] = self._make(ready, left.pop(ready))
        return found

    def _make(self, name: str, text: str) -> dict[str, Print] | None:
        key = hash((text, *(self.made.get(parent) for kind, parent in sorted(find_names(text)) if kind == "ref")))
        if self.made.get(name) != key:
            self.made[name] = key
            self.data.execute(f'DROP TABLE IF EXISTS "ref__{name}"')
            try:
                self.data.execute(f'CREATE TABLE "ref__{name}" AS {text}')
            except duckdb.Error:
                self.prints[key] = None
            else:
                self.prints[key] = self._fingerprint(name)
        return self.prints[key]

    def _fingerprint(self, name: str) -> dict[str, Print]:
        columns = find_columns(self.data, f"ref__{name}")
        parts = ", ".join(
            f"sum(hash(\"{c}\")::HUGEINT), '{t}'"
            if "DOUBLE" not in t
            else f"sum(hash(round(\"{c}\", 6))::HUGEINT), '{t}'"
            for c, t in columns.items()
        )
        row = self.data.execute(f'SELECT count(*), {parts} FROM "ref__{name}"').fetchone()
        assert row is not None
        return {column: (row[0], row[1 + 2 * n], row[2 + 2 * n]) for n, column in enumerate(columns)}


def find_leaves(models: Mapping[str, str]) -> set[str]:
    return set(models) - {name for text in models.values() for kind, name in find_names(text) if kind == "ref"}


def is_feature(leaf: str, column: str) -> bool:
    return zlib.crc32(f"{leaf}.{column}".encode()) % 100 < SHARE


def make_catalog(project: Project, columns: Mapping[str, Mapping[str, str]]) -> Iterator[dict[str, Any]]:
    """Every relation with its columns; each last model's features, and a serving model that takes them."""

    def mcp(kind: str, urn: str, name: str, value: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "entityType": kind,
            "entityUrn": urn,
            "changeType": "UPSERT",
            "aspectName": name,
            "aspect": {"json": value},
        }

    stamp = {"time": 0, "actor": "urn:li:corpuser:datahub"}
    for name, held in columns.items():
        kind, _, last = name.partition("__")
        full = f"db.{'raw' if kind == 'src' else 'main'}.{last}".lower()
        urn = f"urn:li:dataset:(urn:li:dataPlatform:duckdb,{full},PROD)"
        fields = [
            {
                "fieldPath": c,
                "nullable": True,
                "type": {"type": {"com.linkedin.schema.StringType": {}}},
                "nativeDataType": t,
                "recursive": False,
                "isPartOfKey": False,
            }
            for c, t in held.items()
        ]
        yield mcp(
            "dataset",
            urn,
            "schemaMetadata",
            {
                "schemaName": full,
                "platform": "urn:li:dataPlatform:duckdb",
                "version": 0,
                "hash": "",
                "created": stamp,
                "lastModified": stamp,
                "platformSchema": {"com.linkedin.schema.OtherSchema": {"rawSchema": ""}},
                "fields": fields,
            },
        )
        if kind == "ref" and last in find_leaves(project.models):
            features = [f"urn:li:mlFeature:({last},{c})" for c in held if is_feature(last, c)]
            for feature in features:
                yield mcp("mlFeature", feature, "mlFeatureProperties", {"customProperties": {}, "sources": [urn]})
            yield mcp(
                "mlModel",
                f"urn:li:mlModel:(urn:li:dataPlatform:mlflow,model_{last},PROD)",
                "mlModelProperties",
                {"customProperties": {"serving": "true"}, "mlFeatures": features, "tags": []},
            )


def find_truth(base: Mapping[str, Any], head: Mapping[str, Any], leaves: set[str], untold: set[tuple[str, str]]) -> str:
    """breaks: a last model fails or lacks a feature; values: a feature computes something else; same."""
    found = "same"
    for leaf in leaves:
        if head.get(leaf) is None:
            return "breaks"
        for column, value in base[leaf].items():
            if not is_feature(leaf, column):
                continue
            if column not in head[leaf]:
                return "breaks"
            if value != head[leaf][column] and (leaf, column) not in untold:
                found = "values"
    return found


async def run(project: Project, told: argparse.Namespace) -> list[dict[str, Any]]:
    warehouse = Warehouse(project)
    base = warehouse.build(project.models)
    await asyncio.sleep(3)  # what asks for the time of day shall differ
    again = Warehouse(project).build(project.models)
    untold = {(n, c) for n, held in base.items() for c, v in (held or {}).items() if (again[n] or {}).get(c) != v}
    columns = {f"ref__{name}": find_columns(project.data, f"ref__{name}") for name in project.models}
    columns |= {f"src__{name}": dict(held) for name, held in project.tables.items()}
    leaves, cache, rows = find_leaves(project.models), RunParseCache(), []
    async with open_catalog(list(make_catalog(project, columns))) as catalog:
        for kind, name, changed in make_cases(project, columns, told):
            models = {n: t for n, t in {**project.models, **changed}.items() if t is not None}
            head = warehouse.build(models)
            truth = find_truth(base, head, leaves, untold)
            row = {"project": project.name, "kind": kind, "model": name, "truth": truth, "changed": changed}
            rows.append({**row, **await judge(project, models, catalog, cache)})
            if told.out:
                with told.out.open("a") as file:
                    file.write(json.dumps(rows[-1]) + "\n")
    return rows


def make_cases(
    project: Project, columns: Mapping[str, Any], told: argparse.Namespace
) -> Iterator[tuple[str, str, Changed]]:

    def write_stars(models: Models, name: str, rng: Random) -> Changed | None:
        return star_to_names(models, name, rng, columns)

    kinds = {**KINDS, "star_to_names": write_stars}
    for kind in told.kinds or kinds:
        seen = set()
        names = [name for name in project.models if told.models is None or name in told.models]
        Random(kind).shuffle(names)  # noqa: S311
        for round_ in range(told.rounds):
            for name in names[: told.most]:
                changed = kinds[kind](project.models, name, Random(f"{kind} {name} {round_}"))  # noqa: S311
                key = json.dumps(changed, sort_keys=True)
                if changed and key not in seen:
                    seen.add(key)
                    yield kind, name, changed


def find_near(base: Mapping[str, str], head: Mapping[str, str]) -> set[str]:
    """What changed, what stands behind it, and what that stands on: the rest has no part in it."""
    parents = {
        n: {r for side in (base, head) for k, r in find_names(side.get(n, "")) if k == "ref"} for n in {**base, **head}
    }
    near = {name for name in parents if base.get(name) != head.get(name)}
    while more := {name for name, above in parents.items() if above & near} - near:
        near |= more
    while more := {parent for name in near for parent in parents.get(name, ())} - near:
        near |= more
    return near


async def judge(
    project: Project, models: Mapping[str, str], catalog: CatalogReads, cache: RunParseCache
) -> dict[str, Any]:
    start = time.process_time()
    near = find_near(project.models, models)
    sides = [{name: text for name, text in side.items() if name in near} for side in (project.models, models)]
    trees = [{**render_models(project, one), ".tether.yml": CONFIG} for one in sides]
    said = await judge_trees(*trees, config=CONFIG, catalog=catalog, isolation=InlineIsolation(), cache=cache)
    verdict = said.facts.verdict
    told = [f"{f.level} {f.rule} {f.relation}.{f.column}: {f.message}" for f in verdict.findings]
    told += [f"unknown {u.what}: {u.why}" for u in verdict.unknowns]
    return {"verdict": verdict.word, "title": verdict.title, "told": told[:4], "seconds": time.process_time() - start}


def print_table(rows: list[dict[str, Any]]) -> None:
    verdicts = ("block", "unassessable", "warn", "pass")
    for truth in ("breaks", "values", "same"):
        found = [row for row in rows if row["truth"] == truth]
        print(f"\n{truth}: {len(found)}")
        for kind in [*dict.fromkeys(row["kind"] for row in found), "all"]:
            counts = Counter(row["verdict"] for row in found if kind in (row["kind"], "all"))
            print(f"  {kind:24}", *(f"{counts[word]:6} {word}" for word in verdicts))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.truth", description=__doc__)
    parser.add_argument("built", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--most", type=int, default=10_000, help="models of each project and kind")
    parser.add_argument("--kinds", nargs="*")
    parser.add_argument("--models", nargs="*")
    parser.add_argument("--out", type=Path)
    told = parser.parse_args()
    sys.setrecursionlimit(20_000)
    if told.out:
        told.out.unlink(missing_ok=True)
    rows = [row for folder in told.built for row in asyncio.run(run(load_project(folder), told))]
    print_table(rows)


if __name__ == "__main__":
    main()
