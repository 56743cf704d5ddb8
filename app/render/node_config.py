"""The configuration of one node: dbt_project.yml < property files < config() in the file itself.

What config() says is needed before anything is rendered (other models name this one), so it is read from the template's tree:
literal arguments as they stand, and anything else by a first rendering in which no other node is looked at.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from app.render.compiled import read_template
from app.render.nodes import Node
from app.render.paths import is_templated
from app.render.session import FAILURES
from app.render.stubs import CallText, Missing
from app.render.target import SETTING
from app.render.workspace import Workspace

#: the columns by which a snapshot or an incremental model compares its rows with those that are there
KEYS: Final = ("unique_key", "updated_at", "check_cols")
#: the only keys that other nodes, or the rooms behind this one, ask for
_KEYS: Final = (
    *("alias", "schema", "dataset", "database", "project", "catalog", "enabled", "materialized"),
    "on_schema_change",
    "snapshot_meta_column_names",
    "hard_deletes",
    "target_schema",
    "target_database",
    "delimiter",
    "quote_columns",
    *KEYS,
)


def find_config(workspace: Workspace, node: Node) -> dict[str, Any]:
    """Values by key; one that cannot be told is a `Missing`. Computed once."""
    found = workspace.configs.get(id(node))
    if found is None:
        workspace.configs[id(node)] = {}  # what a template's config() asks about itself while it is being told
        found = workspace.configs[id(node)] = _find(workspace, node)
    return found


def _find(workspace: Workspace, node: Node) -> dict[str, Any]:
    found: dict[str, Any] = {key: node.static[key] for key in _KEYS if key in node.static}
    for key, value in found.items():
        if isinstance(value, str) and is_templated(value):
            try:
                session = workspace.make_session(workspace.home_of(node), node)
                found[key] = session.told(partial(session.text, value))
            except FAILURES as error:
                found[key] = Missing(f"{key} cannot be told: {error}")
    inline = _find_inline(workspace, node) if node.kind in ("model", "snapshot") and "config" in node.text else {}
    return found | {key: value for key, value in inline.items() if key in _KEYS}


def is_enabled(config: dict[str, Any]) -> bool:
    """Only what is surely disabled is: an `enabled` that cannot be told counts as yes."""
    value = config.get("enabled", True)
    if isinstance(value, (Missing, CallText)):
        return True
    return value not in (False, "false", "False", "no", 0, "")


def _find_inline(workspace: Workspace, node: Node) -> dict[str, Any]:
    if node.simple is not None:
        return dict(node.simple.config)
    try:
        reading = read_template(node.text, node.path, marking=True)
    except FAILURES:
        return {}  # rendering it will say so
    literals = dict(reading.literals)
    if reading.hidden or reading.computed & {*_KEYS, "**"}:
        return _capture(workspace, node, literals)
    return literals


def _capture(workspace: Workspace, node: Node, found: dict[str, Any]) -> dict[str, Any]:
    """Both answers to whatever nobody can decide; what then differs cannot be told."""
    first, asked, why = _run(workspace, node, {})
    if why is None and asked:
        other, _, why = _run(workspace, node, dict.fromkeys(asked, True))
        doubt = next(iter(asked.values()))
        keys = first.keys() | other.keys()
        first = {
            key: first[key] if key in first and key in other and _same(first[key], other[key]) else Missing(doubt)
            for key in keys
        }
    if why is None:
        return first
    missing = Missing(f"config() of {node.path} cannot be told ({why}): {SETTING}")
    named = {key for key in ("alias", "schema", "database") if key not in found and key in node.text}
    return found | dict.fromkeys(named, missing)


def _same(first: object, other: object) -> bool:
    return type(first) is type(other) and not isinstance(first, Missing) and str(first) == str(other)


def _run(workspace: Workspace, node: Node, decisions: dict[str, bool]) -> tuple[dict[str, Any], dict[str, str], object]:
    """The configuration that a rendering leaves, the conditions it met, and why it failed."""
    session = workspace.make_session(workspace.home_of(node), node, capturing=True, decisions=decisions)
    try:
        session.run(workspace.template_of(node))
    except FAILURES as error:
        return {}, {}, error
    return session.config, session.asked, None
