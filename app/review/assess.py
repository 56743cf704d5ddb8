"""Decide about one change: trees and a catalog in, everything that is to be said and written out.

The same for the App, the command line and the bench; it knows no GitHub and writes nothing. Fetch, decide, fetch, decide:
each `await` brings facts, each call between them is a pure function of the core.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from app.change import (
    ParsedFile,
    Removal,
    RemovalReport,
    find_conflicts,
    find_dbt_folders,
    find_removals,
    find_schema,
    find_unread_writers,
    is_relevant,
)
from app.effects import Completeness, ReviewFacts, ReviewSubject, may_see
from app.ports import CatalogReads, Isolation, ParseRows
from app.repair import ProvenEdge, Refusal, find_edges
from app.review.exposures import cite_exposures
from app.review.follow import Followed, fetch_known, find_platform, follow
from app.source.absent import find_absent
from app.source.filled import apply_fills, fetch_fills
from app.source.indexing import build_index, join_indexes, mark_head
from app.source.known_names import learn_names, without_manifests
from app.source.parsing import ParsedTree, TreeParser, merge_schemas, overlay
from app.source.schemas import find_relations
from app.source.views import CATALOG_REPO
from app.trail import (
    LineageGraph,
    Naming,
    OpaqueFile,
    SqlIndex,
    Trail,
    Walk,
    find_silences,
    find_without_inputs,
    listen,
)
from app.verdict import RULES, Verdict, find_weakening, judge, observe
from app.words import Config, Evidence, Repo, Schema, Tree, Unknown


@dataclass(frozen=True, slots=True)
class ChangeInputs:
    """One change. `base` is the merge base, `tip` the base branch's tip, `others` the SQL of the other repositories.

    `changed` are the paths whose content differs between merge base and head. `extra` are unknowns that the gathering met
    (a truncated listing, a file that could not be fetched). `settings` says where the configuration comes from, if not from
    the repository alone. `sharing`: with whom each of the others shares its evidence.
    """

    subject: ReviewSubject
    base: Tree
    head: Tree
    tip: Tree
    others: tuple[tuple[Repo, Tree], ...] = ()
    config: Config = field(default_factory=Config)
    changed: frozenset[str] = frozenset()
    extra: tuple[Unknown, ...] = ()
    settings: str = ""
    sharing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def repo(self) -> Repo:
        return self.subject.repo


@dataclass(frozen=True, slots=True)
class Assessment:
    """The facts, and what they rest on for whoever looks further: the walk, and the base's schema."""

    facts: ReviewFacts
    walk: Walk = field(default_factory=Walk)
    schema: Schema = field(default_factory=dict)


class Assess(Protocol):
    """`assess`, or what stands in for it."""

    async def __call__(
        self, change: ChangeInputs, /, *, catalog: CatalogReads, isolation: Isolation, cache: ParseRows | None = None
    ) -> Assessment: ...


