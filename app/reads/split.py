"""One file -> its statements, as runs of tokens with true line numbers. One statement that does not parse loses no other.

The tokenizer of the dialect knows strings, comments and dollar quotes, so a semicolon in one of them never splits.
Blocks of procedural SQL (BEGIN ... END, IF ... END IF, a procedure's body) stay one statement: their inner semicolons
do not end it. Batch separators (`GO`, a lone `/`) end one, psql's backslash lines are no SQL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError, SqlglotError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from app.reads.guards import MAX_STATEMENTS, MAX_VALUES_BYTES, check_depth, check_size, deep_stack
from app.reads.statement import Unreadable
from app.reads.tokenize import find_tokens
from app.reads.tsql import find_starts

_ROUTINES = {"PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "EVENT", "PACKAGE", "TASK"}
_BLOCKS = {"BEGIN", "IF", "LOOP", "WHILE", "FOR", "REPEAT", "CASE", "DECLARE"}
_TRANSACTION = {"TRAN", "TRANSACTION", "WORK", "ISOLATION", "READ", "DEFERRED", "IMMEDIATE", "EXCLUSIVE", "DISTRIBUTED"}
QUOTED = frozenset({TokenType.STRING, TokenType.IDENTIFIER, TokenType.HEREDOC_STRING, TokenType.NATIONAL_STRING})
TSQL = frozenset({"tsql", "fabric"})
_STARTS = {"THEN", "ELSE", "DO", "BEGIN", "LOOP", "AS", "IS", "$$"}


@dataclass(frozen=True)
class Chunk:
    """The tokens of one statement, its first words in upper case, and whether it is a block of procedural SQL."""

    tokens: tuple[Token, ...]
    words: tuple[str, ...] = field(default=())
    block: bool = False

    @property
    def line(self) -> int:
        return int(self.tokens[0].line)

    @property
    def end_line(self) -> int:
        return int(self.tokens[-1].line)

    def text(self, sql: str) -> str:
        return sql[self.tokens[0].start : self.tokens[-1].end + 1]

    def has(self, *kinds: TokenType) -> bool:
        return any(token.token_type in kinds for token in self.tokens)


def split(sql: str, dialect: str) -> tuple[Chunk, ...]:
    """The statements of a file. Raises Unreadable above the limits, or when a string or comment never ends."""
    check_size(sql)
    try:
        tokens: Sequence[Token] = find_tokens(sql, dialect)
    except TokenError as error:
        raise Unreadable(f"not SQL that can be cut into words: {_first_line(error)}", line=1) from error
    if dialect in TSQL:
        tokens = tuple(_unswallow(tokens, sql, dialect))
    chunks = tuple(_chunks(_without_meta(tokens, dialect), dialect))
    if len(chunks) > MAX_STATEMENTS:
        raise Unreadable(
            f"{len(chunks):,} statements; the limit is {MAX_STATEMENTS:,}", line=chunks[MAX_STATEMENTS].line
        )
    return chunks


def parse(chunk: Chunk, sql: str, dialect: str) -> exp.Expr:
    """The tree of one statement. Raises Unreadable with the line where it stops making sense."""
    check_depth(chunk.tokens)
    tokens = _without_data(list(_without_rows(chunk)))
    try:
        with deep_stack():
            found = [tree for tree in Dialect.get_or_raise(dialect).parser().parse(tokens, sql) if tree is not None]
    except ParseError as error:
        first = error.errors[0] if error.errors else {}
        line = first.get("line")
        what = str(first.get("description") or _first_line(error)).split(" but got <", 1)[0]
        near = f" near {str(first['highlight'])[:60]!r}" if first.get("highlight") else ""
        where = line if isinstance(line, int) and chunk.line <= line <= chunk.end_line else chunk.line
        raise Unreadable(f"does not parse as {dialect or 'SQL'}: {what.rstrip('.')}{near}", line=where) from error
    except RecursionError as error:
        raise Unreadable("nested too deeply to parse", line=chunk.line) from error
    except (SqlglotError, ValueError, AttributeError, TypeError, IndexError, KeyError) as error:
        # a parser of a dialect can trip over text nobody tried on it: that is one unreadable statement, and said so
        raise Unreadable(
            f"the parser failed ({type(error).__name__}: {_first_line(error)})", line=chunk.line
        ) from error
    if len(found) != 1:
        raise Unreadable("not one statement", line=chunk.line)
    return found[0]


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0][:200]


def _without_meta(tokens: Sequence[Token], dialect: str) -> Sequence[Token]:
    """Without psql's backslash commands: they stand alone on a line, at the start of a statement."""
    if dialect not in ("postgres", "redshift"):
        return tokens
    kept: list[Token] = []
    skip, last = -1, None
    for token in tokens:
        fresh = last is None or last.line != token.line
        at_start = not kept or kept[-1].token_type == TokenType.SEMICOLON
        last = token
        if fresh and at_start and token.text.startswith("\\"):
            skip = token.line
        if token.line != skip:
            kept.append(token)
    return kept


