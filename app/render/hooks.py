"""The hooks of a dbt project: SQL that runs before or after a model is built, or around the whole run.

Hooks add up: those of dbt_project.yml (outer folders first), of the property files, of config() in the model itself. Each is
rendered as its model is, and stands as SQL of its own. Rules: docs.getdbt.com/reference/resource-configs/pre-hook-post-hook.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from app.render.compiled import read_template
from app.render.models import NO_SQL, render_text
from app.render.naming import find_relation, fold_relation
from app.render.node_config import find_config, is_enabled
from app.render.nodes import Node
from app.render.project import find_levels
from app.render.session import FAILURES
from app.render.sql_text import SqlText
from app.render.workspace import Home, Workspace
from app.render.yaml_text import mapping

_BEFORE: Final = ("pre_hook", "pre-hook")
_AFTER: Final = ("post_hook", "post-hook")
_RUNS: Final = ("on-run-start", "on-run-end")


@dataclass(frozen=True, slots=True)
class Hook:
    """`text` as written, Jinja and all, at `line` of the file `path`, whose whole text is `source`."""

    text: str
    path: str
    line: int
    source: str
    before: bool = False


def render_hooks(workspace: Workspace, node: Node) -> Iterator[SqlText]:
    """Each hook of a model, snapshot or seed; nothing for one that renders to nothing, or that stands on a disabled node."""
    config = find_config(workspace, node)
    if node.project.installed or node.project.why is not None or not is_enabled(config):
        return
    relation = fold_relation(find_relation(workspace, node), workspace.home_of(node).target)
    for hook in _find_hooks(workspace, node):
        rebuilt = hook.before and config.get("materialized") != "incremental"
        yield from _render(workspace, node, hook, relation if rebuilt else None)


def render_runs(workspace: Workspace, home: Home) -> Iterator[SqlText]:
    """`on-run-start` and `on-run-end` of a project."""
    project = home.project
    if project.installed or project.why is not None:
        return
    for key in _RUNS:
        for text in _texts(project.runs.get(key)):
            hook = Hook(text, project.file, _find_line(project.text, text), project.text)
            node = Node(project, "model", key, project.file, "", 1, {})
            yield from _render(workspace, node, hook, None)


def _render(workspace: Workspace, node: Node, hook: Hook, rebuilt: str | None) -> Iterator[SqlText]:
    """`rebuilt`: the relation that is built anew after the hook, whatever the hook did to it."""
    frame = SqlText(hook.path, "", (), kind="hook", rebuilt=rebuilt)
    body = "\n" * (hook.line - 1) + hook.text
    count = max(hook.source.count("\n") + 1, hook.line)
    place = replace(node, path=hook.path, text=body, line_count=count, simple=None, template=None)
    for text in render_text(workspace, node, place, frame):
        if text.why is None:
            yield text
        elif text.why != NO_SQL:
            yield replace(text, sql=hook.text, why_line=hook.line)


def _find_hooks(workspace: Workspace, node: Node) -> Iterator[Hook]:
    project = node.project
    folders = {"seed": project.seeds, "snapshot": project.snapshots}.get(node.kind, project.models)
    kind = "model" if node.kind == "python" else node.kind
    for level in find_levels(project, f"{kind}s", node.path, folders):
        yield from _read(level, project.file, project.text)
    properties = workspace.home_of(node).properties
    path, text = properties.texts.get((kind, node.name), (node.path, node.text))
    yield from _read(mapping(properties.of(kind, node.name).get("config")), path, text)
    yield from _read(_find_inline(workspace, node), node.path, node.text)


def _read(config: Mapping[str, Any], path: str, source: str) -> Iterator[Hook]:
    for keys, before in ((_BEFORE, True), (_AFTER, False)):
        for key in (*keys, *(f"+{key}" for key in keys)):
            for text in _texts(config.get(key)):
                yield Hook(text, path, _find_line(source, text), source, before)


def _texts(value: object) -> list[str]:
    """A text, `{sql: text}`, or a list of them."""
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in _texts(item)]
    if isinstance(value, dict):
        return _texts(value.get("sql"))
    return [str(value)] if isinstance(value, str) and value.strip() else []


def _find_line(source: str, text: str) -> int:
    first = text.strip().split("\n", 1)[0].strip()
    return next((number for number, line in enumerate(source.split("\n"), 1) if first in line), 1)


def _find_inline(workspace: Workspace, node: Node) -> Mapping[str, Any]:
    """What config() in the model says of hooks, by a rendering where it is not literal."""
    if node.kind not in ("model", "snapshot") or "hook" not in node.text:
        return {}
    if node.simple is not None:
        return node.simple.config
    try:
        reading = read_template(node.text, node.path, marking=True)
        if not reading.hidden and not reading.computed & {*_BEFORE, *_AFTER, "**"}:
            return dict(reading.literals)
        session = workspace.make_session(workspace.home_of(node), node)
        session.run(workspace.template_of(node))
    except FAILURES:
        return {}  # rendering the model itself says so
    return session.config