async def assess(
    change: ChangeInputs, *, catalog: CatalogReads, isolation: Isolation, cache: ParseRows | None = None
) -> Assessment:
    """Raises `Transient` when the catalog cannot be read now, `Permanent` when it refuses."""
    dbt = find_dbt_folders(
        path for tree in (change.base, change.head, change.tip) for path in (*tree.files, *tree.unread)
    )
    changed = frozenset(path for path in change.changed if is_relevant(path, change.config, dbt=dbt))
    unread = find_unread_writers((change.base.files, change.head.files), change.changed - changed, {}, change.config)
    if not changed and not change.extra and not unread:
        return _nothing_to_judge(change)
    naming = Naming.of(await catalog.fetch_urns("dataset"), change.config)
    parser = TreeParser(isolation, change.config, find_platform(naming, change.config), cache)
    others = [tree for _, tree in change.others]
    notes = await learn_names(parser, (change.tip, *others), naming, change.config, catalog)
    change = _without_manifests(change)
    trees = await _parse_trees(change, parser, naming, catalog)
    report = _find_removals(change, trees, changed, naming)
    index = _build_index(change, trees)
    silences = find_silences(
        {removal.relation for removal in report.removals} - report.created,
        trees.base.files,
        trees.head.files,
        index.opaque,
        naming,
        change.config,
        changed=changed,
        projects=dbt,
    )
    report = replace(report, created=report.created | {one.relation for one in silences})
    heard = listen(naming, silences, change.config)
    followed = await follow(report, index, heard, change.config, schema=trees.schema, catalog=catalog, parser=parser)
    walked, graph = followed.walk, followed.graph
    in_scope = change.config.found or any(naming.resolve(r).urn for r in find_relations(trees.own_files))
    removals = (*report.removals, *_find_clashing(report.added, walked))
    verdict = judge(report, walked, graph, naming, change.config, in_scope=in_scope, extra=change.extra)
    verdict = cite_exposures(verdict, ((change.repo, trees.after.tree), *change.others))
    if change.config.mode == "observe":
        verdict = observe(verdict)
    edges, refusals = _find_edges(change, trees, walked, graph, naming)
    facts = ReviewFacts(
        subject=change.subject,
        verdict=verdict,
        removals=removals,
        edges=edges,
        refusals=refusals,
        completeness=_completeness(change, trees, followed, naming, (*notes, *(one.note for one in silences))),
        evidence_repos=(change.repo, *(repo for repo, _ in change.others), CATALOG_REPO),
        sharing=dict(change.sharing),
        datasets=tuple((r, urn) for r in sorted({r.relation for r in removals}) if (urn := naming.resolve(r).urn)),
    )
    return Assessment(facts, walked, trees.schema)


def _find_removals(change: ChangeInputs, trees: _Trees, changed: frozenset[str], naming: Naming) -> RemovalReport:
    report = find_removals(
        trees.base.files,
        trees.head.files,
        changed=_changed_texts(changed, trees),
        catalog=trees.catalog_schema,
        config=change.config,
        readers=trees.reader_files,
        texts=(change.base.files, change.head.files),
    )
    conflicts = find_conflicts(trees.tip.files, trees.after.files, changed)
    unknowns = dict.fromkeys((*report.unknowns, *conflicts, *_unread(change, changed)))
    unread = _find_unread_writes(change, trees, naming)
    return replace(report, unknowns=tuple(unknowns), removals=(*report.removals, *unread))


def _build_index(change: ChangeInputs, trees: _Trees) -> SqlIndex:
    """Who reads what, once the change is merged: its own repository and the others."""
    commit = change.head.commit or change.subject.head_sha
    own = mark_head(build_index(change.repo, trees.after), change.changed, commit, change.base.files)
    index = join_indexes([own, *(build_index(repo, tree) for repo, tree in trees.others)])
    return replace(index, opaque=(*index.opaque, *_find_absent(change, trees)))


def _find_clashing(added: tuple[Removal, ...], walked: Walk) -> tuple[Removal, ...]:
    """Of the columns that are only added, those that somebody notices."""
    met = {trail.removal for trail in walked.trails} | {question.removal for question in walked.questions}
    return tuple(removal for removal in added if removal in met)


def _without_manifests(change: ChangeInputs) -> ChangeInputs:
    base, head, tip = map(without_manifests, (change.base, change.head, change.tip))
    others = tuple((repo, without_manifests(tree)) for repo, tree in change.others)
    return replace(change, base=base, head=head, tip=tip, others=others)


def _nothing_to_judge(change: ChangeInputs) -> Assessment:
    sentence = find_weakening(RULES, change.config.policy)
    verdict = Verdict("pass", "Passed: no SQL changed", notes=(sentence,) if sentence else ())
    return Assessment(ReviewFacts(change.subject, verdict))


# --- parse ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Trees:
    base: ParsedTree
    head: ParsedTree
    after: ParsedTree  # the tip with the change laid over it: the readers
    tip: ParsedTree  # the default branch as it is
    proofs: ParsedTree  # the same, with what its SQL itself says alone: evidence for write-back
    others: tuple[tuple[Repo, ParsedTree], ...]
    catalog_schema: Schema
    schema: Schema  # of the base, DDL over catalog
    known: LineageGraph  # the datasets that the trees name

    @property
    def own_files(self) -> tuple[ParsedFile, ...]:
        return (*self.base.files, *self.head.files)

    @property
    def reader_files(self) -> list[ParsedFile]:
        return [*self.after.files, *(file for _, tree in self.others for file in tree.files)]