def _unswallow(tokens: Sequence[Token], sql: str, dialect: str) -> Iterator[Token]:
    """T-SQL: what the tokenizer keeps as one raw text behind a command (PRINT) may hold further statements."""
    for n, token in enumerate(tokens):
        before = tokens[n - 1] if n else None
        raw = sql[before.end + 1 : token.end + 1] if before is not None else ""
        command = before is not None and before.token_type == TokenType.COMMAND and token.token_type == TokenType.STRING
        if before is None or not command or raw.strip() != token.text.strip():
            yield token
            continue
        for inner in Dialect.get_or_raise(dialect).tokenize(raw):
            place = before.end + 1
            line = before.line + inner.line - 1
            yield Token(inner.token_type, inner.text, line, inner.col, place + inner.start, place + inner.end)


def _find_cuts(tokens: Sequence[Token], start: int, dialect: str) -> set[int]:
    """Where the statements of T-SQL begin up to the next semicolon; it needs nothing between them."""
    if dialect not in TSQL:
        return set()
    end = next((n for n in range(start, len(tokens)) if tokens[n].token_type == TokenType.SEMICOLON), len(tokens))
    run = tokens[start:end]
    words = ["" if token.token_type in QUOTED else token.text.upper() for token in run]
    return {start + n for n in find_starts(words, [token.line for token in run])}


def _may_be_block(tokens: Sequence[Token], start: int, cuts: set[int]) -> bool:
    """T-SQL's IF takes the one statement that follows; a BEGIN further down is none of its own."""
    if not cuts or tokens[start].text.upper() not in ("IF", "WHILE"):
        return True
    end = min((cut for cut in cuts if cut > start), default=len(tokens))
    return any(token.text.upper() == "BEGIN" for token in tokens[start:end])


def _chunks(tokens: Sequence[Token], dialect: str) -> Iterator[Chunk]:
    start = n = 0
    cuts: set[int] = set()
    while n < len(tokens):
        if n > start and n in cuts:
            yield _chunk(tokens[start:n])
            start = n
        if n == start:
            if n not in cuts:
                cuts = _find_cuts(tokens, n, dialect)
            end = _end_of_block(tokens, start, dialect) if _may_be_block(tokens, start, cuts) else None
            if end is not None:
                yield _chunk(tokens[start:end], block=True)
                start = n = end
                continue
        if tokens[n].token_type == TokenType.SEMICOLON:
            if n > start:
                yield _chunk(tokens[start:n])
            start = n + 1
        n += 1
    if start < len(tokens):
        yield _chunk(tokens[start:])


def _chunk(tokens: Sequence[Token], *, block: bool = False) -> Chunk:
    return Chunk(tuple(tokens), _words(tokens), block)


