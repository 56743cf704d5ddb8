"""Whole default branches and a catalog -> every edge that SQL proves, those that the catalog lacks, and all that is refused.

For the back-fill and for keeping what was written; a review asks the same of the few features that its change reaches. Each
repository is read with its own `.tether.yml`. Repositories that name the catalog alike (platform, env, instance) are read as
one, so that a feature of one is followed through the views of another. Nothing is written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from app.change import find_schema
from app.lineage.served import Served, fetch_served
from app.ports import CatalogReads, Isolation, ParseRows
from app.repair import ProvenEdge, Refusal, find_declared, find_missing, find_served, prove_edges
from app.review.follow import fetch_catalog_schema, find_platform
from app.source.indexing import build_index, join_indexes
from app.source.known_names import learn_names, without_manifests
from app.source.parsing import ParsedTree, TreeParser, merge_schemas
from app.source.schemas import find_relations
from app.trail import GraphSlice, LineageGraph, Naming, SqlIndex, find_feature_sources
from app.words import CONFIG_PATH, CatalogNaming, Config, Evidence, FeatureConfig, Permanent, Repo, Schema, Tree


@dataclass(frozen=True, slots=True)
class Branch:
    """The default branch of one repository as it is now, with the configuration that stands on it."""

    repo: Repo
    tree: Tree
    config: Config


@dataclass(frozen=True, slots=True)
class RepairPlan:
    """`proven` is all that SQL says, `missing` what of it the catalog lacks. `features` were asked about; `graph` holds the
    catalog's aspects of them, of their datasets and of the models. `opaque`: files that nobody understood, by repository.
    `notes` say what could not be looked at.
    """

    proven: tuple[ProvenEdge, ...]
    missing: tuple[ProvenEdge, ...]
    refusals: tuple[Refusal, ...]
    features: frozenset[str]
    graph: LineageGraph
    naming: Naming
    served: Served
    opaque: frozenset[tuple[str, str]] = frozenset()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Proven:
    """What the groups of repositories say together: a feature is without SQL only where none of them has any."""

    edges: dict[ProvenEdge, None] = field(default_factory=dict)
    missing: dict[ProvenEdge, None] = field(default_factory=dict)
    refusals: dict[Refusal, None] = field(default_factory=dict)
    absent: dict[str, list[Refusal]] = field(default_factory=dict)
    opaque: set[tuple[str, str]] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)


async def fetch_repair_plan(
    branches: Sequence[Branch],
    *,
    catalog: CatalogReads,
    isolation: Isolation,
    cache: ParseRows | None = None,
    only: frozenset[str] | None = None,
) -> RepairPlan:
    """`only`: these features, else all of the catalog. Raises as the catalog."""
    datasets = await catalog.fetch_urns("dataset")
    groups = _group(branches)
    config = join_configs([branch for group in groups for branch in group])
    served = await fetch_served(catalog, config)
    features, note = await _fetch_features(catalog, served, only)
    graph = served.graph.extend(await catalog.fetch_aspects(features))
    sources = frozenset(urn for feature in features for urn in find_feature_sources(graph, feature))
    graph = graph.extend(await catalog.fetch_aspects(sources - graph.aspects.keys()))
    proven = _Proven(notes=[note] if note else [])
    for group in groups:
        settings = join_configs(group)
        naming = Naming.of(datasets, settings)
        index, schema = await _read(group, datasets, catalog, isolation, cache, proven)
        graph = graph.extend(await _fetch_named(index, naming, catalog, graph))
        _prove(index, graph, naming, schema, features, settings, proven)
    for branch in branches:
        _declare(branch, graph, config, proven)
    absent = (found[0] for found in proven.absent.values() if len(found) == len(groups))
    return RepairPlan(
        tuple(proven.edges),
        tuple(proven.missing),
        (*proven.refusals, *absent),
        features,
        graph,
        Naming.of(datasets, config),
        served,
        frozenset(proven.opaque),
        (*proven.notes, *graph.reasons, *graph.strange),
    )


async def _fetch_features(
    catalog: CatalogReads, served: Served, only: frozenset[str] | None
) -> tuple[frozenset[str], str]:
    if only is not None:
        return only, ""
    try:
        return frozenset(await catalog.fetch_urns("mlFeature")) | served.features, ""
    except Permanent as error:
        return served.features, f"only the features of serving models were looked at: {error}"


def _group(branches: Iterable[Branch]) -> list[list[Branch]]:
    """By how their names become urns, in a steady order."""
    groups: dict[tuple[str, str, str], list[Branch]] = {}
    for branch in branches:
        rules = branch.config.catalog
        groups.setdefault((rules.platform or "", rules.env.upper(), rules.instance or ""), []).append(branch)
    return [groups[key] for key in sorted(groups)]


def join_configs(branches: Sequence[Branch]) -> Config:
    """One configuration for several repositories: names are complete by then, and a mapped file is that repository's own."""
    if len(branches) == 1:
        return branches[0].config
    rules = [branch.config.catalog for branch in branches]
    naming = CatalogNaming(
        _same([rule.platform for rule in rules]),
        _same([rule.env for rule in rules]) or "PROD",
        _same([rule.instance for rule in rules]),
        _same([rule.database for rule in rules]),
        _same([rule.schema for rule in rules]),
    )
    features: dict[str, FeatureConfig] = {}
    for branch in branches:
        for name, entry in branch.config.features.items():
            sql = f"{branch.repo.full_name}:{entry.sql.removeprefix('./')}" if entry.sql else None
            features.setdefault(name, replace(entry, sql=sql))
    models = {name: entry for branch in branches for name, entry in branch.config.models.items()}
    return Config(found=True, catalog=naming, features=features, models=models)


