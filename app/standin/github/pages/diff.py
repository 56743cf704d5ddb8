"""A changed file line by line, with what checks and people remarked under the lines they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, Literal, TypeAlias

from app.standin.github.git_diff import Change
from app.standin.github.pages.frame import file_path
from app.standin.github.records import RepoRecord

Kind: TypeAlias = Literal["add", "del", "same", "hunk", "quiet"]
_HUNK: Final = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_KINDS: Final[Mapping[str, Kind]] = {"+": "add", "-": "del", " ": "same", "\\": "quiet"}
#: lines shown before and after a remark that stands outside of the diff
_AROUND: Final = 3


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a diff with its number before and after, where it has one."""

    kind: Kind
    text: str
    before: int | None = None
    after: int | None = None


def parse_patch(patch: str) -> Iterator[DiffLine]:
    """The lines of a patch as GitHub's API gives it: hunks without a header."""
    before = after = 0
    for line in patch.split("\n"):
        if (hunk := _HUNK.match(line)) is not None:
            before, after = int(hunk[1]), int(hunk[2])
            yield DiffLine("hunk", line)
            continue
        kind = _KINDS.get(line[:1], "same")
        old, new = kind in ("del", "same"), kind in ("add", "same")
        yield DiffLine(kind, line[1:], before if old else None, after if new else None)
        before, after = before + old, after + new


def find_lines(change: Change) -> frozenset[int]:
    """The numbers, after the change, of the lines that its diff shows."""
    return frozenset(line.after for line in parse_patch(change.patch or "") if line.after is not None)


def render_diff(repo: RepoRecord, sha: str, change: Change, remarks: Mapping[int, Sequence[str]]) -> str:
    """`remarks`: line after the change -> HTML to put under it. Those of lines that are not shown are put on top."""
    was = f"{escape(change.previous)} → " if change.previous else ""
    there = change.status != "removed"
    name = f'<a class="code" href="{file_path(repo, sha, change.path)}">{escape(change.path)}</a>'
    plain = f'<span class="code">{escape(change.path)}</span>'
    counts = f'<span class="plus">+{change.additions}</span> <span class="minus">&minus;{change.deletions}</span>'
    shown = f"{was}{name if there else plain}"
    bar = f'<div class="bar"><span>{shown}</span><span>{counts}</span><span class="quiet">{change.status}</span></div>'
    if change.patch is None:
        return f'<div class="file">{bar}<p class="quiet">Not shown: binary, large, or without a changed line.</p></div>'
    seen = find_lines(change)
    rows = [_remark_row(notes) for line, notes in remarks.items() if line not in seen]
    for line in parse_patch(change.patch):
        rows.append(_row(line))
        if line.after is not None and line.after in remarks:
            rows.append(_remark_row(remarks[line.after]))
    return f'<div class="file">{bar}<table class="lines">{_COLUMNS}{"".join(rows)}</table></div>'


_COLUMNS: Final = '<colgroup><col class="n"><col class="n"><col></colgroup>'


def _row(line: DiffLine) -> str:
    marks: Mapping[Kind, str] = {"add": "+", "del": "-", "same": " "}
    before, after = ("" if number is None else str(number) for number in (line.before, line.after))
    text = escape(f"{marks.get(line.kind, '')}{' ' if line.kind in marks else ''}{line.text}")
    cells = f'<td class="n">{before}</td><td class="n">{after}</td><td class="code">{text}</td>'
    return f'<tr class="{line.kind}">{cells}</tr>'


def _remark_row(notes: Sequence[str]) -> str:
    return f'<tr class="note"><td colspan="3">{"".join(notes)}</td></tr>'


def render_excerpt(
    repo: RepoRecord, sha: str, path: str, lines: Sequence[str], remarks: Mapping[int, Sequence[str]]
) -> str:
    """The lines around each remark in a file as it is; `lines` are all of the file's, none where it is not there."""
    bar = f'<div class="bar"><a class="code" href="{file_path(repo, sha, path)}">{escape(path)}</a></div>'
    rows: list[str] = []
    last = 0
    for at, notes in sorted(remarks.items()):
        first = max(last + 1, at - _AROUND)
        rows += [_plain_row(number, lines[number - 1]) for number in range(first, min(at, len(lines)) + 1)]
        rows.append(_remark_row(notes))
        last = max(last, at)
    return f'<div class="file">{bar}<table class="lines">{_COLUMNS}{"".join(rows)}</table></div>'


def _plain_row(number: int, text: str) -> str:
    return f'<tr><td class="n"></td><td class="n">{number}</td><td class="code">{escape(text)}</td></tr>'