def _words(tokens: Sequence[Token]) -> tuple[str, ...]:
    """First words in upper case. Some tokens hold several (`BEGIN TRANSACTION`, all that follows a command's name)."""
    return tuple(" ".join(token.text[:80] for token in tokens[:8]).upper().split()[:8]) or ("",)


def _end_of_block(tokens: Sequence[Token], start: int, dialect: str) -> int | None:
    """Index after the block of procedural SQL that starts here; None when none does (or it never closes)."""
    words = _words(tokens[start : start + 8])
    routine = words[0] in ("CREATE", "ALTER") and bool(_ROUTINES & set(words[1:5]))
    if not (routine or _opens_block(words, dialect)):
        return None
    # T-SQL's IF and WHILE take one statement or BEGIN ... END; elsewhere END IF and END WHILE close them
    closed_by_end = set() if dialect in TSQL else _BLOCKS - {"DECLARE"}
    depth, opened, fresh = 0, False, True
    for n in range(start, len(tokens)):
        text = tokens[n].text.upper()
        if tokens[n].token_type in QUOTED:
            fresh = False
            continue
        if text in ("CASE", "BEGIN") or (fresh and text in closed_by_end):
            previous = tokens[n - 1].text.upper() if n > start else ""
            if previous != "END":
                depth, opened = depth + 1, opened or text != "CASE" or words[0] == "CASE"
        elif text == "END":
            depth -= 1
            # without a semicolon, too, END closes T-SQL's block; a routine's body goes on to the end of its batch
            if dialect in TSQL and opened and depth <= 0 and not routine and (after := _after_end(tokens, n)):
                return after
        elif depth <= 0 and tokens[n].token_type == TokenType.SEMICOLON and (opened or words[0] != "DECLARE"):
            return n if opened else None
        fresh = text == ";" or text in _STARTS
    return len(tokens) if opened and depth <= 0 else None


def _opens_block(words: Sequence[str], dialect: str) -> bool:
    if words[0] not in _BLOCKS or (dialect in TSQL and words[0] == "DECLARE"):
        return False
    return words[0] != "BEGIN" or not (len(words) == 1 or words[1] == ";" or words[1] in _TRANSACTION)


def _after_end(tokens: Sequence[Token], end: int) -> int | None:
    """Index after END, END TRY, END CATCH; None where ELSE or BEGIN CATCH goes on with the same statement."""
    words = [token.text.upper() for token in tokens[end + 1 : end + 4]]
    after = 1 if words[:1] in (["TRY"], ["CATCH"]) else 0
    goes_on = words[after : after + 1] == ["ELSE"] or words[after : after + 2] == ["BEGIN", "CATCH"]
    return None if goes_on else end + 1 + after


def _without_data(tokens: list[Token]) -> list[Token]:
    """Without the WITH [NO] DATA that may end a CREATE ... AS: it says when the rows come, not which."""
    if tokens[0].token_type != TokenType.CREATE:
        return tokens
    words = [token.text.upper() for token in tokens[-3:]]
    for tail in (["WITH", "NO", "DATA"], ["WITH", "DATA"]):
        if words[-len(tail) :] == tail and tokens[-1].token_type not in (TokenType.IDENTIFIER, TokenType.STRING):
            return tokens[: -len(tail)]
    return tokens


def _without_rows(chunk: Chunk) -> Iterator[Token]:
    """The tokens, but only the first row of an INSERT whose VALUES are a load of data."""
    tokens = chunk.tokens
    size = tokens[-1].end - tokens[0].start
    if size <= MAX_VALUES_BYTES or tokens[0].token_type != TokenType.INSERT or chunk.has(TokenType.SELECT):
        yield from tokens
        return
    depth, values = 0, False
    for token in tokens:
        yield token
        if token.token_type == TokenType.VALUES and depth == 0:
            values = True
        elif token.token_type == TokenType.L_PAREN:
            depth += 1
        elif token.token_type == TokenType.R_PAREN:
            depth -= 1
            if values and depth == 0:
                return
