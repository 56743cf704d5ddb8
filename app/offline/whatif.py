"""What if this column were dropped: who reads it, and which models stand behind. One tree as it is; nothing is written.

The models and what is unknown about them are a check's of exactly that change, so that the two never disagree. Without a
catalog the answer is the SQL's alone, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from app.change import ParsedFile, Removal, find_schema
from app.effects import ReachedModel, WhatIf
from app.offline.judge import HERE, judge_removal
from app.offline.subject import WHOLE, Subject, choose_subject, find_subjects
from app.ports import CatalogReads, Isolation
from app.review.config import find_config_text, parse_config
from app.review.follow import Followed, fetch_catalog_schema, find_platform
from app.source.indexing import build_index
from app.source.known_names import learn_names, without_manifests
from app.source.parsing import ParsedTree, TreeParser
from app.source.schemas import find_relations
from app.trail import (
    Naming,
    SqlIndex,
    Trail,
    decide_serving,
    find_last_trained,
    find_model_name,
    find_owner,
    find_readers,
    find_unread,
)
from app.words import Config, Evidence, Schema, Tree, Unknown


async def ask_what_if(
    text: str, column: str | None, *, tree: Tree, catalog: CatalogReads | None, isolation: Isolation
) -> WhatIf:
    """`text` is RELATION or RELATION.COLUMN as a person types it, `column` what `--column` adds.

    Raises `Permanent` for a name that nothing knows, `ConfigError` for the tree's `.tether.yml`, and what the catalog raises.
    """
    config = parse_config(find_config_text(tree))
    naming = Naming.of(await catalog.fetch_urns("dataset") if catalog else (), config)
    parser = TreeParser(isolation, config, find_platform(naming, config))
    await learn_names(parser, (tree,), naming, config, catalog)
    tree = without_manifests(tree)
    asked = await _read(text, column, tree, naming, catalog, parser)
    index = build_index(HERE, asked.parsed)
    if catalog is None:
        return _answer(asked, index, naming, config)
    followed, verdict = await judge_removal(
        asked.removal, index, naming, config, schema=asked.schema, catalog=catalog, parser=parser
    )
    return _answer(asked, followed.index, naming, config, followed, verdict.unknowns)


# --- read ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Asked:
    subject: Subject
    parsed: ParsedTree
    schema: Schema

    @property
    def removal(self) -> Removal:
        """As if somebody had written it: no file and no line says so."""
        relation, column = self.subject.relation, self.subject.column
        return Removal("relation_dropped" if column is None else "column_dropped", relation, column, Evidence("", 0))


async def _read(
    text: str, column: str | None, tree: Tree, naming: Naming, catalog: CatalogReads | None, parser: TreeParser
) -> _Asked:
    """The tree, twice: to learn which relations there are, then with what is known of them."""
    first = await parser.parse(tree, {})
    relations = find_relations(first.files)
    stored = (naming.relation(name.urn) for names in naming.by_last.values() for name in names)
    subjects = find_subjects(text, column, relations.union(stored), naming)
    wanted = relations.union(subject.relation for subject in subjects)
    held = await fetch_catalog_schema(wanted, naming, catalog, parser) if catalog else {}
    schema = find_schema(first.files, held)
    parsed = await parser.parse(tree, schema)
    return _Asked(choose_subject(text, subjects, _find_columns(parsed.files, schema, naming)), parsed, schema)


def _find_columns(files: Iterable[ParsedFile], schema: Schema, naming: Naming) -> Callable[[str], frozenset[str]]:
    """relation -> the columns that the schema or any statement names, and "*" where the schema does not know it."""
    known: dict[str, set[str]] = {}
    for relation, columns in schema.items():
        known.setdefault(naming.key(relation), set()).update(columns)
    closed = frozenset(known)
    for file in files:
        for statement in file.statements:
            if target := statement.target or file.relation:
                known.setdefault(naming.key(target), set()).update(output.name for output in statement.outputs)
            for read in statement.reads:
                if read.kind != "width" and read.column != WHOLE:
                    known.setdefault(naming.key(read.relation), set()).add(read.column)

    def columns_of(relation: str) -> frozenset[str]:
        key = naming.key(relation)
        return frozenset(known.get(key, ())) | (frozenset() if key in closed else frozenset({WHOLE}))

    return columns_of


# --- answer --------------------------------------------------------------------------------------------------------


def _answer(
    asked: _Asked,
    index: SqlIndex,
    naming: Naming,
    config: Config,
    followed: Followed | None = None,
    unknowns: tuple[Unknown, ...] = (),
) -> WhatIf:
    subject, schema, graph = asked.subject, asked.schema, followed.graph if followed else None
    found = find_readers(index, naming, subject.relation, subject.column, schema=schema)
    features = [urn for urn in graph.aspects if graph.exists(urn)] if graph else []
    opaque = find_unread(index, naming, asked.removal, features=features, config=config, schema=schema)
    own = [Unknown("", file.why, file.path, file.line) for file in opaque]
    own += [Unknown("", _doubt(f.line), f.path, f.line) for f in found if not f.certain]
    own += [Unknown("", why, path) for path, why in sorted(asked.parsed.tree.unread.items())]
    given = {(unknown.path, unknown.line or 1) for unknown in own}
    own += [unknown for unknown in unknowns if not unknown.path or (unknown.path, unknown.line or 1) not in given]
    return WhatIf(
        subject.relation,
        subject.column,
        readers=tuple(reader for reader in found if reader.certain),
        unknown=tuple(dict.fromkeys(own)),
        models=_models(followed, config) if followed else (),
        with_catalog=followed is not None,
        files_read=len({file.path for file in asked.parsed.files}),
    )


def _doubt(line: int) -> str:
    return f"line {line} may read it, or a column of that name elsewhere; write the table before the column"


def _models(followed: Followed, config: Config) -> tuple[ReachedModel, ...]:
    """One for each model, in the order in which the walk came to them."""
    trails: dict[str, list[Trail]] = {}
    for trail in followed.walk.trails:
        if trail.model is not None:
            trails.setdefault(trail.model, []).append(trail)
    return tuple(_model(model, group, followed, config) for model, group in trails.items())


def _model(model: str, trails: list[Trail], followed: Followed, config: Config) -> ReachedModel:
    graph, first = followed.graph, trails[0]
    serving = decide_serving(model, graph, config)
    trained = find_last_trained(model, graph)
    return ReachedModel(
        model,
        find_model_name(model, graph),
        features=tuple(dict.fromkeys(trail.feature for trail in trails if trail.feature)),
        owner=find_owner(first, graph, config),
        last_trained=trained.day,
        last_trained_rule=trained.rule,
        serving=serving.state,
        serving_rule=serving.rule,
        trail=tuple(step.urn for step in first.steps),
    )
