"""SQL of no dialect in particular, cut into words far enough to say of a hole that it can only stand for a value.

The rules are those that all dialects share. Where dialects differ (`#`, a backslash before a quote, dollar quotes) nothing
is shown, and the hole stands for anything. Deliberately no parser: a text with a hole is no statement of any dialect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

HOLE = "\ue010"  # private use: stands for a hole while the text is cut
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
MOST_HOLES = 200  # each is looked at with all that stands before it


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    start: int
    word: str  # lower case


def find_tokens(text: str) -> Iterator[Token]:
    """The words of the text, white space and comments included, so that they add up to it."""
    for match in _TOKEN.finditer(text):
        yield Token(match.lastgroup or "", match[0], match.start(), match[0].lower() if match["word"] else match[0])


def find_unproven(text: str, tokens: Sequence[Token]) -> int | None:
    """The offset of the first hole that is not shown to be a value."""
    places = [place for place, token in enumerate(tokens) if HOLE in token.text]
    given_up = len(places) > MOST_HOLES or (bool(places) and _is_disputed(text, tokens))
    for place in places:
        if given_up or not _is_value(tokens, place):
            return tokens[place].start + tokens[place].text.index(HOLE)
    return None


def _is_disputed(text: str, tokens: Sequence[Token]) -> bool:
    """Something stands in the text that one dialect takes for a comment or a quote and another does not."""
    return _DISPUTED.search(text) is not None or any(token.text == "#" for token in tokens)


def _is_value(tokens: Sequence[Token], place: int) -> bool:
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


def _stands_alone(tokens: Sequence[Token], place: int) -> bool:
    """No name, dot or quote touches the hole: it is a whole word."""
    touching = [*tokens[max(place - 1, 0) : place], *tokens[place + 1 : place + 2]]
    return not any(t.kind in ("word", "quoted", "string", "hole") or t.text in ".[" for t in touching)


def _is_compared(before: Sequence[Token]) -> bool:
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


def _find_clause(tokens: Sequence[Token]) -> tuple[str, int]:
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
