"""Marks that carry the source line through a rendering, as private-use characters: U+E000 line U+E001.

They stand in front of every line of a template's own text and in front of every `{{`. Text that a macro or a variable brings
has none, so it belongs to the line that brings it. Results of unknown calls stand in U+E002 ... U+E003, the relations handed
to them behind U+E004; `settle` decides what becomes of them when all text around them is there. U+E005 stands on both sides
of a relation that dbt writes in quotes: a word that touches it begins or ends there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream

OPEN, CLOSE, CALL, CALL_END, GIVEN, EDGE = "\ue000", "\ue001", "\ue002", "\ue003", "\ue004", "\ue005"
_PRIVATE: Final = re.compile("[\ue000-\ue005]")
_MARK: Final = re.compile(f"{OPEN}(\\d+){CLOSE}")
_CLEAN: Final = re.compile(f"{OPEN}\\d+{CLOSE}|{GIVEN}[^{CALL_END}]*(?={CALL_END})|[{CALL}{CALL_END}{EDGE}]")
_TOUCHED: Final = re.compile(f"(?<=\\w)((?:{OPEN}\\d+{CLOSE})*{EDGE}(?:{OPEN}\\d+{CLOSE}|{EDGE})*)(?=\\w)")
_CALL: Final = re.compile(f"{CALL}([^{CALL}{CALL_END}]*){CALL_END}")
_COMMENT: Final = re.compile(r"--[^\n]*(?=\n)|/\*.*?\*/", re.DOTALL)
#: what a line break inside would change
_PROTECTED: Final = re.compile(
    r"--[^\n]*|#[^\n]*|/\*.*?(?:\*/|\Z)|\$(\w*)\$.*?(?:\$\1\$|\Z)|'(?:[^'\\]|''|\\.)*(?:'|\Z)"
    r'|"(?:[^"\\]|""|\\.)*(?:"|\Z)|`[^`]*(?:`|\Z)',
    re.DOTALL,
)
#: behind one of these words an expression may begin
_OPENS: Final = frozenset({
    *("select", "distinct", "where", "and", "or", "on", "by", "then", "else", "when", "not", "in", "as", "over", "having"),
    *("between", "like", "ilike", "case", "from", "join", "union", "all", "with", "is", "using", "set", "values", "limit"),
    *("qualify", "filter", "except", "intersect", "lateral", "returning"),
})  # fmt: skip
_QUERY: Final = re.compile(r"(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*(?:select|with)\b", re.IGNORECASE)
#: behind it, a call has no name of its own
_UNNAMED: Final = re.compile(r"\s*(?:from\b|,)", re.IGNORECASE)
_BRACKETED: Final = re.compile(r"\([^()]*\)")
_SELECT: Final = re.compile(r"\bselect\b", re.IGNORECASE)
_BRANCH: Final = re.compile(
    r"(?:\b(?:union|intersect|except|minus)(?:\s+(?:all|distinct))?[\s(]*|(?:\b(?:in|exists|any|some)|[=<>])\s*\(\s*)\Z",
    re.IGNORECASE,
)
#: in a list that such a word begins, nothing is projected
_NO_PROJECTION: Final = re.compile(r"\b(?:from|where|by|on|having|values|set|in|using|qualify)\b|\(", re.IGNORECASE)
_FROM: Final = frozenset({"from", "join", "using", "lateral"})


def find_protected(sql: str) -> Iterator[re.Match[str]]:
    """Comments, strings and names in quotes."""
    return _PROTECTED.finditer(sql)


def without_private(text: str) -> str:
    """A source that cannot forge marks."""
    return _PRIVATE.sub("?", text) if _PRIVATE.search(text) else text


def clean(text: str) -> str:
    """The text as the template's author sees it: for comparisons, arguments, filters."""
    return _CLEAN.sub("", text) if _PRIVATE.search(text) else text


class LineMarks(Extension):
    """Puts the marks in while the template is read; `environment.marking` says whether this one is to have any."""

    def filter_stream(self, stream: TokenStream) -> TokenStream | Iterable[Token]:
        return _mark(stream) if getattr(self.environment, "marking", False) else stream


def _mark(stream: TokenStream) -> Iterator[Token]:
    for token in stream:
        if token.type == "data":
            yield Token(token.lineno, "data", mark_lines(token.value, token.lineno))
            continue
        if token.type == "variable_begin":
            yield Token(token.lineno, "data", f"{OPEN}{token.lineno}{CLOSE}")
        yield token


def mark_lines(text: str, first: int) -> str:
    """A text of the template whose first line is that line of the file."""
    return "\n".join(f"{OPEN}{first + i}{CLOSE}{line}" for i, line in enumerate(text.split("\n")))


