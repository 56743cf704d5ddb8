"""What one loss does to one statement: nothing, some of its outputs, or all of it. Pure arithmetic over reads and outputs.

stops: the statement names what is lost, so nothing it builds is built. values: it runs, and the outputs that depend on the
column change; a column in a filter, join or grouping changes all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.change import decide_reader, find_handed_on
from app.reads import ColumnRef, Output, Read, Statement, find_columns
from app.trail.gains import touch_gain, touch_order
from app.trail.hop import Loss
from app.trail.touched import PROJECTION, WRITES, Touch, find_line_numbers, find_placed, find_stopped
from app.trail.trail import Effect
from app.trail.urns import bare
from app.trail.width import ALONE, Counts
from app.words import Schema


def find_touch(
    statement: Statement, names: frozenset[str], loss: Loss, order: Sequence[str] = (), counts: Counts = ALONE
) -> Touch | None:
    """`names`: how this statement writes the relation of the loss. `order`: columns that a positional INSERT fills."""
    reads = [read for read in statement.reads if read.relation in names]
    if loss.gained:
        return touch_gain(statement, names, loss, order, counts)
    if loss.by_position:
        rows = touch_rows(statement, names, "", order)
        return _join(touch_order(statement, names, loss, order, counts), rows if rows and rows.certain else None)
    if loss.column is None:
        return _touch_relation(statement, reads, loss.effect)
    hits = [read for read in reads if read.kind != "width" and read.column == loss.column]
    if loss.hidden and names.isdisjoint(statement.starred):
        return None  # a name finds an invisible column, unless it is looked for behind a star
    rows = touch_rows(statement, names, loss.column, order)
    if loss.effect == "values":
        return _join(_touch_values(statement, names, hits, loss.column, order), rows)
    return _join(_touch_stop(statement, names, reads, hits, loss, counts), rows)


def retype(
    touch: Touch, statement: Statement, names: frozenset[str], loss: Loss, dialect: str, types: Schema | None = None
) -> Touch:
    """What becomes of a touch where the column has a new type: a statement that rejects it stops. `types` after the change."""
    if loss.column is None or not loss.new_type:
        return touch
    if decide_reader(statement, names, loss.column, loss.new_type, dialect, types) == "rejects":
        lines = (
            find_line_numbers([r for r in statement.reads if r.relation in names and r.column == loss.column])
            or touch.lines
        )
        note = f"what is done with {bare(loss.column)} here is rejected for {loss.new_type}"
        return Touch("stops", find_stopped(statement), lines, touch.certain, note=note)
    if statement.kind in WRITES:
        return touch  # the columns that are written keep their own type
    return replace(touch, retyped=find_handed_on(statement, names, loss.column))


def _touch_relation(statement: Statement, reads: Sequence[Read], effect: Effect) -> Touch:
    lines = find_line_numbers(reads) or (statement.line,)
    return Touch(effect, find_stopped(statement), lines)


def _touch_stop(
    statement: Statement,
    names: frozenset[str],
    reads: Sequence[Read],
    hits: Sequence[Read],
    loss: Loss,
    counts: Counts,
) -> Touch | None:
    column = loss.column or ""
    breaking = [read for read in hits if read.kind != "rebind"]
    agrees = {"union"} if not counts.uneven else set()
    agrees |= {"insert"} if counts.fits else set()
    counted = [read for read in reads if read.kind == "width" and loss.narrows and read.clause not in agrees]
    passing = [output for output in find_passing(statement, names, column) if _keeps_name(output, names, column)]
    if statement.kind in WRITES and passing and loss.narrows and not counts.fits:
        counted += [Read("", "*", "select", "width", certain=True, line=output.line) for output in passing]
    sure = [read for read in (*breaking, *counted) if read.certain]
    if sure:
        return Touch("stops", find_stopped(statement), find_line_numbers(sure))
    rebound = [read for read in hits if read.kind == "rebind" and read.certain]
    if rebound:
        outputs = _dependants(statement, names, column, rebound)
        note = f"without it the name {bare(column)} silently means something else here"
        return Touch("values", outputs, find_line_numbers(rebound), note=note)
    if passing and statement.kind not in WRITES:
        lost = tuple(dict.fromkeys(column if output.name == "*" else output.name for output in passing))
        certain = all(_source_is_certain(output, names, column) for output in passing)
        return Touch("stops", lost, find_line_numbers(passing), certain, loss.narrows)
    unsure = [*hits, *counted]
    return Touch("stops", find_stopped(statement), find_line_numbers(unsure), certain=False) if unsure else None


def _touch_values(
    statement: Statement, names: frozenset[str], hits: Sequence[Read], column: str, order: Sequence[str]
) -> Touch | None:
    passing = find_passing(statement, names, column)
    hits = [read for read in hits if read.clause != "exclude"]  # its values go nowhere
    found: Sequence[Read | Output] = [read for read in hits if read.certain] or passing
    if found:
        outputs = _dependants(statement, names, column, hits)
        return Touch("values", find_placed(statement, outputs, order, column), find_line_numbers(found))
    return Touch("values", None, find_line_numbers(hits), certain=False) if hits else None


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
    columns = None if wide else find_placed(statement, tuple(dict.fromkeys(out.name for out in outputs)), order, column)
    note = f"whole rows are taken here, with {bare(column)}" if column else "whole rows are taken here"
    return Touch("values", columns, find_line_numbers(wide or outputs), all(sure), note=note)


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


def _dependants(
    statement: Statement, names: frozenset[str], column: str, hits: Sequence[Read]
) -> tuple[str, ...] | None:
    """Outputs whose value depends on the column, None = all of them (or it cannot be told which)."""
    if any(read.clause.lower() not in PROJECTION for read in hits if read.kind != "rebind"):
        return None
    if any(leaf.column == column and leaf.relation in names | {""} for leaf in find_columns(*statement.meaning)):
        return None
    outputs = [
        output
        for output in statement.outputs
        if any(ref.relation in names and ref.column in (column, "*") for ref in output.sources)
    ]
    return tuple(dict.fromkeys(column if output.name == "*" else output.name for output in outputs)) or None


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


def _keeps_name(output: Output, names: frozenset[str], column: str) -> bool:
    """The column gives the output its name. One that is taken by its place may be called anything; its width counts apart."""
    return any(not ref.placed for ref in output.sources if ref.relation in names and ref.column in (column, "*"))


def _source_is_certain(output: Output, names: frozenset[str], column: str) -> bool:
    return any(ref.certain for ref in output.sources if ref.relation in names and ref.column in (column, "*"))
