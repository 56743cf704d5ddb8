"""SQL text -> the tokens of its dialect, once for each text.

Reads and change cut the same text into statements, one after the other, each in its own way: the tokens are what both
begin with, and the dearest part of it.
"""

from __future__ import annotations

from functools import lru_cache

from sqlglot.dialects.dialect import Dialect
from sqlglot.tokenizer_core import Token

from app.reads.client_text import plain_text


@lru_cache(maxsize=1)
def find_tokens(sql: str, dialect: str) -> tuple[Token, ...]:
    """The tokens of a text, client commands blanked out. They belong to all who ask: nobody changes them.

    Raises sqlglot's TokenError for a string or comment that never ends, and whatever else its tokenizers raise.
    """
    return tuple(Dialect.get_or_raise(dialect).tokenize(plain_text(sql, dialect)))