def settle(text: str) -> str:
    """An unknown call that stands where an expression may stand stays visible; behind a finished expression it goes.

    Given relations, it becomes a query over them: behind FROM or JOIN of all their columns, in an expression of the columns
    that it was given. Without a name of its own in what SELECT projects it stands for columns that it does not tell: a star.
    """
    if CALL not in text:
        return text
    out: list[str] = []
    tail, end = "", 0
    for match in _CALL.finditer(text):
        before = tail + text[end : match.start()]
        for piece in (
            text[end : match.start()],
            _settled(before, match.group(1), text[match.end() : match.end() + 600]),
        ):
            out.append(piece)
            tail = (tail + piece)[-600:]
        end = match.end()
    return "".join([*out, text[end:]])


def _settled(before: str, call: str, after: str) -> str:
    shown, _, relations = call.partition(GIVEN)
    plain = _COMMENT.sub("", _CLEAN.sub("", _last_lines(before))).rstrip()
    word = re.search(r"(\w+)$", plain)
    last = word.group(1).lower() if word else ""
    if not plain and _QUERY.match(_CLEAN.sub("", after)):
        return ""  # nothing but its effects can be meant in front of the whole query
    if plain and (plain[-1] in ")]\"'`" or (last and last not in _OPENS)):
        return ""
    named = relations.split(GIVEN) if relations else []
    if named and last in _FROM:
        return "(" + " union all by name ".join(f"select * from {name}" for name in named) + ")"  # noqa: S608 - read, never run
    if _is_projected(plain, last) and _UNNAMED.match(_CLEAN.sub("", after)):
        return "*" if named else f"*, {shown}"
    return f"(select {shown} from {', '.join(named)})" if named else shown  # noqa: S608


def _is_projected(plain: str, last: str) -> bool:
    """The text ends where SELECT begins its list, or within it. Not in a later branch of a union, nor in
    a subquery of an expression: what is projected there needs no name."""
    selects = list(_SELECT.finditer(plain))
    if selects and _BRANCH.search(plain[: selects[-1].start()]):
        return False
    if last in ("select", "distinct"):
        return True
    if not plain.endswith(","):
        return False
    listed = plain[selects[-1].end() :] if selects else plain
    while (shorter := _BRACKETED.sub("", listed)) != listed:
        listed = shorter
    return _NO_PROJECTION.search(listed) is None


def _last_lines(text: str) -> str:
    """Enough of the end, not beginning within a line, whose comment would look like SQL."""
    cut = text[-600:]
    return cut if len(cut) < 600 or "\n" not in cut else cut[cut.index("\n") + 1 :]


def unmark(text: str, line_count: int) -> tuple[str, tuple[int, ...]]:
    """Plain SQL, and for each of its lines the 1-based source line, at most `line_count`.

    A line put together from several source lines is broken between them where a line break changes nothing.
    """
    pieces = _MARK.split(_TOUCHED.sub(r" \1", text).replace(EDGE, ""))
    marks: list[tuple[int, int]] = [(0, 1)]
    out = [pieces[0]]
    offset = len(pieces[0])
    for number, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        marks.append((offset, min(max(int(number[:9]), 1), max(line_count, 1))))
        out.append(piece)
        offset += len(piece)
    sql = _PRIVATE.sub("", "".join(out)) if CALL in text or GIVEN in text else "".join(out)
    by_line = list(_by_line(sql, marks))
    cuts = _find_cuts(sql, by_line)
    if cuts:
        sql, marks = _break(sql, marks, cuts)
        by_line = list(_by_line(sql, marks))
    return sql, tuple(parts[0][1] if parts else at for at, parts in by_line)


def _by_line(sql: str, marks: list[tuple[int, int]]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """For each rendered line: the source line at its start, and (offset, source line) of its visible parts."""
    offsets = [offset for offset, _ in marks]
    start = 0
    for text in sql.split("\n"):
        end = start + len(text)
        index = bisect_right(offsets, start) - 1
        first = marks[index][1]
        parts: list[tuple[int, int]] = []
        at, line = start, first
        while at < end or not parts:
            index += 1
            until = marks[index][0] if index < len(marks) and marks[index][0] < end else end
            if sql[at:until].strip():
                parts.append((at, line))
            if until == end:
                break
            at, line = until, marks[index][1]
        yield first, parts
        start = end + 1


def _find_cuts(sql: str, by_line: list[tuple[int, list[tuple[int, int]]]]) -> list[int]:
    wanted: list[int] = []
    for _, parts in by_line:
        wanted += [at for (at, line), (_, previous) in zip(parts[1:], parts, strict=False) if line != previous]
    if not wanted:
        return []
    spans = [match.span() for match in find_protected(sql)]
    starts = [start for start, _ in spans]
    cuts: list[int] = []
    for at in wanted:
        index = bisect_right(starts, at - 1) - 1
        inside_word = sql[at - 1].isalnum() or sql[at - 1] == "_"
        if not (inside_word and (sql[at].isalnum() or sql[at] == "_")) and (index < 0 or spans[index][1] <= at):
            cuts.append(at)
    return cuts


def _break(sql: str, marks: list[tuple[int, int]], cuts: list[int]) -> tuple[str, list[tuple[int, int]]]:
    broken = "\n".join(sql[a:b] for a, b in pairwise((0, *cuts, len(sql))))
    return broken, [(offset + bisect_right(cuts, offset), line) for offset, line in marks]
