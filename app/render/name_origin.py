"""What a name depends on in the tree, as one digest: while it is equal, a name that was seen still holds."""

from __future__ import annotations

import re
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
    plain = {key: value for key, value in values.items() if isinstance(value, (str, int, float))}
    computed = {key: node.static.get(key) for key in values.keys() - plain.keys()}
    if any(raw is None or re.search(rf"\b{key}\b", node.text) for key, raw in computed.items()):
        return _digest((*told, node.text, sorted(map(repr, node.static.items()))))  # by anything in the file
    return _digest((*told, sorted(plain.items()), sorted(map(repr, computed.items()))))


def _describe_rules(workspace: Workspace, home: Home) -> str:
    """Of the macros that name a project's nodes by rules of its own, those that they call, and the variables; told once."""
    found = workspace.rules.get(home.project.path)
    if found is None:
        texts = [home.macros.sources[name].text for name in sorted(_find_rules(home))]
        found = workspace.rules[home.project.path] = _digest((texts, sorted(map(repr, home.project.vars.items()))))
    return found


def _find_rules(home: Home) -> set[str]:
    macros = home.macros.sources
    found: set[str] = set()
    due = [name for name in macros if "generate_" in name]
    while due:
        name = due.pop()
        if name not in found:
            found.add(name)
            due += macros.keys() & set(re.findall(r"\w+", macros[name].text))
    return found


def _digest(values: object) -> str:
    return sha256(repr(values).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def describe_source(found: SourceTable) -> str:
    """As `describe_naming`, of a source's table."""
    return _digest((found.identifier, found.schema, found.database))
