"""Whose columns a text that nobody understood takes or fills as they come: an INSERT without a list, rows as a type.

Those alone notice that a relation has one column more. Words and brackets, no parsing, like `app.reads.words`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from app.reads.words import strip_comments

_TOKEN: Final = re.compile(r"""[\w$]+|"[^"]+"|`[^`]+`|\[[^\]]+\]|\S""")
_NAME: Final = re.compile(r"""[\w$]|"[^"]|`[^`]|\[[^\]]""")
_MODIFIERS: Final = frozenset({"ignore", "low_priority", "delayed", "high_priority", "all", "first"})
#: behind INSERT as the event of a trigger
_OF_EVENT: Final = frozenset({"on", "or", "as", "for", "begin", "and", "then", "is", "not"})
_ROWS: Final = frozenset({"values", "value", "row", "*"})
_QUERIES: Final = frozenset({"select", "with", "values", "("})


def find_by_place(text: str, *, language: Literal["sql", "python"]) -> frozenset[str]:
    """Last names of those relations, in lower case; "" for one that is not told."""
    words = _TOKEN.findall(strip_comments(text, language=language).lower())
    return frozenset(_find(words))


def _find(words: Sequence[str]) -> Iterator[str]:
    for at, word in enumerate(words):
        following = words[at + 1 : at + 4]
        if word in ("insert", "copy"):
            filled = _find_filled(words, at + 1, word)
            if filled is not None:
                yield filled
        elif word == "insertinto" or (word == "load" and following[:1] == ["data"]):
            yield ""
        elif word == "rowtype" and words[at - 1] == "%" and at > 1:
            yield _bare(words[at - 2])
        elif word == "returns":
            yield _read_name(words, at + 2 if following[:1] == ["setof"] else at + 1)[0]


def _find_filled(words: Sequence[str], at: int, verb: str) -> str | None:
    """The relation that an INSERT or COPY fills without naming columns; None where it names them, or is neither."""
    while words[at : at + 1] and (words[at] in _MODIFIERS or (words[at] == "or" and "into" in words[at : at + 3])):
        at += 2 if words[at] == "or" else 1
    first = words[at] if at < len(words) else ""
    is_told = first in ("into", "overwrite")
    if not is_told and (first in _OF_EVENT or not (_NAME.match(first) or first == "*")):
        return None
    if not is_told and verb == "insert" and first in _ROWS:  # of a MERGE
        return ""
    at += is_told
    at += words[at : at + 1] == ["table"]
    name, at = _read_name(words, at)
    at += 2 * (words[at : at + 1] == ["as"])
    is_listed = words[at : at + 1] == ["("] and words[at + 1 : at + 2] != [] and words[at + 1] not in _QUERIES
    return None if is_listed and name else name


def _read_name(words: Sequence[str], at: int) -> tuple[str, int]:
    """(last part, where it ends); "" for what is no name."""
    name = ""
    while at < len(words) and _NAME.match(words[at]):
        name, at = _bare(words[at]), at + 1
        if words[at : at + 1] != ["."]:
            break
        at += 1
        name = ""
    return name, at


def _bare(word: str) -> str:
    return word.strip('"`[]').rpartition(".")[2]