async def _parse_trees(change: ChangeInputs, parser: TreeParser, naming: Naming, catalog: CatalogReads) -> _Trees:
    """Twice: once to learn which relations are named, then again with what the catalog and the DDL know of them."""
    parser.note_places((change.base, change.head, change.tip))
    trees = (change.base, change.head, overlay(change.tip, change.head, change.changed), change.tip)
    lasting = {id(change.base), id(change.tip)}  # branches; head and what is laid over the tip are somebody's own
    first = [await parser.parse(tree, {}, lasting=id(tree) in lasting) for tree in trees]
    others = [(repo, await parser.parse(tree, {})) for repo, tree in change.others]
    fills = await fetch_fills(trees, naming, change.config, parser.isolation)
    relations = find_relations(f for tree in (*first, *(t for _, t in others)) for f in tree.files)
    relations |= {name for one, tree in zip(fills, first, strict=True) for name in one.find_relations(tree.files)}
    catalog_schema, known = await fetch_known(relations, naming, catalog, parser)
    called = fills[0].find_called_after(first[0].files, catalog_schema)
    fills = tuple(replace(one, called={**called, **one.called}) for one in fills)
    first = apply_fills(fills, first)
    base_schema = find_schema(first[0].files, catalog_schema)
    both = merge_schemas(base_schema, find_schema(first[1].files, catalog_schema))
    tip_schema = merge_schemas(base_schema, find_schema(first[3].files, catalog_schema))
    schemas = (base_schema, both, merge_schemas(both, tip_schema), tip_schema)
    parsed = [
        await parser.parse(tree, schema, lasting=id(tree) in lasting)
        for tree, schema in zip(trees, schemas, strict=True)
    ]
    base, head, after, tip = apply_fills(fills, parsed)
    return _Trees(
        base=base,
        head=head,
        after=after,
        tip=tip,
        proofs=parsed[3],
        others=tuple([(repo, await parser.parse(tree, tip_schema)) for repo, tree in change.others]),
        catalog_schema=catalog_schema,
        schema=base_schema,
        known=known,
    )


def _changed_texts(changed: frozenset[str], trees: _Trees) -> frozenset[str]:
    """Changed files, and files whose rendered SQL, or table, changed because something else did (a macro, a variable, a job)."""
    before = _rendered(trees.base)
    now = _rendered(trees.head)
    filled = {(file.path, file.relation) for file in trees.base.files} ^ {
        (f.path, f.relation) for f in trees.head.files
    }
    rendered = {path for path in before.keys() | now.keys() if before.get(path) != now.get(path)}
    return changed | rendered | {path for path, _ in filled}


def _rendered(parsed: ParsedTree) -> dict[str, list[object]]:
    found: dict[str, list[object]] = {}
    for text in parsed.texts:
        found.setdefault(text.path, []).append(replace(text, lines=()))
    return found


def _unread(change: ChangeInputs, changed: frozenset[str]) -> tuple[Unknown, ...]:
    return tuple(
        Unknown(f"{path} could not be read", why, path, 1)
        for path in sorted(changed)
        if (why := change.head.unread.get(path) or change.base.unread.get(path))
    )


def _find_unread_writes(change: ChangeInputs, trees: _Trees, naming: Naming) -> Iterator[Removal]:
    """A table that the change writes by code which nobody reads may lose any column."""
    texts = (*trees.base.texts, *trees.head.texts)
    built = {text.path: text.relation for text in texts if text.relation is not None and text.path.endswith(".py")}
    writers = find_unread_writers((change.base.files, change.head.files), change.changed, built, change.config)
    for one in writers:
        urns = (naming.resolve(one.name).urn,) if one.name == built.get(one.path) else naming.called(one.name)
        for urn in filter(None, urns):
            kind = "Python" if one.path.endswith((".py", ".ipynb")) else "no SQL"
            detail = f"{one.path} writes it: {kind}, whose columns cannot be told"
            evidence = Evidence(one.path, one.line, one.text, one.side)
            yield Removal("writer_is_unread", naming.relation(urn), None, evidence, certain=False, detail=detail)


