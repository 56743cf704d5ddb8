"""Limits that stand before the parser: hostile or absurd SQL becomes one clear reason, never a hang or a crash.

Measured: nested brackets overflow the stack of the parser, INSERT bodies of a megabyte take half a minute, statements
by the ten thousand as well. Time and memory limits are the business of the process that runs this.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlglot.tokenizer_core import Token, TokenType

from app.reads.statement import Unreadable

MAX_BYTES = 1_000_000  # a larger SQL file is data, not code; parsing one takes tens of seconds
MAX_STATEMENTS = 2_000  # 10,000 statements take 13 s
MAX_DEPTH = 200  # 1,000 nested brackets overflow, real SQL stays below 50
MAX_VALUES_BYTES = 50_000  # an INSERT ... VALUES body above this is data: it is cut, not parsed
_STACK = 20_000  # 200 brackets need about 40 frames of the parser each

_OPEN = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE}
_CLOSE = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE}
#: words that nest without a bracket
_NEST = {TokenType.CASE}
_UNNEST = {TokenType.END}


def check_size(sql: str) -> None:
    """Raises Unreadable above MAX_BYTES."""
    size = len(sql) if sql.isascii() else len(sql.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        raise Unreadable(f"{size:,} bytes of SQL; the limit is {MAX_BYTES:,}", line=1)


def check_depth(tokens: Sequence[Token]) -> None:
    """Raises Unreadable where brackets (or CASE, or a run of prefix operators) nest deeper than MAX_DEPTH."""
    depth = prefix = subscripts = 0
    for n, token in enumerate(tokens):
        kind = token.token_type
        if kind in _OPEN or kind in _NEST:
            depth += 1
        elif (kind in _CLOSE or kind in _UNNEST) and depth:
            depth -= 1
        prefix = prefix + 1 if kind in (TokenType.NOT, TokenType.DASH, TokenType.TILDE) else 0
        if kind == TokenType.L_BRACKET:  # a[0][0][0]...: the parser is quadratic in them
            subscripts = subscripts + 1 if n and tokens[n - 1].token_type == TokenType.R_BRACKET else 0
        if max(depth, prefix, subscripts) > MAX_DEPTH:
            raise Unreadable(f"nested deeper than {MAX_DEPTH} levels", line=token.line)


@contextmanager
def deep_stack() -> Iterator[None]:
    """Room for SQL within MAX_DEPTH: sqlglot descends recursively, and Python stops at 1,000 frames."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _STACK))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
