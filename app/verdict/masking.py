"""SQL without what people wrote into it for people: no comments, no text in strings. Lines stay where they are.

What is left is grammar and names. It reads no dialect: `'`, `"`, backquotes and dollar quotes are told apart by their marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, Literal, TypeAlias

Part: TypeAlias = Literal["code", "comment", "string", "name"]

_TOKEN: Final = re.compile(
    r"""(?P<comment>--[^\n]*|//[^\n]*|(?m:^[ \t]*\#[^\n]*)|\{\#.*?(?:\#\}|\Z))"""
    r"""|(?P<block>/\*)"""
    r"""|(?P<string>'(?:[^'\\]|\\.|'')*(?:'|\Z))"""
    r"""|(?P<name>"(?:[^"\\]|\\.|"")*(?:"|\Z)|`[^`]*(?:`|\Z))""",
    re.S,
)
_PLAIN_NAME: Final = re.compile(r"[\w$.-]{1,128}")
MASK: Final = "…"


def scan(text: str) -> Iterator[tuple[Part, str]]:
    """The text in parts, in order; joined they are the text."""
    at = 0
    while found := _TOKEN.search(text, at):
        if found.start() > at:
            yield "code", text[at : found.start()]
        kind, end = found.lastgroup, found.end()
        if kind == "block":
            end = _end_of_comment(text, end)
            yield "comment", text[found.start() : end]
        elif kind == "string":
            yield "string", found.group()
        else:
            yield ("name" if kind == "name" else "comment"), found.group()
        at = end
    if at < len(text):
        yield "code", text[at:]


def strip_comments(text: str) -> str:
    """Comments become blank, their line breaks stay."""
    return "".join(_blank(part) if kind == "comment" else part for kind, part in scan(text))


def mask(text: str, keep: frozenset[str] = frozenset()) -> str:
    """Comments blank, strings as `'…'` unless what stands in them is a name in `keep` (lower case). So are quoted names that
    read like sentences. Characters that nobody sees become `?`."""
    return "".join(_clean(_MASKED[kind](part, keep)) for kind, part in scan(text))


def _end_of_comment(text: str, at: int) -> int:
    """Behind the `*/` that ends the comment whose `/*` ends before `at`; they nest."""
    depth = 1
    for found in re.compile(r"/\*|\*/").finditer(text, at):
        depth += 1 if found.group() == "/*" else -1
        if depth == 0:
            return found.end()
    return len(text)


def _blank(part: str) -> str:
    return "\n" * part.count("\n") or " "


def _masked_string(part: str, keep: frozenset[str]) -> str:
    inner = part[1:-1].strip()
    return f"'{inner}'" if inner.lower() in keep else f"'{MASK}'" + "\n" * part.count("\n")


def _masked_name(part: str, keep: frozenset[str]) -> str:
    inner = part[1:-1]
    if _PLAIN_NAME.fullmatch(inner) or inner.lower() in keep:
        return part
    return f"{part[0]}{MASK}{part[0]}" + "\n" * part.count("\n")


_MASKED: Final[dict[Part, Callable[[str, frozenset[str]], str]]] = {
    "code": lambda part, _: part,
    "comment": lambda part, _: _blank(part),
    "string": _masked_string,
    "name": _masked_name,
}


def _clean(text: str) -> str:
    return "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)
