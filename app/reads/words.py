"""The words of a file that nobody understood: enough to say whether it could concern a column at all.

Comments are stripped; strings stay, for they may hold SQL. Deliberately no parsing: this is the last line of defence.
"""

from __future__ import annotations

import io
import re
import tokenize
from typing import Literal

_WORD = re.compile(r"[^\W\d]\w*")
#: a star that stands for columns: after SELECT, a comma or a dot, and before FROM, a comma, a bracket or a modifier
_STAR = re.compile(
    r"(?:\bselect\b(?:\s+(?:distinct|all|top\s+\d+))?|,|\.)\s*\*\s*(?=,|\)|\bfrom\b|\bexcept\b|\bexclude\b|\breplace\b|\Z|[;\"'])",
    re.I,
)
#: in SQL that does not parse the keyword itself may be the mistake: one word where a query may begin, then a star
_FIRST_STAR = re.compile(r"(?:\A|;|\bas\b|\bunion\b|\ball\b|\bexcept\b|\bintersect\b)[\s(]*[^\W\d]\w*\s*\*", re.I)
#: whatever stands before it: plpgsql's SELECT * INTO, DISTINCT ON (a) *
_STAR_OF = re.compile(r"\*\s*(?:bulk\s+collect\s+)?\b(?:from|into)\b", re.I)
#: what a tool or a program puts in: {{ x }} of Jinja unless it is a name that dbt knows, ${x}, {x}, :x, %(x)s, &x, a text that
#: goes on; as the last part of a table's name, or a piece of it
_HOLE = re.compile(
    r"\b(?:from|join|into|update|using)\s+(?:[\w$\"`]+\.)*[\w$\"`]*"
    r"(?:\{\{(?!\s*(?:ref|source)\s*\(\s*['\"])[^}]*\}\}|\$\{[^}]*\}|\$\(\w+\)|\{[\w.]*\}|:\w+|%\(\w+\)s|%[sI]\b|&\w+|'\s*(?:\|\||\+))"
    r"(?![\"`]?\s*\.\s*[\w$\"`])",
    re.I,
)
_SQL_COMMENT = re.compile(
    r"--[^\n]*|/\*.*?(?:\*/|\Z)|\{#.*?(?:#\}|\Z)|(?P<keep>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")", re.S
)


def find_words(text: str, *, language: Literal["sql", "python"]) -> tuple[frozenset[str], bool]:
    """(lower-case identifiers outside comments, whether a `*` that selects columns stands in it)."""
    plain = strip_comments(text, language=language)
    stars = (_STAR, _FIRST_STAR, _STAR_OF) if language == "sql" else (_STAR,)
    has_star = any(star.search(plain) is not None for star in stars)
    return frozenset(word.lower() for word in _WORD.findall(plain)), has_star


def has_hole(sql: str) -> bool:
    """Whether the name of a table stands in it that something else than the text completes."""
    return _HOLE.search(_strip_sql(sql)) is not None


def strip_comments(text: str, *, language: Literal["sql", "python"]) -> str:
    """The text without its comments."""
    return _strip_python(text) if language == "python" else _strip_sql(text)


def _strip_sql(text: str) -> str:
    return _SQL_COMMENT.sub(lambda match: match["keep"] or " ", text)


def _strip_python(text: str) -> str:
    """Without `#` comments. Text that is no Python keeps them: a word too many is safe, one too few is not."""
    try:
        tokens = [one for one in tokenize.generate_tokens(io.StringIO(text).readline) if one.type == tokenize.COMMENT]
    except (tokenize.TokenError, SyntaxError, ValueError):
        return text
    lines = text.splitlines(keepends=True)
    prose = False
    for comment in tokens:
        if comment.string.startswith("# MAGIC"):  # a cell of a Databricks notebook: code, unless it is Markdown
            language = comment.string.removeprefix("# MAGIC").strip()
            prose = language.startswith("%md") if language.startswith("%") else prose
            if not prose:
                continue
        row, start = comment.start
        lines[row - 1] = lines[row - 1][:start] + "\n"
    return "".join(lines)
