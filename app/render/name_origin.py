"""What a name depends on in the tree, as one digest: while it is equal, a name that was seen still holds."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from app.render.node_config import find_config
from app.render.nodes import Node
from app.render.properties import SourceTable
from app.render.workspace import Home, Workspace

#: of a node's configuration: what its name depends on
NAME_KEYS: Final = (
    *("alias", "schema", "dataset", "database", "project", "catalog"),
    "target_schema",
    "target_database",
)


def describe_naming(workspace: Workspace, node: Node) -> str:
    """A digest of everything in the tree that a node's name may depend on: equal while that is the same."""
    home = workspace.home_of(node)
    config = find_config(workspace, node)
    values = {key: config[key] for key in NAME_KEYS if config.get(key) is not None}
    told = (node.default_alias, sorted(map(str, values)), _describe_rules(workspace, home.host or home))
    if all(isinstance(value, (str, int, float)) for value in values.values()):
        return _digest((*told, sorted(values.items())))
    return _digest((*told, node.text, sorted(map(repr, node.static.items()))))  # computed, by anything in the file


def _describe_rules(workspace: Workspace, home: Home) -> str:
    """Of the macros and variables of a project that names its nodes by rules of its own; told once."""
    found = workspace.rules.get(home.project.path)
    if found is None:
        macros = home.macros.sources
        own = any("generate_" in name for name in macros)
        texts = [macros[name].text for name in sorted(macros)] if own else []
        found = workspace.rules[home.project.path] = _digest((texts, sorted(map(repr, home.project.vars.items()))))
    return found


def _digest(values: object) -> str:
    return sha256(repr(values).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def describe_source(found: SourceTable) -> str:
    """As `describe_naming`, of a source's table."""
    return _digest((found.identifier, found.schema, found.database))
