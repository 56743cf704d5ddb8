"""One node -> its SQL, once for each way in which it is built. Whatever goes wrong is the reason why there is none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from jinja2 import Template
from sqlglot import exp

from app.render.columns import find_outputs, is_readable, read_header
from app.render.dbt_names import make_names
from app.render.explain import explain
from app.render.holes import fill_holes
from app.render.limits import MAX_VARIANTS
from app.render.marks import settle, unmark
from app.render.merge_keys import find_keys, find_meta_columns
from app.render.naming import find_relation, fold_relation
from app.render.node_config import find_config, is_enabled
from app.render.nodes import Node
from app.render.session import FAILURES, Session
from app.render.simple import Simple
from app.render.sql_text import RefState, SqlKind, SqlText, Variant
from app.render.stubs import Missing
from app.render.workspace import Home, Workspace

NO_SQL: Final = "its template renders to no SQL here"


@dataclass(frozen=True, slots=True)
class Rendering:
    """`why` None: `sql` is whole. `incremental`: is_incremental() was asked; `live`: `execute` was."""

    sql: str = ""
    lines: tuple[int, ...] = ()
    why: str | None = None
    line: int = 1
    incremental: bool = False
    live: bool = False
    variants: tuple[Variant, ...] = ()
    refs: tuple[tuple[str, RefState], ...] = ()


def render_node(workspace: Workspace, node: Node) -> Iterator[SqlText]:
    """Nothing for a disabled node; two texts where an incremental run reads something else than a full one."""
    config = find_config(workspace, node)
    if node.project.installed or not is_enabled(config):
        return
    frame = _make_frame(workspace, node, config)
    if node.project.why is not None:
        yield replace(frame, why=f"its project could not be read: {node.project.why}")
    elif node.kind == "seed":
        yield _make_seed(frame, node, config)
    elif node.kind == "python":
        yield replace(frame, why="it is a Python model; what it reads and returns is not SQL")
    else:
        told = config.get("materialized")
        incremental = isinstance(told, Missing) or frame.materialized == "incremental"
        yield from _render_both(workspace, node, frame, incremental=incremental)


def _make_frame(workspace: Workspace, node: Node, config: dict[str, Any]) -> SqlText:
    def known(key: str) -> str | None:
        value = config.get(key)
        return None if value is None or isinstance(value, Missing) else str(value)

    target = workspace.home_of(node).target
    relation = fold_relation(find_relation(workspace, node), target)
    defaults = {"model": "view", "snapshot": "snapshot", "seed": "seed", "python": "table"}
    kind: SqlKind = node.kind
    return SqlText(
        node.path,
        "",
        (),
        kind=kind,
        relation=relation,
        dialect=target.dialect if target.told else None,
        materialized=known("materialized") or defaults[node.kind],
        on_schema_change=known("on_schema_change"),
        keys=find_keys(node, config, target),
        meta_columns=find_meta_columns(node, config, target),
    )


def _make_seed(frame: SqlText, node: Node, config: dict[str, Any]) -> SqlText:
    columns = read_header(node.text, str(config.get("delimiter", ",")))
    if not columns:
        return replace(frame, why="its header line could not be read")
    exact = config.get("quote_columns") is True
    return replace(frame, seed_columns=tuple(_column(name, exact=exact) for name in columns))


def _column(name: str, *, exact: bool) -> str:
    """Folded: a plain name is lower case, one that needs quotes keeps its spelling."""
    plain = name.replace("_", "a").isalnum() and not (exact and name != name.lower())
    return name.lower() if plain else f'"{name}"'


def _render_both(workspace: Workspace, node: Node, frame: SqlText, *, incremental: bool) -> Iterator[SqlText]:
    first = render_once(workspace, node)
    yield _with(frame, first)
    if incremental and first.incremental:
        second = render_once(workspace, node, incremental=True)
        if (second.sql, second.why) != (first.sql, first.why):
            yield _with(frame, second)


def _with(frame: SqlText, rendering: Rendering) -> SqlText:
    told = replace(frame, sql=rendering.sql, lines=rendering.lines, why=rendering.why, why_line=rendering.line)
    return replace(told, variants=rendering.variants, refs=rendering.refs)


def render_text(workspace: Workspace, node: Node, place: Node, frame: SqlText) -> Iterator[SqlText]:
    """Another template of the node (`place`: its text and where that stands), as the node's own would be rendered."""
    workspace.configs[id(place)] = find_config(workspace, node)
    workspace.relations[id(place)] = find_relation(workspace, node)
    try:
        yield from _render_both(workspace, place, frame, incremental=True)
    finally:
        del workspace.configs[id(place)], workspace.relations[id(place)]


def render_once(workspace: Workspace, node: Node, *, incremental: bool = False) -> Rendering:
    """As dbt runs it, where that differs from how dbt reads its templates at first: one made-up value stands for what a query
    answers, so that what the template does with each of them is seen."""
    if node.simple is not None:
        return _render_simple(workspace, node, node.simple)
    try:
        template = workspace.template_of(node)
    except FAILURES as error:
        return _failed(error, node)
    start = partial(workspace.make_session, workspace.home_of(node), node, incremental=incremental)
    rendering = _try_all(start, node, template)
    if not rendering.live:
        return rendering
    return _try_all(partial(start, live=True), node, template)


