"""Redshift's CREATE MODEL, which sqlglot does not parse: the training query is cut out of it with its lines kept."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot.tokenizer_core import Token, TokenType

from app.reads.fold import Folder
from app.reads.split import Chunk
from app.reads.statement import Unreadable


@dataclass(frozen=True, slots=True)
class CutModel:
    """`chunk` holds the training query; `dialect` is the one to parse it in."""

    name: str
    label: tuple[str, ...]
    chunk: Chunk
    dialect: str


def cut_model(chunk: Chunk, dialect: str) -> CutModel | None:
    """`CREATE MODEL name FROM (SELECT ...) | table TARGET label ...`; None for any other statement.

    Raises Unreadable when the training query cannot be told apart.
    """
    if dialect not in ("redshift", "postgres") or chunk.words[:2] != ("CREATE", "MODEL"):
        return None
    tokens = chunk.tokens
    start = next((n for n, token in enumerate(tokens) if token.token_type == TokenType.FROM), None)
    if start is None:
        raise Unreadable("CREATE MODEL without a training query", line=chunk.line)
    name = _name(tokens[2:start], dialect)
    rest = tokens[start + 1 :]
    if rest and rest[0].token_type == TokenType.L_PAREN:
        end = _closing(rest)
        query, after, parsed_as = rest[1:end], rest[end + 1 :], dialect
    else:
        end = next((n for n, token in enumerate(rest) if token.text.upper() == "TARGET"), len(rest))
        query, after, parsed_as = tokens[start : start + 1 + end], rest[end:], "duckdb"  # where `FROM t` is a query
    if not query:
        raise Unreadable("CREATE MODEL without a training query", line=chunk.line)
    label: tuple[str, ...] = ()
    if len(after) > 1 and after[0].text.upper() == "TARGET":
        label = (_name(after[1:2], dialect),)
    return CutModel(name, label, Chunk(tuple(query)), parsed_as)


def _name(tokens: tuple[Token, ...], dialect: str) -> str:
    folder = Folder(dialect)
    return ".".join(folder.name(token.text) for token in tokens if token.token_type != TokenType.DOT)


def _closing(tokens: tuple[Token, ...]) -> int:
    depth = 0
    for n, token in enumerate(tokens):
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        if depth == 0:
            return n
    raise Unreadable("CREATE MODEL with a bracket that never closes", line=tokens[0].line)