def _same(values: Sequence[str | None]) -> str | None:
    return values[0] if values and all(value == values[0] for value in values) else None


async def _read(
    group: Sequence[Branch],
    datasets: Sequence[str],
    catalog: CatalogReads,
    isolation: Isolation,
    cache: ParseRows | None,
    proven: _Proven,
) -> tuple[SqlIndex, Schema]:
    """Twice, as a review does: to learn which relations are named, then with what is known of them."""
    parsers: list[tuple[Branch, TreeParser, ParsedTree]] = []
    schema: Schema = {}
    for branch in group:
        naming = Naming.of(datasets, branch.config)
        parser = TreeParser(isolation, branch.config, find_platform(naming, branch.config), cache)
        proven.notes += await learn_names(parser, (branch.tree,), naming, branch.config, catalog)
        read = replace(branch, tree=without_manifests(branch.tree))
        first = await parser.parse(read.tree, {})
        held = await fetch_catalog_schema(find_relations(first.files), naming, catalog, parser)
        schema = merge_schemas(schema, find_schema(first.files, held))
        parsers.append((read, parser, first))
    indexes = []
    for branch, parser, _ in parsers:
        index = build_index(branch.repo, await parser.parse(branch.tree, schema))
        proven.opaque.update((branch.repo.full_name, file.path) for file in index.opaque)
        indexes.append(index)
    return join_indexes(indexes), schema


async def _fetch_named(index: SqlIndex, naming: Naming, catalog: CatalogReads, graph: LineageGraph) -> GraphSlice:
    """Aspects of every dataset that the SQL names: how their columns are spelled, and what stands before a feature's own."""
    statements = [reader.statement for reader in index.readers]
    names = {name for s in statements for name in (*s.relations, s.target) if name}
    urns = frozenset(urn for name in names if (urn := naming.resolve(name).urn))
    return await catalog.fetch_aspects(urns - graph.aspects.keys())


def _declare(branch: Branch, graph: LineageGraph, config: Config, proven: _Proven) -> None:
    """What the repository's own lists say of models."""
    edges: dict[ProvenEdge, None] = {}
    for path, text in branch.tree.files.items():
        where = Evidence(path, 1, "", "base", branch.repo.full_name, branch.tree.commit)
        if path == CONFIG_PATH:
            edges |= dict.fromkeys(find_declared(text, where, branch.config, graph))
        elif path.endswith(".py"):
            edges |= dict.fromkeys(find_served(text, where, graph))
    proven.edges.update(edges)
    proven.missing.update(dict.fromkeys(find_missing(edges, graph, Naming.of((), config))))


def _prove(
    index: SqlIndex,
    graph: LineageGraph,
    naming: Naming,
    schema: Schema,
    features: frozenset[str],
    config: Config,
    proven: _Proven,
) -> None:
    proofs = prove_edges(index, graph, naming, schema, features, config)
    proven.edges.update(dict.fromkeys(proofs.edges))
    proven.missing.update(dict.fromkeys(find_missing(proofs.edges, graph, naming)))
    proven.refusals.update(dict.fromkeys(proofs.refusals))
    for refusal in proofs.absent:
        proven.absent.setdefault(refusal.feature, []).append(refusal)
