"""Strangers' text made harmless: what GitHub would render, link, mention or hide is neutralised here and nowhere else.

Names and SQL come from pull requests and catalogs. They go out as code spans (`code`), as escaped prose (`escape`) or as
plain text (`plain`: titles, annotations, lines inside a fence). GitHub resolves mentions and references after Markdown, on
the rendered text, so that a backslash does not stop them: `@` and `#` are followed by a zero-width space instead.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

#: GitHub: "exceeds a maximum bytesize of 65535" for a check run's summary and text, though documented as characters
CHECK_BYTES = 65_535
#: GitHub: 65,536 characters a comment, then 422. Kept in bytes: never more characters than bytes.
COMMENT_BYTES = 65_536
TITLE_CHARACTERS = 255
NAME_CHARACTERS = 200

#: never visible, though Unicode files them under letters, marks and symbols (fillers, joiners, variation selectors, blank)
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | {chr(c) for c in range(0xFE00, 0xFE10)}
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_ENTITIES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    "\\": "&#92;",
    "|": "&#124;",
    "$": "&#36;",
    "@": "@&#8203;",
    "#": "\\#&#8203;",
    **{mark: "\\" + mark for mark in "`*_[]~"},
}


def plain(text: str, *, limit: int = 1000) -> str:
    """One line of visible characters, at most `limit`. What would not be seen (controls, RTL marks, zero widths, lone
    surrogates) is spelled out as U+XXXX, so that two names that look alike still read differently."""
    shown = "".join(_seen(character) for character in text[: limit + 1])
    line = " ".join(shown.split())
    return line if len(line) <= limit and len(text) <= limit else line[: limit - 1].rstrip() + "…"


def escape(text: str, *, limit: int = 1000) -> str:
    """Prose: no markup, HTML, mention, reference or automatic link comes out of it."""
    line = "".join(_ENTITIES.get(character, character) for character in plain(text, limit=limit))
    line = line.replace("://", "\\://")
    line = re.sub(r"(?i)\bwww\.", lambda found: found.group()[:-1] + "\\.", line)
    line = re.sub(r"(?i)\bGH-(?=\d)", lambda found: found.group() + "&#8203;", line)
    line = re.sub(r"^(\d+)([.)])", r"\1\\\2", line)
    return re.sub(r"^([-+=:])", r"\\\1", line)


def code(text: str, *, limit: int = NAME_CHARACTERS) -> str:
    """A code span, safe in a table cell and in a link's text: GitHub looks for nothing inside one."""
    line = plain(text, limit=limit)
    if not line:
        return "—"
    if not set(line) & set("`|\\"):
        return f"`{line}`"
    # A backtick would end the span and a pipe the cell, whatever is put before it: HTML with entities has no such ends.
    spelled = "".join(c if c.isalnum() or c in " -,/" else f"&#{ord(c)};" for c in line)
    return f"<code>{spelled}</code>"


def link(text: str, url: str | None, *, limit: int = NAME_CHARACTERS) -> str:
    """`text` as a code span, linked when there is somewhere to go. `url` comes from `permalink`: already quoted."""
    return f"[{code(text, limit=limit)}]({url})" if url else code(text, limit=limit)


def fence(lines: Iterable[str], language: str = "") -> str:
    """A fenced block, its fence longer than any run of backticks inside. `lines` are made plain, indentation kept;
    in a diff their first character is the mark."""
    kept = []
    for line in lines:
        mark, rest = (line[:1], line[1:]) if language == "diff" else ("", line)
        text = rest.lstrip(" ")
        kept.append(mark + " " * (len(rest) - len(text)) + plain(text, limit=300))
    longest = max((len(run) for line in kept for run in re.findall(r"`+", line)), default=0)
    marks = "`" * max(3, longest + 1)
    return "\n".join((marks + language, *kept, marks))


def cut_bytes(text: str, limit: int, pointer: str) -> str:
    """At most `limit` bytes of UTF-8, cut at a character and ended by `pointer`, which says that and where more is."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= limit:
        return text
    room = max(0, limit - len(pointer.encode()))
    return encoded[:room].decode("utf-8", "ignore") + pointer


def pack(blocks: Iterable[str], limit: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The blocks that fit into `limit` bytes when joined by blank lines, and the rest. A block is never cut in two."""
    kept: list[str] = []
    rest: list[str] = []
    size = 0
    for block in blocks:
        need = len(block.encode("utf-8", "replace")) + 2
        if rest or size + need > limit:
            rest.append(block)
        else:
            kept.append(block)
            size += need
    return tuple(kept), tuple(rest)


def _seen(character: str) -> str:
    category = unicodedata.category(character)
    if character in "\n\r\t" or category == "Zs":
        return " "
    if category in _UNSEEN or character in _BLANKS:
        return f"⟨U+{ord(character):04X}⟩"
    return character