def _render_simple(workspace: Workspace, node: Node, simple: Simple) -> Rendering:
    session = workspace.make_session(workspace.home_of(node), node)
    known = {}
    for piece in simple.pieces:
        if piece.call == "this":
            known[piece] = find_relation(workspace, node).bounded
        elif piece.call:
            known[piece] = session.functions[piece.call](*piece.args).bounded
    return replace(_finish(simple.marked(known), node), refs=tuple(session.refs.items()))


def _finish(text: str, node: Node) -> Rendering:
    sql, lines = unmark(settle(text), node.line_count)
    if _OBJECT.search(sql):
        return Rendering(why="its template writes an object where SQL belongs")
    if not _COMMENTS.fullmatch(sql):
        return Rendering(sql, lines)
    return Rendering(why=NO_SQL)


_COMMENTS: Final = re.compile(r"(?:\s|;|--[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/)*")
#: how Python writes what has no text of its own
_OBJECT: Final = re.compile(r"<[^<>\n]{1,300} at 0x[0-9a-f]{4,}>|<(?:class|function|module) ['\w]")


def _try_all(start: Callable[..., Session], node: Node, template: Template) -> Rendering:
    """Conditions that nobody can decide are tried both ways: they must not matter."""
    tried: list[Rendering] = []
    waiting: list[dict[str, bool]] = [{}]
    asked: dict[str, str] = {}
    while waiting:
        decisions = waiting.pop(0)
        session = start(decisions=decisions)
        tried.append(_render(session, node, template))
        asked |= session.asked
        for name in sorted(session.asked.keys() - decisions.keys()):
            waiting.append({**decisions, name: True})
            decisions = {**decisions, name: False}
        if len(tried) + len(waiting) > MAX_VARIANTS:
            return _undecided(asked, node, "too many conditions cannot be decided: ")
    refs = tuple(ref for ref in tried[0].refs if all(ref in rendering.refs for rendering in tried))
    first = next((rendering for rendering in tried if rendering.why is not None), tried[0])
    if first.why is None and any(rendering.sql.split() != first.sql.split() for rendering in tried):
        variants = dict.fromkeys(Variant(rendering.sql, rendering.lines) for rendering in tried)
        first = replace(_undecided(asked, node), variants=tuple(variants))
    incremental, live = any(one.incremental for one in tried), any(one.live for one in tried)
    return replace(first, incremental=incremental, live=live, refs=refs)


def _undecided(asked: dict[str, str], node: Node, lead: str = "") -> Rendering:
    line = next((n for n, text in enumerate(node.text.split("\n"), 1) if any(_stem(name) in text for name in asked)), 1)
    return Rendering(why=lead + "; ".join(asked.values())[:500], line=line)


#: how a condition is called that asks for a variable
_NAMED: Final = re.compile(r"\w+\('([^']+)'\)")


def _stem(name: str) -> str:
    """What the template surely writes of a condition's name: the name of the variable, or of the macro."""
    named = _NAMED.match(name)
    return named[1] if named else name.removesuffix("()")


def _render(session: Session, node: Node, template: Template) -> Rendering:
    dialect = session.home.target.dialect
    try:
        text = session.run(template)
    except FAILURES as error:
        rendering = _failed(error, node)
    else:
        rendering = _fill(_finish(text, node), dialect, session.holes)
    if session.unlisted and dialect and rendering.why is None and not is_readable(rendering.sql, dialect):
        why = f"its SQL depends on the columns of {session.unlisted}, which this repository does not list"
        rendering = Rendering(why=why)
    refs = tuple(session.refs.items())
    return replace(rendering, incremental=session.asked_incremental, live=session.asked_execute, refs=refs)


def _fill(rendering: Rendering, dialect: str, holes: Mapping[str, str]) -> Rendering:
    """Values that nobody told are calls now, where they are nothing but values."""
    sql, wrong = fill_holes(rendering.sql, dialect, holes)
    if wrong is None:
        return replace(rendering, sql=sql)
    line = rendering.lines[rendering.sql.count("\n", 0, wrong[1])]
    return Rendering(why=f"line {line}: {wrong[0]}", line=line)


def _failed(error: BaseException, node: Node) -> Rendering:
    why, line = explain(error, node.path)
    return Rendering(why=why, line=line)


def make_session(workspace: Workspace, home: Home, node: Node | None, **options: Any) -> Session:
    return Session(workspace, home, node, make_names, **options)


def find_node_outputs(workspace: Workspace, node: Node) -> tuple[str, ...]:
    """The columns of a seed, or of a model whose query names them all: itself, or through stars over such relations."""
    if node.kind == "seed":
        return read_header(node.text)
    if node.kind == "python":
        return ()
    rendering = render_once(workspace, node)
    target = workspace.home_of(node).target

    def columns_of(table: exp.Table) -> tuple[str, ...]:
        found = workspace.by_relation.get(".".join(target.quote(part.name) for part in table.parts))
        return workspace.columns_of(found) if found is not None else ()

    return find_outputs(rendering.sql, target.dialect, columns_of) if rendering.why is None else ()
