"""What a statement is, told by its first words, before and without parsing: inert, DDL, or opaque with a reason.

sqlglot turns what it does not know into a Command and goes on; here every such statement gets a name. Whatever is not
known to be harmless is opaque: never silence. Deliberately absent: what DDL does (app.change reads it).
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from sqlglot.tokenizer_core import Token, TokenType

from app.reads.client_text import INCLUDE
from app.reads.split import Chunk

Judged: TypeAlias = Literal["inert", "ddl", "opaque", ""]

#: statements that define no relation and read none that anybody computes from (design 4, "Inert statements")
_INERT = frozenset((
    "SET", "UNSET", "USE", "GRANT", "REVOKE", "DENY", "COMMENT", "ANALYZE", "VACUUM", "EXPLAIN", "SHOW", "DESCRIBE",
    "DESC", "SUMMARIZE", "START", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "ABORT", "LISTEN", "NOTIFY",
    "UNLISTEN", "LOCK", "UNLOCK", "RESET", "DISCARD", "CHECKPOINT", "CLUSTER", "REINDEX", "REFRESH", "OPTIMIZE",
    "MSCK", "REPAIR", "UNCACHE", "CLEAR", "PRAGMA", "DETACH", "INSTALL", "LOAD", "PRINT", "RAISERROR", "SECURITY",
    "IMPORT", "SYSTEM", "KILL", "FLUSH", "PUT", "GET", "LIST", "LS", "REMOVE", "RM", "DEALLOCATE", "CLOSE", "FETCH",
    "OPEN", "WAITFOR", "GO", "REASSIGN", "GET_DDL", "STATISTICS", "PROMPT", "SPOOL", "WHENEVER", "EXIT", "QUIT",
    "REM", "BEGIN", "END", "DECLARE",
))  # fmt: skip
_DDL = frozenset(["TRUNCATE", "RENAME", "UNDROP", "EXCHANGE"])
_OPAQUE = {
    "DO": "anonymous code block",
    "CALL": "calls a procedure",
    "EXEC": "executes a procedure or dynamic SQL",
    "EXECUTE": "executes a procedure or dynamic SQL",
    "PREPARE": "prepares dynamic SQL",
    "HANDLER": "reads a table row by row",
    "DELIMITER": "changes the statement delimiter",
    INCLUDE: "runs another file, which is not read here",
}
#: what may not hide behind a harmless first word: T-SQL needs nothing between two statements of one line
_HIDDEN = frozenset({"ALTER", "DROP", "CREATE", "TRUNCATE"})
_QUOTED = re.compile(r"'(?:[^']|'')*'")
_SETTINGS = frozenset({"SET", "USE", "PRINT", "WAITFOR", "RAISERROR", "DECLARE", "COMMIT", "ROLLBACK", "BEGIN", "GO"})
#: words between CREATE / ALTER / DROP and the kind of thing
_FILLERS = frozenset((
    "OR", "REPLACE", "ALTER", "TEMP", "TEMPORARY", "TRANSIENT", "VOLATILE", "LOCAL", "GLOBAL", "IF", "NOT",
    "EXISTS", "UNIQUE", "CLUSTERED", "NONCLUSTERED", "COLUMNSTORE", "SECURE", "RECURSIVE", "UNLOGGED", "FORCE",
    "EDITIONABLE", "NOFORCE", "CONCURRENTLY", "FOREIGN", "SHALLOW", "SPATIAL", "FULLTEXT", "BITMAP", "MULTISET",
    "DEFINER", "=", "INVOKER", "PUBLIC", "PERSISTENT", "ICEBERG", "HYBRID",
))  # fmt: skip
_TABLE_LIKE = frozenset((
    "TABLE", "VIEW", "SCHEMA", "DATABASE", "MATERIALIZED", "DYNAMIC", "EXTERNAL", "SNAPSHOT", "TYPE", "DOMAIN",
    "MODEL", "DICTIONARY",
))  # fmt: skip
_INERT_THINGS = frozenset((
    "INDEX", "ROLE", "USER", "GROUP", "WAREHOUSE", "SEQUENCE", "EXTENSION", "STAGE", "FILE", "SECRET", "STATISTICS",
    "PUBLICATION", "SUBSCRIPTION", "SERVER", "CAST", "COLLATION", "OPERATOR", "LIBRARY", "LOGIN", "CATALOG",
    "CONNECTION", "STORAGE", "NOTIFICATION", "NETWORK", "RESOURCE", "TAG", "SESSION", "SYSTEM", "DEFAULT",
    "ACCOUNT", "SCHEMA", "DATABASE", "CONVERSION", "LANGUAGE", "ACCESS", "TABLESPACE", "PROFILE", "DIRECTORY",
    "SHARE", "CREDENTIAL", "RESERVATION", "CAPACITY", "ASSIGNMENT", "CERTIFICATE", "KEY", "QUOTA", "SETTINGS",
    "FULLTEXT", "SEARCH", "VECTOR",
))  # fmt: skip
#: made, they read nothing; altered or dropped, `app.change` says what that does
_TYPES = frozenset(("TYPE", "DOMAIN"))
_ROUTINES = frozenset((
    "PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "EVENT", "PACKAGE", "TASK", "STREAM", "PIPE", "MACRO", "RULE",
    "POLICY", "AGGREGATE", "SYNONYM",
))  # fmt: skip
_FORGETTABLE = frozenset((
    "PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "EVENT", "PACKAGE", "TASK", "STREAM", "PIPE", "MACRO", "POLICY",
    "AGGREGATE", "ROW", "MASKING",
))  # fmt: skip


def judge_words(chunk: Chunk) -> tuple[Judged, str]:
    """("inert" | "ddl" | "opaque" | "", why): "" for a statement that has to be parsed."""
    words = chunk.words
    first = words[0]
    if chunk.block:
        return "opaque", "a block of procedural SQL"
    if first in ("CREATE", "ALTER", "DROP"):
        return _judge_thing(first, words)
    if first == "DECLARE" and _holds_query(chunk):
        return "opaque", "declares a cursor or a variable from a query"
    renames = any(word.split(".")[-1].strip("[]") == "SP_RENAME" for word in words[1:4])
    if first in _DDL or (first in ("EXEC", "EXECUTE") and renames):
        return "ddl", ""
    if why := _find_trap(chunk, first):
        return "opaque", why
    inert = first in _INERT or (first == "ATTACH" and "TABLE" not in words[:2])
    return ("inert" if inert else ""), ""


def _find_trap(chunk: Chunk, first: str) -> str:
    """Why a statement that starts like a harmless one cannot be told; "" when it can."""
    second = chunk.words[1] if len(chunk.words) > 1 else ""
    if first in _OPAQUE:
        return _OPAQUE[first]
    if first in _SETTINGS and any(_hides_ddl(token) for token in chunk.tokens[1:]):
        return f"{first} and another statement on one line"
    if (first, second) == ("LOAD", "DATA") or (first == "DETACH" and second in _TABLE_LIKE | {"PERMANENTLY"}):
        return f"{first} {second} is not read"
    return ""


def _hides_ddl(token: Token) -> bool:
    """A string is a message, unless it is the raw text that the tokenizer keeps of all that follows a command."""
    if token.token_type != TokenType.STRING:
        return token.text.upper() in _HIDDEN
    outside = _QUOTED.sub(" ", token.text)
    return outside != token.text and not _HIDDEN.isdisjoint(outside.upper().split())


def _holds_query(chunk: Chunk) -> bool:
    # what follows some commands is one token of raw text
    return any("SELECT" in token.text.upper().split() for token in chunk.tokens)


def _judge_thing(verb: str, words: tuple[str, ...]) -> tuple[Judged, str]:
    thing = next((word for word in words[1:] if word not in _FILLERS), "")
    if verb == "CREATE":
        if thing in _INERT_THINGS or (thing in _TYPES and "BODY" not in words):
            return "inert", ""
        return ("opaque", f"the body of a {thing.lower()} is not read") if thing in _ROUTINES else ("", "")
    if thing in _TABLE_LIKE:
        return "ddl", ""
    if thing in _INERT_THINGS or thing in _FORGETTABLE:
        return "inert", ""
    return "ddl", ""
