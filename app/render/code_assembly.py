"""The parts of one string -> SQL with a line map, or the line of a part that is computed and may stand for anything.

A hole keeps its statement readable only where it can be shown to stand for a value: inside a quoted string or behind a
comparison in WHERE, HAVING or QUALIFY, behind LIMIT, as a plain item of a select list in quotes. There it becomes a
literal, which reads nothing. A hole in any other place could be a table, a column or half a statement: then nothing of the
string is read as if it were constant. The words are cut by rules that all dialects share; where dialects differ (`#`,
backslashes before quotes, dollar quotes) nothing is shown and the hole stands.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.render.code_literals import Atom, Hole, Part

HOLE = "\ue010"  # private use: stands for a hole while the text is cut
_FILLER = "1"
MOST_HOLES = 200  # each is looked at with all that stands before it
#: what other tools fill in later: Jinja, shell, str.format
_TEMPLATE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|\$\{[^{}]*\}|\{[A-Za-z_0-9.]*\}", re.S)
_BIND = re.compile(r"%\([A-Za-z_]\w*\)s|%s(?!\w)")
_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))|(?P<string>'(?:[^']|'')*(?:'|\Z))"
    r"|(?P<quoted>\"(?:[^\"]|\"\")*(?:\"|\Z)|`[^`]*(?:`|\Z)|\[[^\]\[(),']*\])|(?P<word>\w+)|(?P<hole>\ue010)"
    r"|(?P<operator>[<>=!|&~^+*/%:@?-]+|.)",
    re.S,
)
_DISPUTED = re.compile(r"\\+['\"]|\$\w*\$")
_COMPARES = frozenset({"=", "==", "<", ">", "<=", ">=", "<>", "!=", "like", "ilike", "rlike"})
_ENDS = frozenset({
    "and", "or", "group", "order", "having", "qualify", "limit", "union", "intersect", "except", "offset", "fetch", "window",
    ")", ";", ",",
})  # fmt: skip
_CLAUSES = frozenset({
    "select", "from", "where", "having", "qualify", "join", "on", "group", "order", "limit", "set", "values", "using",
    "into", "union", "intersect", "except", "window", "table", "update", "merge", "call", "execute", "copy", "partition",
})  # fmt: skip
_FILTERS = frozenset({"where", "having", "qualify", "partition"})
#: where a quoted string can be nothing but a value
_QUOTED = _FILTERS | {"on", "values", "set"}
#: functions that take a name as a string
_NAMING = frozenset({"identifier", "table", "dblink", "openquery", "openrowset", "query", "execute"})


@dataclass(frozen=True, slots=True)
class Assembled:
    """`sql` with `lines[i]` the source line of its line i + 1; or `why` and the line of the part that is not known."""

    sql: str
    lines: tuple[int, ...]
    spans: tuple[tuple[int, int], ...] = ()
    why: str | None = None


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    word: str  # lower case


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
    tokens = tuple(_cut(text))
    unproven = _find_unproven(text, tokens)
    if unproven is not None:
        return _refuse(_line_at(marks, unproven))
    sql, lines = _break_lines(text, marks, tokens)
    return Assembled(sql.replace(HOLE, _FILLER), lines, _merge(parts))


def find_start(parts: Sequence[Part]) -> str:
    """The first words of the text, comments and brackets taken away, white space made one blank; holes in front skipped."""
    text = "".join(part.text for part in parts if isinstance(part, Atom))[:20_000]
    words: list[str] = []
    for token in _cut(text):
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


def _break_lines(text: str, marks: list[tuple[int, int]], tokens: Sequence[_Token]) -> tuple[str, tuple[int, ...]]:
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


def _find_break(tokens: Sequence[_Token], starts: Sequence[int], start: int, stop: int) -> int | None:
    """The first offset in front of `stop` where a new line of SQL may begin."""
    place = bisect_right(starts, start) - 1
    if _may_part(tokens, place, start):
        return start
    behind = range(place + 1, bisect_left(starts, stop))
    return next((starts[n] for n in behind if _may_part(tokens, n, starts[n])), None)


def _may_part(tokens: Sequence[_Token], place: int, offset: int) -> bool:
    """Whether white space may come in here: not inside a word or quotes, not between N and '...', not in a line comment."""
    after, before = tokens[place], tokens[place - 1] if place else None
    if after.start != offset:
        return after.kind == "space"
    if before is None or (before.kind == "comment" and before.text.startswith("--")):
        return before is None
    return "space" in (before.kind, after.kind) or before.text in ("(", ",", ")") or after.text in ("(", ",", ")")


# --- holes ---------------------------------------------------------------------------------------------------------


def _cut(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        yield _Token(match.lastgroup or "", match[0], match.start(), match[0].lower() if match["word"] else match[0])


def _find_unproven(text: str, tokens: Sequence[_Token]) -> int | None:
    """The offset of the first hole that is not shown to be a value."""
    places = [place for place, token in enumerate(tokens) if HOLE in token.text]
    given_up = len(places) > MOST_HOLES or (bool(places) and _is_disputed(text, tokens))
    for place in places:
        if given_up or not _is_value(tokens, place):
            return tokens[place].start + tokens[place].text.index(HOLE)
    return None


def _is_disputed(text: str, tokens: Sequence[_Token]) -> bool:
    """Something stands in the text that one dialect takes for a comment or a quote and another does not."""
    return _DISPUTED.search(text) is not None or any(token.text == "#" for token in tokens)


def _is_value(tokens: Sequence[_Token], place: int) -> bool:
    token = tokens[place]
    before = [t for t in tokens[max(place - 12, 0) : place] if t.kind not in ("space", "comment")]
    after = next((t for t in tokens[place + 1 :] if t.kind not in ("space", "comment")), None)
    clause, depth = _find_clause(tokens[:place])
    last = before[-1] if before else None
    if token.kind == "string":
        if len(before) > 1 and last and last.text == "(" and before[-2].word in _NAMING:
            return False
        if clause != "select" or last is None:
            return clause in _QUOTED
        return last.word in _COMPARES or (depth == 0 and last.word in ("select", ","))
    if token.kind != "hole" or not _stands_alone(tokens, place) or last is None:
        return False
    ends = after is None or after.word in _ENDS
    if last.word in ("limit", "offset"):
        return ends
    return clause in _FILTERS and ends and _is_compared(before)


def _stands_alone(tokens: Sequence[_Token], place: int) -> bool:
    """No name, dot or quote touches the hole: it is a whole word."""
    touching = [*tokens[max(place - 1, 0) : place], *tokens[place + 1 : place + 2]]
    return not any(t.kind in ("word", "quoted", "string", "hole") or t.text in ".[" for t in touching)


def _is_compared(before: Sequence[_Token]) -> bool:
    """A comparison, BETWEEN ... AND, or a list behind IN stands in front, with a column (no hole) on its other side."""
    words = [token.word for token in before]
    if words[-1] in _COMPARES:
        return len(words) > 1 and HOLE not in words[-2]
    if words[-1] == "between":
        return True
    if words[-1] == "and":
        return "between" in words[-4:-1]
    if words[-1] == ",":  # a list goes on: its items are values as far back as can be seen
        opened = len(words) - 1 - words[::-1].index("(") if "(" in words else 0
        return opened > 0 and words[opened - 1] == "in"
    return words[-1] == "(" and len(words) > 1 and words[-2] == "in"


def _find_clause(tokens: Sequence[_Token]) -> tuple[str, int]:
    """(the clause a place stands in, the open brackets since the clause began). Brackets without a clause are the outer's."""
    stack: list[str] = [""]
    for token in tokens:
        if token.text == "(":
            stack.append("")
        elif token.text == ")" and len(stack) > 1:
            stack.pop()
        elif token.kind == "word" and token.word in _CLAUSES:
            stack[-1] = token.word
    for depth, clause in enumerate(reversed(stack)):
        if clause:
            return clause, depth
    return "", len(stack)
