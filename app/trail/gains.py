"""What a statement makes of columns that come or change places, though none of those that it names is lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from app.reads import Read, Rival, Statement
from app.trail.hop import Loss
from app.trail.touched import WRITES, Touch, comes_from, find_line_numbers, find_placed, find_stopped
from app.trail.urns import bare
from app.trail.width import LENIENT, SHORT_LISTS, Counts

#: read the text of a view at each query; all others keep the list of columns that its star stood for
_READS_VIEWS_ANEW: Final = frozenset({"duckdb", "sqlite"})
#: may fill the columns that an INSERT lacks with NULL, depending on version and settings
_MAY_FILL: Final = frozenset({"spark", "databricks", "hive"})


def touch_order(
    statement: Statement, names: frozenset[str], loss: Loss, order: Sequence[str], counts: Counts
) -> Touch | None:
    """Only who reads by place notices a new order, and who counts columns notices that there are more."""
    reads = [read for read in statement.reads if read.relation in names]
    counted = [read for read in reads if read.kind == "width" and counts.grown and _breaks(read.clause, counts)]
    if counted:
        note = "the numbers of columns no longer agree here"
        return Touch("stops", find_stopped(statement), find_line_numbers(counted), note=note)
    stars = [output for output in statement.outputs if output.via_star and comes_from(output, names)]
    if statement.kind in WRITES and _by_place(statement, reads, with_stars=bool(stars)):
        lines = find_line_numbers(stars) or find_line_numbers(reads)
        if counts.fits:
            return None
        if loss.at_end:
            return Touch(
                "stops", find_stopped(statement), lines, note="more columns are inserted here than the table has"
            )
        touched = tuple(output.name for output in stars)
        return Touch("values", find_placed(statement, touched or None, order, ""), lines)
    by_place = [read for read in reads if read.kind == "position"]
    if not by_place and any(not names.isdisjoint(branch) for union in statement.unions for branch in union):
        by_place = [read for read in reads if read.kind == "width" and read.clause == "union"]
    if by_place and not loss.at_end:
        return Touch("values", None, find_line_numbers(by_place), all(read.certain for read in by_place))
    return None


def _breaks(clause: str, counts: Counts) -> bool:
    """`insert` is a matter of two tables, see `Counts.fits`."""
    if clause == "union":
        return counts.uneven
    return clause != "insert" and (clause == "in" or counts.dialect not in SHORT_LISTS)


def _by_place(statement: Statement, reads: Sequence[Read], *, with_stars: bool) -> bool:
    """Rows go in by place: no names, or a list of names over a star. INSERT BY NAME and MERGE's INSERT * do neither."""
    listed = any(read.kind == "width" and read.clause == "insert" for read in reads)
    return listed or (statement.positional and with_stars)


def touch_gain(
    statement: Statement, names: frozenset[str], loss: Loss, order: Sequence[str], counts: Counts
) -> Touch | None:
    """The relation has a column anew: a name of the statement may now mean it as well, or instead."""
    column = loss.column or ""
    rivals = [r for r in statement.rivals if r.relation in names and r.column in (column, "*")]
    sure = [rival for rival in rivals if rival.certain]
    stops = [rival for rival in sure if rival.effect == "stops"]
    if stops:
        note = f"with the new column the name {bare(column)} is ambiguous here"
        return Touch("stops", find_stopped(statement), find_line_numbers(stops), note=note)
    if sure:
        note = f"the name {bare(column)} silently means the new column here"
        outputs = find_placed(statement, _outputs(sure), order, column)
        return Touch("values", outputs, find_line_numbers(sure), note=note)
    if rivals:
        return Touch("values", None, find_line_numbers(rivals), certain=False)
    return _hand_on(statement, names, column, order, counts)


def _outputs(rivals: Sequence[Rival]) -> tuple[str, ...] | None:
    if any(rival.outputs is None for rival in rivals):
        return None
    return tuple(dict.fromkeys(name for rival in rivals for name in rival.outputs or ()))


def _hand_on(
    statement: Statement, names: frozenset[str], column: str, order: Sequence[str], counts: Counts
) -> Touch | None:
    """A star gives the new column to the target as well. INSERT BY NAME needs it there already."""
    if names.isdisjoint(statement.wide):
        return None
    stars = [
        output for output in statement.outputs if (output.via_star or output.name == "*") and comes_from(output, names)
    ]
    lines = find_line_numbers(stars) or (statement.line,)
    if statement.kind not in WRITES:
        certain = statement.kind != "create_view" or counts.dialect in _READS_VIEWS_ANEW
        return Touch("values", (column,), lines, certain, gained=True)
    reads = [read for read in statement.reads if read.relation in names]
    by_name = (
        statement.kind == "insert" and not statement.positional and not _by_place(statement, reads, with_stars=True)
    )
    if by_name and order and column not in order and not counts.target:
        return Touch("stops", None, lines, note=f"the table that is filled here has no column {bare(column)}")
    return None


def touches_own_target(statement: Statement, loss: Loss, counts: Counts) -> Touch | None:
    """A loader that still writes a column which the change takes from its target, or does not know of one that it has anew:
    the statement fails. Columns that changed places are filled with each other's values.

    Only for what the change itself does; a relation that is merely not rebuilt still has its columns.
    """
    if statement.kind not in ("insert", "merge", "update"):
        return None
    if loss.by_position:
        return _fills_by_place(statement, loss, counts)
    if not loss.physical or loss.effect != "stops":
        return None
    if loss.column is None:
        return Touch("stops", None, (statement.line,))
    if statement.positional:
        return Touch("stops", None, (statement.line,)) if loss.narrows and not counts.fits else None
    written = [output for output in statement.outputs if output.name == loss.column]
    return Touch("stops", None, tuple(output.line for output in written)) if written else None


def _fills_by_place(statement: Statement, loss: Loss, counts: Counts) -> Touch | None:
    if not statement.positional or not statement.relations or counts.fits:
        return None
    if not loss.at_end:
        return Touch("values", None, (statement.line,), note="the columns that it fills by place stand elsewhere now")
    if counts.dialect in LENIENT or not counts.grown:
        return None
    note = "it gives no value for the new column"
    return Touch("stops", None, (statement.line,), certain=counts.dialect not in _MAY_FILL, note=note)
