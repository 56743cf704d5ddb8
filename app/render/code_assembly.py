"""The parts of one string -> SQL with a line map, or the line of a part that is computed and may stand for anything.

A hole keeps its statement readable only where it can be shown to stand for a value: inside a quoted string or behind a
comparison in WHERE, HAVING or QUALIFY, behind LIMIT, as a plain item of a select list in quotes. There it becomes a
literal, which reads nothing. A hole in any other place could be a table, a column or half a statement: then nothing of the
string is read as if it were constant.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from app.render.code_literals import Atom, Hole, Part
from app.render.code_values import HOLE, Token, find_tokens, find_unproven

_FILLER = "1"
#: what other tools fill in later: Jinja, shell, str.format
_TEMPLATE = re.compile(
    r"\{\{.{0,2000}?\}\}|\{%.{0,2000}?%\}|\{#.{0,2000}?#\}|\$\{[^{}]{0,200}\}|\{[A-Za-z_0-9.]{0,200}\}", re.S
)
_BIND = re.compile(r"%\([A-Za-z_]\w*\)s|%s(?!\w)")


@dataclass(frozen=True, slots=True)
class Assembled:
    """`sql` with `lines[i]` the source line of its line i + 1; or `why` and the line of the part that is not known."""

    sql: str
    lines: tuple[int, ...]
    spans: tuple[tuple[int, int], ...] = ()
    why: str | None = None


def assemble(parts: Sequence[Part], *, bound: bool) -> Assembled:
    """`bound`: the string goes to a driver as it is, so that `%s` and `%(name)s` are parameters, hence values."""
    first = next((part.line for part in parts), 1)
    loose = next((part for part in parts if isinstance(part, Hole) and part.loose), None)
    if loose is not None:
        return _refuse(loose.line)
    if any(HOLE in part.text for part in parts if isinstance(part, Atom)):
        return _refuse(first)
    text, marks = _flatten(parts)
    text, marks = _replace(text, marks, _TEMPLATE, HOLE)
    text, marks = _replace(text, marks, _BIND, _FILLER if bound else HOLE)
    tokens = tuple(find_tokens(text))
    unproven = find_unproven(text, tokens)
    if unproven is not None:
        return _refuse(_line_at(marks, unproven))
    sql, lines = _break_lines(text, marks, tokens)
    return Assembled(sql.replace(HOLE, _FILLER), lines, _merge(parts))


def find_start(parts: Sequence[Part]) -> str:
    """The first words of the text, comments and brackets taken away, white space made one blank; holes in front skipped."""
    text = "".join(part.text for part in parts if isinstance(part, Atom))[:20_000]
    words: list[str] = []
    for token in find_tokens(text):
        if token.kind in ("space", "comment") or (not words and token.text in "(;"):
            continue
        words.append(token.text)
        if len(words) == 12:
            break
    return " ".join(words)


def _refuse(line: int) -> Assembled:
    return Assembled("", (line,), why=f"SQL at line {line} has a part that is computed")


def _merge(parts: Sequence[Part]) -> tuple[tuple[int, int], ...]:
    """Where the constant text stands in the file; neighbours made one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted({(part.start, part.end) for part in parts if isinstance(part, Atom) and part.end}):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


# --- text and lines ------------------------------------------------------------------------------------------------


def _flatten(parts: Sequence[Part]) -> tuple[str, list[tuple[int, int]]]:
    """(the text, holes as one character each; where in it each source line begins to speak: offset, line)."""
    pieces: list[str] = []
    marks: list[tuple[int, int]] = []
    offset = 0
    for part in parts:
        piece = part.text if isinstance(part, Atom) else HOLE
        if piece:
            marks.append((offset, part.line))
            pieces.append(piece)
            offset += len(piece)
    return "".join(pieces), marks


def _replace(
    text: str, marks: list[tuple[int, int]], pattern: re.Pattern[str], new: str
) -> tuple[str, list[tuple[int, int]]]:
    """The text with every match replaced, the marks moved along."""
    pieces: list[str] = []
    moved: list[tuple[int, int]] = []
    waiting, here, size = 0, 0, 0
    for start, end in [*(match.span() for match in pattern.finditer(text)), (len(text), len(text))]:
        while waiting < len(marks) and marks[waiting][0] <= start:
            moved.append((size + max(marks[waiting][0] - here, 0), marks[waiting][1]))
            waiting += 1
        pieces.append(text[here:start])
        size += start - here
        while waiting < len(marks) and marks[waiting][0] < end:
            moved.append((size, marks[waiting][1]))
            waiting += 1
        if end > start:
            pieces.append(new)
            size += len(new)
        here = end
    return "".join(pieces), moved


def _line_at(marks: Sequence[tuple[int, int]], offset: int) -> int:
    return next((line for start, line in reversed(marks) if start <= offset), marks[0][1] if marks else 1)


def _break_lines(text: str, marks: list[tuple[int, int]], tokens: Sequence[Token]) -> tuple[str, tuple[int, ...]]:
    """A new line of SQL wherever the source begins one and none is there: between words only, never inside one."""
    starts = [token.start for token in tokens]
    pieces: list[str] = []
    lines: list[int] = []
    current = 0  # the source line of the SQL line that is being written; 0: nothing on it yet
    for (start, line), (stop, _) in zip(marks, [*marks[1:], (len(text), 0)], strict=False):
        at = _find_break(tokens, starts, start, stop) if current not in (0, line) else None
        here = start
        if at is not None:
            *ended, rest = text[start:at].split("\n")
            pieces += [text[start:at], "\n"]
            lines += [current, *[line] * len(ended)]
            current, here = 0, at
        current = current or line
        *ended, rest = text[here:stop].split("\n")
        for _ in ended:
            lines.append(current)
            current = line
        if ended and not rest.strip():
            current = 0
        pieces.append(text[here:stop])
    return "".join(pieces), (*lines, current or (marks[-1][1] if marks else 1))


def _find_break(tokens: Sequence[Token], starts: Sequence[int], start: int, stop: int) -> int | None:
    """The first offset in front of `stop` where a new line of SQL may begin."""
    place = bisect_right(starts, start) - 1
    if _may_part(tokens, place, start):
        return start
    behind = range(place + 1, bisect_left(starts, stop))
    return next((starts[n] for n in behind if _may_part(tokens, n, starts[n])), None)


def _may_part(tokens: Sequence[Token], place: int, offset: int) -> bool:
    """Whether white space may come in here: not inside a word or quotes, not between N and '...', not in a line comment."""
    after, before = tokens[place], tokens[place - 1] if place else None
    if after.start != offset:
        return after.kind == "space"
    if before is None or (before.kind == "comment" and before.text.startswith("--")):
        return before is None
    return "space" in (before.kind, after.kind) or before.text in ("(", ",", ")") or after.text in ("(", ",", ")")
