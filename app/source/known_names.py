"""What the catalog and manifests have seen of the dbt projects of a tree -> how rendering has to name them.

DataHub's dbt source makes an entity of each node, with dbt's unique id among its properties and the warehouse's table as its
sibling. Only those are fetched whose name the tree mentions. Manifests are read of trees that stand on a branch, never of
somebody's pull request: whoever calls hands in the former only.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, Final

from app.change import find_dbt_folders
from app.ports import CatalogReads
from app.render import PROFILES, Parts, Seen, is_manifest
from app.source.parsing import TreeParser
from app.source.rendering import NamesItem
from app.trail import LineageGraph, Naming, parse_dataset
from app.trail.urns import DatasetName
from app.words import Config, Tree

#: Names that may be a node's or a table's. Each begins with a plain word: `re` looks for that many times faster.
_VALUE: Final = r"""["']?\s{0,9}[:=]\s{0,9}["']?([\w$-]{1,200})"""
_TEXT: Final = r"""\s{0,9}["']([\w$-]{1,200})["']"""
_IN_SQL: Final = (
    re.compile(rf"alias{_VALUE}"),
    re.compile(rf"ref\s{{0,9}}\({_TEXT}(?:\s{{0,9}},{_TEXT})?"),
    re.compile(r"snapshot\s{1,9}([\w$]{1,200})"),
)
_IN_YAML: Final = tuple(re.compile(rf"{word}{_VALUE}") for word in ("alias", "name", "identifier"))
_NODES: Final = (".sql", ".py", ".csv")


async def learn_names(
    parser: TreeParser, trees: Sequence[Tree], naming: Naming, config: Config, catalog: CatalogReads | None
) -> tuple[str, ...]:
    """Let the parser name the dbt projects of these trees' repositories; each tree is the one that a branch holds now.

    Answers what could not be read, in sentences. Raises as the catalog.
    """
    notes: list[str] = []
    for tree, seen in zip(trees, await fetch_seen(trees, naming, config, catalog), strict=True):
        manifests = find_manifests(tree)
        if seen or manifests or any(path.endswith(PROFILES) for path in tree.files):
            item = NamesItem(without_manifests(tree).files, parser.settings, seen, manifests)
            known, why = await parser.learn(tree.repo, item)
            notes += [f"{tree.repo} {note}".strip() for note in (*known.notes, *why)]
    return tuple(notes)


def without_manifests(tree: Tree) -> Tree:
    """They are large, and nothing else looks into them."""
    found = {path for path, _ in find_manifests(tree)}
    return replace(tree, files={p: t for p, t in tree.files.items() if p not in found}) if found else tree


def find_manifests(tree: Tree) -> tuple[tuple[str, str], ...]:
    """(path, text) of what dbt may have written, in path order."""
    folders = find_dbt_folders(tree.files)
    return tuple((path, text) for path, text in sorted(tree.files.items()) if is_manifest(path, folders))


async def fetch_seen(
    trees: Sequence[Tree], naming: Naming, config: Config, catalog: CatalogReads | None
) -> tuple[Seen, ...]:
    """What the catalog has of each tree's dbt projects; one request for all of them. Raises as the catalog."""
    projects = [tree if find_dbt_folders(tree.files) else Tree({}) for tree in trees]
    words = [await asyncio.to_thread(_find_words, tree) for tree in projects]
    entities = [tuple(_find_datasets(naming, config, names, of_dbt=True)) for names in words]
    urns = frozenset(entity.urn for found in entities for entity in found)
    graph = LineageGraph().extend(await catalog.fetch_aspects(urns)) if catalog and urns else LineageGraph()
    return tuple(
        Seen(_find_nodes(found, graph, config), _find_tables(naming, config, names))
        for found, names in zip(entities, words, strict=True)
    )


def _find_words(tree: Tree) -> frozenset[str]:
    """Lower case: every name that a node, or a table of a source, of the tree's projects may have."""
    found: set[str] = set()
    for path, text in tree.files.items():
        if path.endswith(_NODES):
            found.add(PurePosixPath(path).stem.lower())
        patterns = _IN_SQL if path.endswith(".sql") else _IN_YAML if path.endswith((".yml", ".yaml")) else ()
        for pattern in patterns:
            found.update(name.lower() for match in pattern.finditer(text) for name in match.groups() if name)
    return frozenset(found)


def _find_datasets(naming: Naming, config: Config, names: Iterable[str], *, of_dbt: bool) -> Iterator[DatasetName]:
    rules = config.catalog
    for name in sorted(names):
        for dataset in naming.by_last.get(name, ()):
            foreign = not of_dbt and rules.platform not in (None, dataset.platform)
            if of_dbt == (dataset.platform == "dbt") and not foreign and dataset.env.upper() == rules.env.upper():
                yield dataset


def _find_nodes(entities: Iterable[DatasetName], graph: LineageGraph, config: Config) -> dict[str, tuple[Parts, ...]]:
    found: dict[str, dict[Parts, None]] = {}
    for entity in entities:
        properties = graph.aspect(entity.urn, "datasetProperties").get("customProperties") or {}
        unique = properties.get("dbt_unique_id")
        if unique and properties.get("materialization") != "ephemeral":
            stored = _find_table(entity, graph.aspect(entity.urn, "siblings"), config)
            found.setdefault(str(unique), {})[_parts(stored, config)] = None
    return {unique: tuple(names) for unique, names in sorted(found.items())}


def _find_table(entity: DatasetName, siblings: Mapping[str, Any], config: Config) -> DatasetName:
    """The warehouse's table that the entity stands for, where the catalog says so; else the entity, which is called alike."""
    named = [parse_dataset(str(urn)) for urn in siblings.get("siblings") or ()]
    tables = [table for table in named if table is not None and table.platform != "dbt"]
    fitting = [table for table in tables if table.env.upper() == config.catalog.env.upper()]
    return fitting[0] if len(fitting) == 1 else entity


def _find_tables(naming: Naming, config: Config, names: Iterable[str]) -> dict[str, tuple[Parts, ...]]:
    found: dict[str, dict[Parts, None]] = {}
    for table in _find_datasets(naming, config, names, of_dbt=False):
        found.setdefault(table.parts[-1].lower(), {})[_parts(table, config)] = None
    return {name: tuple(parts) for name, parts in found.items()}


def _parts(name: DatasetName, config: Config) -> Parts:
    """Without the platform's instance; at most database, schema and identifier."""
    parts = name.parts
    instance = config.catalog.instance
    if instance and len(parts) > 1 and parts[0].lower() == instance.lower():
        parts = parts[1:]
    return parts[-3:]
