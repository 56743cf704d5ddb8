"""What a database's client makes of a file before the server sees it: line commands, batch separators, executable comments.

Everything stays in its place, character for character and line for line, so that offsets and line numbers hold. A command
that runs another file becomes a statement of its own that nobody can read, and so is never lost.
"""

from __future__ import annotations

import re

_GO = re.compile(r"^[ \t]*GO(?:[ \t]+\d+)?[ \t]*\r?$", re.I | re.M)
_BATCH = {"tsql": _GO, "fabric": _GO, "oracle": re.compile(r"^[ \t]*/[ \t]*\r?$", re.M)}
#: MySQL and MariaDB run what stands in /*! ... */ (dev.mysql.com, "Comments"; mariadb.com, "Comment Syntax")
_EXECUTABLE = re.compile(r"/\*M?!\d*(.*?)\*/", re.S)
_MYSQL = frozenset({"mysql", "mariadb", "singlestore", "doris", "starrocks"})
_PSQL = frozenset({"postgres", "redshift", "materialize", "risingwave"})
_PSQL_INCLUDE = re.compile(r"^[ \t]*\\(?:i|ir|include|include_relative)\b[^\r\n]*", re.M)
#: SQL*Plus ends these at the end of their line, not at a semicolon (SQL*Plus User's Guide, "SQL*Plus Command Reference")
_LINE_COMMAND = re.compile(
    r"(?:rem|remark|prompt|spool|whenever|show|sho|exit|quit|define|def|undefine|column|col|ttitle|btitle|clear|accept|pause|"
    r"timing|variable|var|connect|conn|disconnect|set(?!\s+(?:transaction|role|constraints?)\b))(?=\s|;|$)",
    re.I,
)
_RUNS_A_FILE = re.compile(r"@|(?:start|host|ho|!)(?=\s|$)(?!\s+with\b)", re.I)
#: stands for a command that runs another file; `app.reads.commands` knows it as opaque
INCLUDE = "INCLUDE"


def plain_text(sql: str, dialect: str) -> str:
    """The same text without byte order mark and client commands, `;` for batch separators."""
    sql = " " + sql[1:] if sql.startswith("\ufeff") else sql
    if lone := _BATCH.get(dialect):
        sql = lone.sub(lambda match: ";" + " " * (len(match[0]) - 1), sql)
    if dialect in _MYSQL:
        sql = _EXECUTABLE.sub(_unwrap, sql)
    if dialect in _PSQL:
        sql = _PSQL_INCLUDE.sub(lambda match: _include(match[0]), sql)
    return _without_line_commands(sql) if dialect == "oracle" else sql


def _unwrap(match: re.Match[str]) -> str:
    inner = match[1]
    return " " * (len(match[0]) - len(inner) - 2) + inner + "  "


def _include(line: str) -> str:
    """As long as the line was. A line too short for the word is left to itself: it does not parse, which is as red."""
    text = f"{INCLUDE};"
    return text.ljust(len(line)) if len(line) >= len(text) else line[:-1] + ";"


def _without_line_commands(sql: str) -> str:
    """Oracle: only where a statement could begin, so that the SET of an UPDATE is none."""
    lines, at_start = [], True
    for line in sql.split("\n"):
        stripped = line.strip()
        if at_start and _RUNS_A_FILE.match(stripped):
            lines.append(_include(line))
            continue
        if at_start and _LINE_COMMAND.match(stripped):
            lines.append(" " * len(line))
            continue
        lines.append(line)
        if stripped and not stripped.startswith("--"):
            at_start = stripped.endswith(";")
    return "\n".join(lines)