def _find_absent(change: ChangeInputs, trees: _Trees) -> Iterator[OpaqueFile]:
    """In the repository as it will be, and in the others; what the change itself touches is an unknown of its own."""
    known = {repo.full_name for repo, _ in change.others}
    own = find_absent(change.repo, trees.after.tree, change.config, known)
    yield from (file for file in own if file.path not in change.changed)
    for repo, tree in change.others:
        yield from find_absent(repo, tree, change.config, known)


# --- repair and completeness ---------------------------------------------------------------------------------------


def _find_edges(
    change: ChangeInputs, trees: _Trees, walked: Walk, graph: LineageGraph, naming: Naming
) -> tuple[tuple[ProvenEdge, ...], tuple[Refusal, ...]]:
    """Only from the default branch, only for features this change reaches: the rest is for the repair job."""
    features = frozenset(trail.feature for trail in walked.trails if trail.feature)
    if not features:
        return (), ()
    own = [build_index(change.repo, trees.proofs)] if change.subject.to_default_branch else []
    index = join_indexes([*own, *(build_index(repo, tree) for repo, tree in trees.others)])
    return find_edges(index, graph, naming, trees.schema, features, change.config, known=trees.known)


def _shows_sql(trail: Trail) -> bool:
    """Whether SQL that computes the feature was read: its own line, or the statement that builds the relation it stands in."""
    at = next((n for n, step in enumerate(trail.steps) if step.urn == trail.feature), 0)
    if at == 0:
        return False
    own, before = trail.steps[at], trail.steps[at - 1]
    return (bool(own.evidence) and own.witness != "inferred") or (at > 1 and before.witness == "sql")


def _completeness(
    change: ChangeInputs,
    trees: _Trees,
    followed: Followed,
    naming: Naming,
    notes: tuple[str, ...],
) -> Completeness:
    walked, graph = followed.walk, followed.graph
    relations = find_relations(trees.reader_files)
    told = change.changed - {path for path in change.changed if "submodule" in change.tip.unread.get(path, "")}
    unseen = [f"{path}: {why}" for path, why in sorted(change.tip.unread.items()) if path not in told]
    unseen += [text for repo, tree in change.others for text in _find_unseen(change, repo, tree)]
    features = {trail.feature for trail in walked.trails if trail.feature}
    read = {trail.feature for trail in walked.trails if trail.feature and _shows_sql(trail)}
    paths = {(0, file.path) for file in trees.after.files}
    paths |= {(repo.id, file.path) for repo, tree in trees.others for file in tree.files}
    return Completeness(
        files_read=len(paths),
        relations_resolved=sum(1 for relation in relations if naming.resolve(relation).urn),
        hops=graph.hops,
        entities=walked.entities,
        requests=graph.requests,
        feature_sql_read=len(read),
        feature_sql_refused=len(features - read),
        models_without_inputs=find_without_inputs(followed.models, change.config),
        unbound=walked.unbound,
        index=", ".join(f"{repo.full_name} at {tree.commit[:8]}" for repo, tree in change.others),
        unseen=(*unseen, *_find_notes(change, notes), *walked.notes),
        settings=change.settings,
    )


def _find_unseen(change: ChangeInputs, repo: Repo, tree: Tree) -> list[str]:
    """What of another repository has no text; a path only where it may be shown."""
    if may_see(change.repo, repo, change.sharing.get(repo.full_name, ())):
        return [f"{repo.full_name} {path}: {why}" for path, why in sorted(tree.unread.items())]
    counts = Counter(tree.unread.values())
    return [f"{repo.full_name}: {count} files: {why}" for why, count in sorted(counts.items())]


def _find_notes(change: ChangeInputs, notes: tuple[str, ...]) -> tuple[str, ...]:
    """Notes begin with the repository that they are about, and go on with its paths."""
    shares = change.sharing
    hidden = [r.full_name for r, _ in change.others if not may_see(change.repo, r, shares.get(r.full_name, ()))]
    closed = {note: name for note in notes for name in hidden if note.startswith(f"{name} ")}
    return tuple(f"{closed[note]}: what dbt built there was not read" if note in closed else note for note in notes)
