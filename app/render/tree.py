"""A whole tree -> the SQL of every file that bears some: the door of this room.

dbt projects first (what is theirs is rendered by their rules), then SQLMesh models, templates with parameters, plain SQL.
Each file for itself: one that cannot be rendered says why and stops no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias
from zlib import crc32

from app.render.dbt_packages import make_packages
from app.render.explain import explain
from app.render.hooks import render_hooks, render_runs
from app.render.known import NOTHING, KnownNames, Seen
from app.render.models import find_node_outputs, make_session, render_node
from app.render.nodes import Node
from app.render.paths import find_folder, find_root, is_below, is_sql, is_templated
from app.render.placeholders import render_placeholders
from app.render.profiles import find_profiles
from app.render.session import FAILURES
from app.render.sql_text import SqlText
from app.render.sqlmesh import find_header, render_sqlmesh
from app.render.survey import survey
from app.render.workspace import Workspace, make_workspace
from app.words import Config

#: (which of them, how many there are)
Part: TypeAlias = tuple[int, int]

#: `zz_name(...)` is how a macro that is not in the repository stays visible: behind FROM, in a CTE, or as all there is
_UNKNOWN_SOURCE = re.compile(
    r"(?:\b(?:(?:from|join|using)\s+(?:lateral\s+)?(?:\(\s*)*|(?:from|join|using|as)\s*(?:\(\s*)+)"
    r"|\A(?:\s|\(|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*)zz_(\w+)\s*\(",
    re.IGNORECASE,
)


def render_tree(
    files: Mapping[str, str], config: Config, known: KnownNames = NOTHING, *, part: Part = (0, 1)
) -> tuple[SqlText, ...]:
    """In the order of the paths; a file with several relations, or built in two ways, has several texts.

    No text stands for what is never built: macro files, dbt's tests and analyses, compiled SQL, installed packages,
    disabled models. With `part` the texts of one part of the paths: all parts together are the whole.
    """
    workspace = make_workspace(files, config, make_session, make_packages, find_node_outputs, known)
    texts: dict[str, list[SqlText]] = {}
    for text in _render_projects(workspace, part):
        texts.setdefault(text.path, []).append(text)
    for path in sorted(files):
        if is_sql(path) and path not in texts and is_in_part(path, part) and not _belongs_to_dbt(workspace, path):
            texts[path] = list(_render_file(workspace, path, files))
    return tuple(_refuse_unknown_source(files, text) for _, found in sorted(texts.items()) for text in found)


def _render_projects(workspace: Workspace, part: Part) -> Iterator[SqlText]:
    """What dbt builds and runs, and the property files that nobody can read."""
    for node in workspace.nodes:
        if is_in_part(node.path, part):
            yield from _render(workspace, node)
    for home in workspace.homes.values():
        if is_in_part(home.project.file, part):
            yield from render_runs(workspace, home)
        for broken in home.properties.broken:
            if is_in_part(broken.path, part):
                yield SqlText(broken.path, "", (), why=f"line {broken.line}: {broken.why}", why_line=broken.line)


def _refuse_unknown_source(files: Mapping[str, str], text: SqlText) -> SqlText:
    """A macro that nobody has, where a relation should stand: what is read there is unknown, and so is the whole text.

    In an expression its arguments still say which columns it takes; as a source it says nothing.
    """
    if not is_templated(files.get(text.path, "")):
        return text
    if any(_UNKNOWN_SOURCE.search(way.sql) for way in text.variants):
        return replace(text, variants=())
    found = _UNKNOWN_SOURCE.search(text.sql)
    if found is None:
        return text
    line = text.lines[text.sql.count("\n", 0, found.start(1))] if text.lines else 1
    why = f"what the macro {found[1]}() reads cannot be told: it is in no file of this repository"
    return replace(text, sql="", lines=(), why=why, why_line=line)


def is_in_part(path: str, part: Part) -> bool:
    """By the path alone, so that a part is the same whatever else is in the tree."""
    number, count = part
    return count == 1 or crc32(path.encode("utf-8", "surrogatepass")) % count == number


def find_names(files: Mapping[str, str], config: Config, seen: Seen) -> KnownNames:
    """What follows from what was seen for the names of the dbt projects of this tree, the one that was built."""
    workspace = make_workspace(files, config, make_session, make_packages, find_node_outputs, NOTHING)
    return survey(workspace, seen, find_profiles(files, config.dbt.target if config.dbt is not None else "prod"))


def _render(workspace: Workspace, node: Node) -> Iterator[SqlText]:
    root = find_root(node.path, workspace.config)
    if root is not None and root.kind == "ignore":
        return
    try:
        yield from render_node(workspace, node)
        yield from render_hooks(workspace, node)
    except FAILURES as error:
        why, line = explain(error, node.path)
        yield SqlText(node.path, "", (), why=why, why_line=line)


def _belongs_to_dbt(workspace: Workspace, path: str) -> bool:
    """The file is a part of a dbt project that builds nothing by itself, or a disabled model."""
    folder = find_folder(path, workspace.homes)
    if folder is None:
        return False
    project = workspace.homes[folder].project
    inside = any(is_below(path, part) for part in (*project.resources, *project.macros))
    return inside or project.installed or project.is_ignored(path)


def _render_file(workspace: Workspace, path: str, files: Mapping[str, str]) -> Iterator[SqlText]:
    root = find_root(path, workspace.config)
    if root is not None and root.kind == "ignore":
        return
    text = files[path]
    header = find_header(text)
    if header is not None:
        yield from render_sqlmesh(path, text, header, files, workspace.config.params)
    elif is_templated(text):
        yield render_placeholders(path, text, workspace.config.params, workspace.sandbox)
    else:
        yield SqlText(path, text, tuple(range(1, text.count("\n") + 2)))
