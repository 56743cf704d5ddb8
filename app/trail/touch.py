"""What one loss does to one statement: nothing, some of its outputs, or all of it. Pure arithmetic over reads and outputs.

stops: the statement names what is lost, so nothing it builds is built. values: it runs, and the outputs that depend on the
column change; a column in a filter, join or grouping changes all of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.change import decide_reader, find_handed_on
from app.reads import ColumnRef, Output, Read, Statement
from app.trail.hop import Loss
from app.trail.trail import Effect
from app.trail.urns import bare

#: clauses whose columns reach only the output they stand in
PROJECTION: Final = frozenset({"select", "set", "insert", "replace", "rename", "exclude"})
#: statements whose rows go into columns by place or by a list, so that a star does not carry a name through
WRITES: Final = frozenset({"insert", "merge", "update", "delete"})


@dataclass(frozen=True, slots=True)
class Touch:
    """`columns` of the target, None = the whole of it. `certain` False: the statement may not mean this relation's column.

    `narrows`: the target loses columns, as a star passes the loss on. `lines` are lines of the statement's file.
    `retyped` are those of `columns` that hand a new type on.
    """

    effect: Effect
    columns: tuple[str, ...] | None
    lines: tuple[int, ...]
    certain: bool = True
    narrows: bool = False
    note: str = ""
    retyped: tuple[str, ...] = ()


def find_touch(statement: Statement, names: frozenset[str], loss: Loss, order: Sequence[str] = ()) -> Touch | None:
    """`names`: how this statement writes the relation of the loss. `order`: columns that a positional INSERT fills."""
    reads = [read for read in statement.reads if read.relation in names]
    if loss.by_position:
        rows = touch_rows(statement, names, "", order)
        return _join(_touch_order(statement, names, reads, order), rows if rows and rows.certain else None)
    if loss.column is None:
        return _touch_relation(statement, reads, loss.effect)
    hits = [read for read in reads if read.kind != "width" and read.column == loss.column]
    rows = touch_rows(statement, names, loss.column, order)
    if loss.effect == "values":
        return _join(_touch_values(statement, names, hits, loss.column, order), rows)
    return _join(_touch_stop(statement, names, reads, hits, loss), rows)


def retype(touch: Touch, statement: Statement, names: frozenset[str], loss: Loss, dialect: str) -> Touch:
    """What becomes of a touch where the column has a new type: a statement that rejects it stops."""
    if loss.column is None or not loss.new_type:
        return touch
    if decide_reader(statement, names, loss.column, loss.new_type, dialect) == "rejects":
        lines = _lines([r for r in statement.reads if r.relation in names and r.column == loss.column]) or touch.lines
        note = f"what is done with {bare(loss.column)} here is rejected for {loss.new_type}"
        return Touch("stops", _stopped(statement), lines, touch.certain, note=note)
    if statement.kind in WRITES:
        return touch  # the columns that are written keep their own type
    return replace(touch, retyped=find_handed_on(statement, names, loss.column))


def touches_own_target(statement: Statement, loss: Loss) -> Touch | None:
    """A loader that still writes a column which the change takes from its target: the statement fails.

    Only for what the change itself takes away; a relation that is merely not rebuilt still has its columns.
    """
    if not loss.physical or loss.effect != "stops" or statement.kind not in ("insert", "merge", "update"):
        return None
    if loss.column is None:
        return Touch("stops", None, (statement.line,))
    if statement.positional:
        return Touch("stops", None, (statement.line,)) if loss.narrows else None
    written = [output for output in statement.outputs if output.name == loss.column]
    return Touch("stops", None, tuple(output.line for output in written)) if written else None


def _touch_relation(statement: Statement, reads: Sequence[Read], effect: Effect) -> Touch:
    lines = _lines(reads) or (statement.line,)
    return Touch(effect, _stopped(statement), lines)


def _touch_stop(
    statement: Statement, names: frozenset[str], reads: Sequence[Read], hits: Sequence[Read], loss: Loss
) -> Touch | None:
    column = loss.column or ""
    breaking = [read for read in hits if read.kind != "rebind"]
    counted = [read for read in reads if read.kind == "width" and loss.narrows]
    passing = find_passing(statement, names, column)
    if statement.kind in WRITES and passing and loss.narrows:
        counted += [Read("", "*", "select", "width", certain=True, line=output.line) for output in passing]
    sure = [read for read in (*breaking, *counted) if read.certain]
    if sure:
        return Touch("stops", _stopped(statement), _lines(sure))
    rebound = [read for read in hits if read.kind == "rebind" and read.certain]
    if rebound:
        outputs = _dependants(statement, names, column, rebound)
        note = f"without it the name {bare(column)} silently means something else here"
        return Touch("values", outputs, _lines(rebound), note=note)
    if passing and statement.kind not in WRITES:
        lost = tuple(dict.fromkeys(column if output.name == "*" else output.name for output in passing))
        certain = all(_source_is_certain(output, names, column) for output in passing)
        return Touch("stops", lost, _lines(passing), certain, loss.narrows)
    unsure = [*hits, *counted]
    return Touch("stops", _stopped(statement), _lines(unsure), certain=False) if unsure else None


def _touch_values(
    statement: Statement, names: frozenset[str], hits: Sequence[Read], column: str, order: Sequence[str]
) -> Touch | None:
    passing = find_passing(statement, names, column)
    hits = [read for read in hits if read.clause != "exclude"]  # its values go nowhere
    found: Sequence[Read | Output] = [read for read in hits if read.certain] or passing
    if found:
        outputs = _dependants(statement, names, column, hits)
        return Touch("values", _placed(statement, outputs, order, column), _lines(found))
    return Touch("values", None, _lines(hits), certain=False) if hits else None


def touch_rows(statement: Statement, names: frozenset[str], column: str, order: Sequence[str] = ()) -> Touch | None:
    """Whole rows taken as values (`to_jsonb(t)`, `hash(*)`): without any one of its columns a row is another value."""
    reads = [read for read in statement.reads if read.relation in names]
    if column and any(read.clause == "exclude" and read.column == column for read in reads):
        return None  # left out by name
    wide = [read for read in reads if read.column == "*" and read.kind == "read"]
    outputs = [output for output in statement.outputs if output.name != "*" and _find_wide(output, names)]
    if not wide and not outputs:
        return None
    sure = [read.certain for read in wide] or [ref.certain for out in outputs for ref in _find_wide(out, names)]
    columns = None if wide else _placed(statement, tuple(dict.fromkeys(out.name for out in outputs)), order, column)
    note = f"whole rows are taken here, with {bare(column)}" if column else "whole rows are taken here"
    return Touch("values", columns, _lines(wide or outputs), all(sure), note=note)


def _find_wide(output: Output, names: frozenset[str]) -> list[ColumnRef]:
    """The whole rows that an output is computed from; one behind a list of names is only one of its columns."""
    return [
        ref
        for ref in output.sources
        if ref.relation in names and ref.column == "*" and (ref.certain or not output.via_star)
    ]


def _join(touch: Touch | None, rows: Touch | None) -> Touch | None:
    """What the loss does by name and what it does through whole rows, as one."""
    if touch is None or rows is None:
        return touch or rows
    if touch.certain and touch.columns is None:
        return touch
    columns = None if touch.columns is None or rows.columns is None else (*touch.columns, *rows.columns)
    return replace(
        touch,
        columns=None if columns is None else tuple(dict.fromkeys(columns)),
        lines=tuple(sorted({*touch.lines, *rows.lines})),
        certain=touch.certain and rows.certain,
    )


def _touch_order(
    statement: Statement, names: frozenset[str], reads: Sequence[Read], order: Sequence[str]
) -> Touch | None:
    """Only who reads by place notices a new order."""
    by_place = [read for read in reads if read.kind == "position"]
    stars = [output for output in statement.outputs if output.via_star and _comes_from(output, names)]
    if statement.kind in WRITES and (stars or any(read.kind == "width" for read in reads)):
        touched = tuple(output.name for output in stars)
        lines = _lines(stars) or _lines(reads)
        return Touch("values", _placed(statement, touched or None, order, ""), lines)
    if by_place:
        return Touch("values", None, _lines(by_place), all(read.certain for read in by_place))
    return None


def _stopped(statement: Statement) -> tuple[str, ...] | None:
    """What a failed statement leaves unbuilt: an UPDATE only the columns it sets, anything else its whole target."""
    if statement.kind == "update" and statement.outputs:
        return tuple(dict.fromkeys(output.name for output in statement.outputs))
    return None


def _dependants(
    statement: Statement, names: frozenset[str], column: str, hits: Sequence[Read]
) -> tuple[str, ...] | None:
    """Outputs whose value depends on the column, None = all of them (or it cannot be told which)."""
    if any(read.clause.lower() not in PROJECTION for read in hits if read.kind != "rebind"):
        return None
    if re.search(rf"(?<![\w$]){re.escape(bare(column))}(?![\w$])", statement.meaning, re.IGNORECASE):
        return None
    outputs = [
        output
        for output in statement.outputs
        if any(ref.relation in names and ref.column in (column, "*") for ref in output.sources)
    ]
    return tuple(dict.fromkeys(column if output.name == "*" else output.name for output in outputs)) or None


def _placed(
    statement: Statement, outputs: tuple[str, ...] | None, order: Sequence[str], column: str
) -> tuple[str, ...] | None:
    """A positional INSERT names its outputs as the query does; the target's own order says which columns they fill."""
    if outputs is None or not statement.positional:
        return outputs
    names = [column if output.name == "*" else output.name for output in statement.outputs]
    if len(order) < len(names) or any(output.name == "*" for output in statement.outputs):
        return None
    return tuple(order[place] for place, name in enumerate(names) if name in outputs)


def find_passing(statement: Statement, names: frozenset[str], column: str) -> list[Output]:
    """Outputs that a star passes through. A star over unknown columns passes any column that is not written out beside it."""
    return [
        output
        for output in statement.outputs
        if (output.via_star or output.name == "*")
        and any(
            ref.relation in names and (ref.column == column or (output.name == "*" and ref.column == "*"))
            for ref in output.sources
        )
    ]


def _source_is_certain(output: Output, names: frozenset[str], column: str) -> bool:
    return any(ref.certain for ref in output.sources if ref.relation in names and ref.column in (column, "*"))


def _comes_from(output: Output, names: frozenset[str]) -> bool:
    return any(ref.relation in names for ref in output.sources)


def _lines(found: Sequence[Read | Output]) -> tuple[int, ...]:
    return tuple(sorted({item.line for item in found}))
