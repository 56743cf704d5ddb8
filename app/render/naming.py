"""What a node or a source is called in the database: dbt's default rules, or the project's own macros for them.

A part that nobody tells is left out, with all parts above it; it is never guessed. Rules: docs.getdbt.com, "Custom schemas",
"Custom aliases", "Custom databases".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.render.known import MOST_PARTS, Parts, agrees
from app.render.name_origin import describe_naming, describe_source
from app.render.node_config import find_config
from app.render.nodes import Node
from app.render.properties import SourceTable
from app.render.session import FAILURES, Session
from app.render.stubs import Missing, Relation
from app.render.target import SETTING, Target
from app.render.workspace import Workspace


def find_relation(workspace: Workspace, node: Node) -> Relation:
    """The relation that the node builds; computed once."""
    key = id(node)
    found = workspace.relations.get(key)
    if found is None:
        # a naming macro that refs its own node meets this one
        workspace.relations[key] = Relation.of(node.default_alias, missing=SETTING)
        found = workspace.relations[key] = _complete(workspace, node, _name(workspace, node))
        workspace.by_relation.setdefault(str(found), node)
    return found


def fold_relation(relation: Relation, target: Target) -> str:
    """As the other rooms compare it: folded, dotted."""
    return ".".join(target.fold_relation(part) for part in relation.known_parts)


def _complete(workspace: Workspace, node: Node, relation: Relation) -> Relation:
    """With the parts that were seen, while nothing that the name depends on is otherwise than it was then."""
    parts = relation.known_parts
    known = workspace.known.relations.get(node.unique_id) if len(parts) < MOST_PARTS else None
    if known is None or len(known.parts) <= len(parts) or not agrees(parts, known.parts):
        return relation
    if known.as_of != describe_naming(workspace, node):
        return relation
    return _of(known.parts[:-1] + parts[-1:], workspace.home_of(node).target)


def _of(parts: Parts, target: Target) -> Relation:
    *above, identifier = parts[-MOST_PARTS:]
    schema = above[-1] if above else None
    database = above[-2] if len(above) > 1 else None
    return Relation.of(identifier, schema, database, quote=target.quote, quotes=target.quotes, missing=SETTING)


def unknown_relation(session: Session, name: str) -> Relation:
    """What a name means that no node has: it stays visible, where the project builds."""
    target = session.home.target
    return Relation.of(name, target.schema, target.database, quote=target.quote, quotes=target.quotes, missing=SETTING)


def find_outside_relation(session: Session, name: str, package: str | None) -> Relation:
    """What a name means that no node of the tree has: a node of a package that was seen elsewhere, else as it stands."""
    parts = session.workspace.known.find_outside(("model", "seed", "snapshot"), package, name)
    return unknown_relation(session, name) if parts is None else _of(parts, session.home.target)


def find_source_relation(session: Session, source: str, table: str) -> Relation:
    """A source's table; parts that its file leaves out are dbt's defaults (schema: its name, database: the target's)."""
    target = session.home.target
    found = None if session.capturing else session.workspace.find_source(session.home, source, table)
    if not session.capturing:
        session.note_ref(f"source('{source}', '{table}')", None, found=found is not None and found.name == table)
    if found is None:
        parts = session.workspace.known.find_outside(("source",), None, f"{source}.{table}")
        if parts is not None:
            return _of(parts, target)
        return Relation.of(table, source, target.database, quote=target.quote, quotes=target.quotes, missing=SETTING)
    quoted = {name for name, on in found.quoting.items() if on}

    identifier = _text(session, found.identifier or table) or table
    schema = _text(session, found.schema)
    database = _text(session, found.database) if found.database is not None else ""
    database = target.database if database == "" else database  # a template may leave it to the target
    if schema is None or database is None:
        schema, database = _complete_source(session, found, (identifier, schema, database))
    exact = {
        value
        for name, value in (("identifier", identifier), ("schema", schema), ("database", database))
        if name in quoted
    }

    def quote(text: str) -> str:
        return target.quoted(text) if text in exact else target.quote(text)

    return Relation.of(identifier, schema, database, quote=quote, quotes=target.quotes, missing=SETTING)


def _complete_source(
    session: Session, found: SourceTable, told: tuple[str, str | None, str | None]
) -> tuple[str | None, str | None]:
    """(schema, database), each as the tree tells it or as it was seen."""
    identifier, schema, database = told
    known = session.workspace.known.relations.get(f"source.{found.project}.{found.source}.{found.name}")
    if known is None or known.as_of != describe_source(found) or known.parts[-1].lower() != identifier.lower():
        return schema, database
    seen = (None, None, *known.parts[:-1])
    if schema is not None and (seen[-1] or "").lower() != schema.lower():
        return schema, database
    if database is not None and seen[-2] is not None and seen[-2].lower() != database.lower():
        return schema, database
    return schema or seen[-1], database or seen[-2]


def _text(session: Session, value: str) -> str | None:
    try:
        text = session.told(lambda: session.text(value))
        return None if isinstance(text, Missing) or "zz_" in str(text) else str(text)
    except FAILURES:
        return None  # then the part is not known, and the relation is named without it


def _name(workspace: Workspace, node: Node) -> Relation:
    home = workspace.home_of(node)
    target = home.target
    config = find_config(workspace, node)
    host = (home.host or home).macros.sources
    session = workspace.make_session(home, node) if any("generate_" in name for name in host) else None
    alias = _part(session, "alias", config.get("alias"), _default_alias(node))
    fixed_schema = config.get("target_schema") if node.kind == "snapshot" else None
    fixed_database = config.get("target_database") if node.kind == "snapshot" else None
    schema = _literal(fixed_schema) or _part(
        session, "schema", _either(config, "schema", "dataset"), _default_schema(target)
    )
    database = _literal(fixed_database) or _part(
        session, "database", _either(config, "database", "project", "catalog"), lambda custom: custom or target.database
    )
    return Relation.of(
        alias or node.default_alias, schema, database, quote=target.quote, quotes=target.quotes, missing=SETTING
    )


def _either(config: dict[str, Any], *names: str) -> object:
    return next((config[name] for name in names if config.get(name) is not None), None)


def _literal(value: object) -> str | None:
    return None if value is None or isinstance(value, Missing) else str(value)


def _default_alias(node: Node) -> Callable[[str | None], str | None]:
    return lambda custom: custom or node.default_alias


def _default_schema(target: Target) -> Callable[[str | None], str | None]:
    def schema(custom: str | None) -> str | None:
        if not custom:
            return target.schema
        return None if target.schema is None else f"{target.schema}_{custom}"

    return schema


def _part(
    session: Session | None, what: str, custom: object, default: Callable[[str | None], str | None]
) -> str | None:
    """One part of the name; None where its value cannot be told."""
    if isinstance(custom, Missing):
        return None
    text = None if custom is None else str(custom).strip()
    macro = _find_macro(session, f"generate_{what}_name") if session is not None else None
    if session is None or macro is None:
        return default(text)
    try:
        name = str(session.told(lambda: session.call(macro, text, session.functions["model"]))).strip()
    except FAILURES:
        return None  # the project's own rule needs what is not known
    return name if name and "zz_" not in name else None


def _find_macro(session: Session, name: str) -> Callable[..., Any] | None:
    scope = session.scope(session.home.host or session.home)
    names = (name, *(f"{prefix}__{name}" for prefix in session.home.target.adapters))
    return next((macro for each in names if (macro := scope.macro(each)) is not None), None)
