"""Where the columns of a relation come from: its declared list, the query behind it, or a table that it copies.

Pure functions on RelationState; `app.change.replay` decides when they apply.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from app.change.removal import ParsedFile
from app.change.steps import CreateTable, CreateView
from app.change.world import ColumnState, Identity, Place, RelationState
from app.reads import ColumnLeaf, Expression, Meaning, Name, Output, Statement

Find = Callable[[str], RelationState | None]
_DEFINES = frozenset({"create_table", "create_view", "create_table_as", "create_model"})
_APPLIES = _DEFINES | {"query", "insert", "merge", "update", "delete"}


def find_definers(file: ParsedFile) -> tuple[dict[int, Statement], list[Statement]]:
    """Statements by the index of the CREATE step that they belong to, and the statements that stand for themselves."""
    pairs: dict[int, Statement] = {}
    taken: set[int] = set()
    by_target: dict[str, list[tuple[int, Statement]]] = {}
    for number, statement in enumerate(file.statements):
        if statement.kind in _DEFINES and statement.target is not None:
            by_target.setdefault(statement.target, []).append((number, statement))
    for index, step in enumerate(file.steps):
        if not isinstance(step, CreateTable | CreateView):
            continue
        for number, statement in by_target.get(step.relation, ()):
            if number not in taken and statement.line <= step.line <= statement.end_line:
                pairs[index] = statement
                taken.add(number)
                break
    rest = [s for n, s in enumerate(file.statements) if n not in taken and s.kind in _APPLIES and s.target is not None]
    return pairs, rest


def define_columns(
    state: RelationState,
    step: CreateTable | CreateView | None,
    statement: Statement | None,
    like: RelationState | None,
    find: Find,
) -> RelationState:
    """The state with its columns. `known` turns False where a star or an unread query leaves the list open."""
    declared = _declared(step, statement, state)
    if isinstance(step, CreateTable) and step.like is not None:
        return _copy(state, like, rows=step.clone)
    outputs = () if statement is None else statement.outputs
    if not outputs:
        query = isinstance(step, CreateView) or (isinstance(step, CreateTable) and step.query)
        unread = query and not (declared and all(column.type for column in declared.values()))
        return dataclasses.replace(state, columns=declared, known=bool(declared) and not unread)
    return _from_outputs(state, outputs, declared, find)


def _declared(
    step: CreateTable | CreateView | None, statement: Statement | None, state: RelationState
) -> dict[str, ColumnState]:
    if isinstance(step, CreateTable):
        return {
            c.name: ColumnState(
                c.name,
                (state.owner, c.name, 0),
                Place(state.place.path, c.line or step.line),
                type=c.type,
                not_null=c.not_null,
                default=c.default,
                generated=c.generated,
            )
            for c in step.columns
        }
    if isinstance(step, CreateView):
        return {name: ColumnState(name, (state.owner, name, 0), state.place) for name in step.columns}
    pairs = statement.columns if statement is not None else ()
    return {name: ColumnState(name, (state.owner, name, 0), state.place, type=native) for name, native in pairs}


def _copy(state: RelationState, like: RelationState | None, *, rows: bool) -> RelationState:
    if like is None:
        return dataclasses.replace(state, known=False)
    columns = {
        name: dataclasses.replace(
            column,
            identity=(state.owner, name, 0),
            place=state.place,
            vacated=0,
            fills={column.identity: True, **column.fills} if rows else {},
        )
        for name, column in like.columns.items()
    }
    return dataclasses.replace(state, columns=columns, known=like.known)


def _from_outputs(
    state: RelationState, outputs: tuple[Output, ...], declared: dict[str, ColumnState], find: Find
) -> RelationState:
    columns: dict[str, ColumnState] = {}
    stars: set[str] = set()
    trees: list[Expression] = []
    unfiltered = all(_is_whole(meaning) for meaning in state.meaning)
    for output in outputs:
        if not output.name:
            continue  # nobody can read a column without a name
        if output.name == "*":
            stars |= {source.relation for source in output.sources}
            trees.append(output.expression)
            continue
        column = _computed(state, output, find, exact=unfiltered)
        before = declared.get(output.name)
        if before is not None:
            column = dataclasses.replace(column, type=before.type, not_null=before.not_null, default=before.default)
        columns[output.name] = column
    is_open = any(output.name == "*" for output in outputs)
    if declared and not is_open and set(declared) - set(columns):
        columns = _by_position(declared, columns)
    return dataclasses.replace(state, columns=columns, known=not is_open, star_of=frozenset(stars), stars=tuple(trees))


def _by_position(declared: dict[str, ColumnState], computed: dict[str, ColumnState]) -> dict[str, ColumnState]:
    """A declared list renames the query's columns, one by one."""
    if len(declared) != len(computed):
        return {**computed, **declared} if len(declared) > len(computed) else declared
    return {
        name: dataclasses.replace(column, name=name, type=declared[name].type)
        for name, column in zip(declared, computed.values(), strict=True)
    }


