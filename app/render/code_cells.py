"""SQL cells of a Databricks notebook that is kept as Python: `# MAGIC %sql` and the `# MAGIC` lines behind it.

To Python they are comments, to the notebook they are code (docs.databricks.com, "Databricks notebook format: source").
A cell with a widget's or a variable's placeholder is read like any SQL; what does not parse says so where it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from app.render.sql_text import SqlText

HEADER = "# Databricks notebook source"
_MAGIC = re.compile(r"# MAGIC ?(.*)")
_SQL = re.compile(r"\s*%sql\b(.*)", re.I)
_OTHER = re.compile(r"\s*%\w+")


@dataclass(slots=True)
class _Cell:
    start: int
    end: int
    sql: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def add(self, text: str, line: int, end: int) -> None:
        self.sql.append(text)
        self.lines.append(line)
        self.end = end


def find_sql_cells(path: str, plain: str) -> tuple[SqlText, ...]:
    """One text for each SQL cell, in the order of the file; () for any other Python."""
    if not plain.startswith(HEADER):
        return ()
    return tuple(
        SqlText(path, "\n".join(cell.sql), tuple(cell.lines), kind="python", spans=((cell.start, cell.end),))
        for cell in _find_cells(plain)
        if any(line.strip() for line in cell.sql)
    )


def _find_cells(plain: str) -> Iterator[_Cell]:
    cell: _Cell | None = None
    offset = 0
    for number, line in enumerate(plain.split("\n"), start=1):
        magic = _MAGIC.fullmatch(line.rstrip("\r"))
        begins = magic is not None and _OTHER.match(magic[1]) is not None
        if cell is not None and (magic is None or begins):
            yield cell
            cell = None
        if magic is not None:
            sql = _SQL.fullmatch(magic[1])
            if sql is not None:
                cell = _Cell(offset, offset)
            if cell is not None:
                cell.add(magic[1] if sql is None else sql[1], number, offset + len(line))
        offset += len(line) + 1
    if cell is not None:
        yield cell
