"""String literals of a Python file as pieces that know their line and place: what `ast` answers as one value stood on many lines.

Python's own parser says which expression is a string and what it is worth; here the source text between its ends is cut
again, so that every piece of the value has a line. A literal whose pieces do not add up to the value is given back whole,
on its first line. Nothing here knows SQL.
"""

from __future__ import annotations

import ast
import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Atom:
    """A piece of a string that stands on one line. `start` and `end` are offsets in the source; both 0 for made-up text."""

    text: str
    line: int
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Hole:
    """A part that nobody knows before the program runs. `loose`: it may stand for anything anywhere, so nothing is proven."""

    line: int
    why: str
    loose: bool = False


Part: TypeAlias = Atom | Hole

_OPENING = re.compile(r"(?P<prefix>[A-Za-z]{0,2})(?P<quote>\"\"\"|'''|\"|')")
_BODY = {
    "'": re.compile(r"[^'\\]*(?:\\.[^'\\]*)*", re.S),
    '"': re.compile(r"[^\"\\]*(?:\\.[^\"\\]*)*", re.S),
    "'''": re.compile(r"[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*", re.S),
    '"""': re.compile(r"[^\"\\]*(?:(?:\\.|\"(?!\"\"))[^\"\\]*)*", re.S),
}
_BETWEEN = re.compile(r"(?:\s|\\\n|#[^\n]*)*")
_PIECE = re.compile(
    r"(?P<newline>\n)|(?P<joined>\\\n)|(?P<named>\\N\{[^}\n]*\}|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}"
    r"|\\U[0-9a-fA-F]{8}|\\[0-7]{1,3})|(?P<escaped>\\[^\n{}])|(?P<brace>\{\{|\}\}|\{|\})|(?P<plain>[^\\\n{}]+|\\)"
)
_ESCAPES = {"\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_PLACEHOLDER = "\0"  # no source text holds it: Python refuses a file with a null


def plain_code(text: str) -> str:
    """The file as Python's parser counts it: no byte order mark, every line end one newline. Offsets are offsets in this."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


class Source:
    """The text of one file, and where the nodes of its tree stand in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]

    def offset(self, line: int, column: int) -> int:
        """`column` counts UTF-8 bytes, as `ast` does."""
        row = self._lines[line - 1]
        start = self._starts[line - 1]
        return start + (column if row.isascii() else len(row.encode()[:column].decode(errors="ignore")))

    def parts(self, node: ast.Constant | ast.JoinedStr) -> tuple[Atom | ast.FormattedValue, ...]:
        """The literal in its order: pieces of text and an f-string's placeholders. Raises ValueError if it cannot be cut."""
        start = self.offset(node.lineno, node.col_offset)
        end = self.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        values = node.values if isinstance(node, ast.JoinedStr) else []
        placeholders = [value for value in values if isinstance(value, ast.FormattedValue)]
        cut = [atom for one in self._tokens(start, end, node.lineno) for atom in one]
        found: list[Atom | ast.FormattedValue] = []
        waiting = iter(placeholders)
        for atom in cut:
            if atom.text != _PLACEHOLDER:
                found += [atom] if atom.text else []
            elif (value := next(waiting, None)) is not None:
                found.append(value)
        if sum(atom.text == _PLACEHOLDER for atom in cut) != len(placeholders):
            raise ValueError("placeholders and values do not match")
        _check(node, found)
        return tuple(found)

    def _tokens(self, start: int, end: int, line: int) -> Iterator[list[Atom]]:
        here = start
        while here < end:
            opening = _OPENING.match(self.text, here)
            if opening is None:
                raise ValueError("no string begins here")
            body = _BODY[opening["quote"]].match(self.text, opening.end())
            stop = body.end() if body else end
            line += self.text.count("\n", here, opening.end())
            yield list(_cut(self.text[opening.end() : stop], opening["prefix"].lower(), line, opening.end()))
            line += self.text.count("\n", opening.end(), stop)
            here = stop + len(opening["quote"])
            between = _BETWEEN.match(self.text, here)
            gap = min(between.end() if between else here, end)
            line += self.text.count("\n", here, gap)
            here = gap


def _cut(body: str, prefix: str, line: int, offset: int) -> Iterator[Atom]:
    """Pieces of one literal's inside, broken at every line of the source. A placeholder is an atom of one null."""
    raw, formatted = "r" in prefix, "f" in prefix
    text, start, here = "", 0, 0
    while here < len(body):
        match = _PIECE.match(body, here)
        if match is None:  # a backslash before nothing
            raise ValueError("a piece that no rule knows")
        kind, piece = match.lastgroup, match[0]
        if kind == "brace" and formatted and piece == "{":
            stop = _placeholder_end(body, match.end())
            yield Atom(text, line, offset + start, offset + here)
            yield Atom(_PLACEHOLDER, line)
            line += body.count("\n", here, stop)
            text, start, here = "", stop, stop
            continue
        text += _worth(kind or "", piece, raw=raw, formatted=formatted)
        here = match.end()
        if kind in ("newline", "joined"):
            yield Atom(text, line, offset + start, offset + here)
            text, start, line = "", here, line + 1
    yield Atom(text, line, offset + start, offset + here)


def _worth(kind: str, piece: str, *, raw: bool, formatted: bool) -> str:
    if kind == "brace":
        return piece[0] if formatted and len(piece) == 2 else piece
    if raw or kind in ("newline", "plain"):
        return piece
    if kind == "joined":
        return ""
    if kind == "named":
        return codecs.decode(piece, "unicode_escape")
    return _ESCAPES.get(piece[1], piece)


def _placeholder_end(body: str, here: int) -> int:
    """Just behind the bracket that closes a placeholder: brackets nest, strings in it may hold some."""
    depth, quote = 1, ""
    while here < len(body):
        char = body[here]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "{[(":
            depth += 1
        elif char in "}])":
            depth -= 1
            if depth == 0:
                return here + 1
        here += 1
    raise ValueError("a placeholder that does not end")


def _check(node: ast.Constant | ast.JoinedStr, found: Sequence[Atom | ast.FormattedValue]) -> None:
    """The pieces are the value, to the letter: else some rule of this Python's literals is not known here."""
    if isinstance(node, ast.Constant):
        wanted = str(node.value)
    else:
        wanted = "".join(v.value for v in node.values if isinstance(v, ast.Constant) and isinstance(v.value, str))
    if "".join(one.text for one in found if isinstance(one, Atom)) != wanted:
        raise ValueError("the pieces are not the value")