def _computed(state: RelationState, output: Output, find: Find, *, exact: bool) -> ColumnState:
    return ColumnState(
        output.name,
        (state.owner, output.name, 0),
        Place(state.place.path, output.line),
        expressions=(output.expression,),
        sources=frozenset((source.relation, source.column) for source in output.sources),
        via_star=output.via_star,
        fills=_fills(output, find, exact=exact),
    )


def _fills(output: Output, find: Find, *, exact: bool) -> dict[Identity, bool]:
    """Whose stored values come into this output, and whether they come unchanged."""
    plain = exact and len(output.sources) == 1 and _is_plain(output)
    fills: dict[Identity, bool] = {}
    for source in output.sources:
        state = find(source.relation)
        column = state.columns.get(source.column) if state is not None else None
        if column is None:
            continue
        for identity, unchanged in {column.identity: True, **column.fills}.items():
            fills[identity] = fills.get(identity, False) or (plain and unchanged)
    return fills


def _is_plain(output: Output) -> bool:
    """A column reference and nothing around it."""
    return output.via_star or isinstance(output.expression, ColumnLeaf)


def _is_whole(meaning: Meaning) -> bool:
    """One table, no filter, no join, no grouping: every row comes along once."""
    return not meaning or [clause.name for clause in meaning] == ["from"]


def fill_columns(
    state: RelationState, statement: Statement, place: Place, find: Find, *, definitional: bool
) -> RelationState:
    """INSERT, MERGE, UPDATE: what computes the target's columns (in a definition), or what was copied into them once."""
    columns = dict(state.columns)
    names = _target_names(state, statement)
    for name, output in zip(names, statement.outputs, strict=False):
        if name in {"*", ""}:
            continue
        column = columns.get(name)
        if column is None:
            if state.known:
                continue
            column = ColumnState(name, (state.owner, name, 0), Place(place.path, output.line))
        fills = {**column.fills, **_fills(output, find, exact=_is_whole(statement.meaning))}
        column = dataclasses.replace(column, fills=fills)
        if definitional:
            column = _add_source(column, output, place)
        elif statement.kind == "update":
            column = dataclasses.replace(
                column, updates=(*column.updates, output.expression), updated=Place(place.path, output.line)
            )
        columns[name] = column
    meaning = (*state.meaning, statement.meaning) if definitional and statement.meaning else state.meaning
    untold = statement.kind == "insert" and not statement.outputs
    is_open = state.open_fill or untold or not {"*", ""}.isdisjoint(names)
    return dataclasses.replace(
        state, columns=columns, meaning=meaning, paths=state.paths | {place.path}, open_fill=is_open
    )


def _target_names(state: RelationState, statement: Statement) -> tuple[str, ...]:
    own = tuple(output.name for output in statement.outputs)
    if statement.positional and state.known and "*" not in own and len(own) <= len(state.columns):
        return tuple(state.columns)[: len(own)]
    return own


def _add_source(column: ColumnState, output: Output, place: Place) -> ColumnState:
    sources = frozenset((source.relation, source.column) for source in output.sources)
    return dataclasses.replace(
        column,
        expressions=(*column.expressions, output.expression),
        sources=column.sources | sources,
        place=Place(place.path, output.line),
        via_star=output.via_star,
    )


def update_columns(state: RelationState, values: Mapping[str, str], place: Place) -> RelationState:
    """One-off new values for columns, named by the text that makes them."""
    columns = dict(state.columns)
    for name, text in values.items():
        if name in columns:
            column = columns[name]
            columns[name] = dataclasses.replace(column, updates=(*column.updates, Name(text)), updated=place)
    return dataclasses.replace(state, columns=columns)
