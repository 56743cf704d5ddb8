"""SQL text -> statements as runs of tokens.

sqlglot's tokenizers know each dialect's comments, quotes and strings; its parser is not used for DDL, because it leaves
many forms as opaque commands and misreads some (`RENAME a TO b` becomes a rename of the table). Nothing here knows DDL.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import sqlglot
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from app.reads import Unreadable, find_starts, find_tokens, plain_text

STRINGS = frozenset(
    {
        TokenType.STRING,
        TokenType.NATIONAL_STRING,
        TokenType.RAW_STRING,
        TokenType.HEREDOC_STRING,
        TokenType.BYTE_STRING,
        TokenType.UNICODE_STRING,
    }
)
_SWALLOWING = frozenset(
    {TokenType.COMMAND, TokenType.EXECUTE, TokenType.RENAME, TokenType.SHOW, TokenType.FETCH}
)  # the tokenizer makes one string of all that follows these at a statement's start
_WORDS = re.compile(r"\S+")
_SPACE = re.compile(r"\s")


class Word(NamedTuple):
    """One token. `text` is without quotes; `start` and `end` are offsets in the whole text (end exclusive)."""

    text: str
    start: int
    end: int
    quoted: bool = False
    string: bool = False

    @property
    def upper(self) -> str:
        """The keyword it may be; "" for quoted names and strings, which never are one."""
        return "" if self.quoted or self.string else self.text.upper()


@dataclass(frozen=True, slots=True)
class Chunk:
    """One statement: its tokens, and the text and line offsets they point into."""

    words: tuple[Word, ...]
    sql: str
    starts: tuple[int, ...] = field(repr=False)

    def line(self, word: Word) -> int:
        return bisect.bisect_right(self.starts, word.start)

    @property
    def text(self) -> str:
        return " ".join(w.text for w in self.words)


def find_chunks(sql: str, *, dialect: str) -> Iterator[Chunk]:
    """The statements of a text, in order. Raises Unreadable (with its line) where the text cannot even be tokenized."""
    tokens = _tokenize(find_tokens, sql, dialect)
    sql = plain_text(sql, dialect)
    starts = _line_starts(sql)
    run: list[Word] = []
    for word in _words(tokens, sql, 0, dialect):
        if word.text == ";" and not (word.quoted or word.string):
            yield from _split(run, sql, starts, dialect)
            run = []
        else:
            run.append(word)
    yield from _split(run, sql, starts, dialect)


def _line_starts(sql: str) -> tuple[int, ...]:
    return (0, *(i + 1 for i, char in enumerate(sql) if char == "\n"))


def _tokenize(find: Callable[[str, str], Sequence[Token]], sql: str, dialect: str) -> Sequence[Token]:
    try:
        return find(sql, dialect)
    except (SqlglotError, ValueError) as error:
        raise Unreadable(f"the text cannot be split into SQL tokens: {_first_line(error)}") from error
    except RecursionError as error:
        raise Unreadable("the text nests too deeply") from error


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or ["no reason given"])[0][:160]


def _words(tokens: Sequence[Token], sql: str, start: int, dialect: str) -> Iterator[Word]:
    """`tokens` begin at offset `start` of the text."""
    before: Token | None = None
    for token in tokens:
        kind, text = token.token_type, token.text
        if kind is TokenType.HIVE_TOKEN_STREAM:
            continue  # Athena's mark that Hive's DDL follows; it stands nowhere in the text
        quoted, string = kind is TokenType.IDENTIFIER, kind in STRINGS
        first, last = start + token.start, start + token.end + 1
        if string and before is not None and _is_swallowed(sql, start, before, token):
            inside = start + before.end + 1
            yield from _words(_tokenize(sqlglot.tokenize, sql[inside:last], dialect), sql, inside, dialect)
        elif quoted or string or not _SPACE.search(text):
            yield Word(text, first, last, quoted=quoted, string=string)
        else:  # keywords of two words (PRIMARY KEY, CLUSTER BY) are one token
            yield from (Word(m.group(), first + m.start(), first + m.end()) for m in _WORDS.finditer(sql[first:last]))
        before = token


def _is_swallowed(sql: str, start: int, before: Token, token: Token) -> bool:
    """A swallowed command's text carries no quotes of its own: it is the source text itself, up to its end."""
    if before.token_type not in _SWALLOWING or token.token_type is not TokenType.STRING:
        return False
    return sql[start + before.end + 1 : start + token.end + 1].strip() == token.text.strip()


def _split(run: list[Word], sql: str, starts: tuple[int, ...], dialect: str) -> Iterator[Chunk]:
    """T-SQL needs nothing between two statements."""
    if not run:
        return
    cuts = [0]
    if dialect == "tsql":
        cuts = find_starts([w.upper for w in run], [bisect.bisect_right(starts, w.start) for w in run])
    for first, last in zip(cuts, [*cuts[1:], len(run)], strict=True):
        words = tuple(w for w in run[first:last] if not (dialect == "tsql" and w.upper == "GO"))
        if words:
            yield Chunk(words, sql, starts)


_DEPTH = {"(": 1, ")": -1}


def depth_of(word: Word) -> int:
    return 0 if word.quoted or word.string else _DEPTH.get(word.text, 0)


def split_list(words: tuple[Word, ...]) -> list[tuple[Word, ...]]:
    """Split at commas outside parentheses and outside the angle brackets of a type; empty items stay."""
    items: list[list[Word]] = [[]]
    depth = angle = 0
    for word in words:
        depth += depth_of(word)
        angle = max(0, angle + {"<": 1, ">": -1, ">>": -2}.get(word.upper, 0))
        if word.upper == "," and depth == 0 and angle == 0:
            items.append([])
        else:
            items[-1].append(word)
    return [tuple(item) for item in items]
