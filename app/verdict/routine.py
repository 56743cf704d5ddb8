"""Definitions and calls of stored routines, by their text: enough to put a body in the place of its one call.

Only what can be put there as it is: SQL, no parameters. What it does is read by the engine afterwards, like any other SQL.
"""

from __future__ import annotations

import re
from typing import Final

from app.verdict.masking import mask, strip_comments

_NAME: Final = r"(?P<name>[\w$.\"`\[\]]{1,200})"
_DEFINED: Final = re.compile(
    rf"(?is)\s*CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:PROCEDURE|FUNCTION|PROC)\s+{_NAME}\s*(?:\(\s*\))?(?P<rest>.*)"
)
_ANY_DEFINED: Final = re.compile(rf"(?i)\b(?:PROCEDURE|FUNCTION|PROC)\s+{_NAME}")
_LANGUAGE: Final = re.compile(r"(?i)\bLANGUAGE\s+(\w+)")
_BODIES: Final = (
    re.compile(r"(?is)\bAS\s+\$(?P<tag>\w*)\$(?P<body>.*)\$(?P=tag)\$"),
    re.compile(r"(?is)\bAS\s+'(?P<body>.*)'\s*;?\s*\Z"),
    re.compile(r"(?is)\b(?:AS\s+)?(?P<body>BEGIN\b.*\bEND)\b[\s;$/]*\Z"),
)
_BLOCK: Final = re.compile(r"(?is)\s*BEGIN\b(?P<body>.*)\bEND\b[\s;]*\Z")
_RETURN: Final = re.compile(r"(?is)\bRETURN\b[^;]*;?\s*\Z")
_CALL: Final = re.compile(rf"(?i)\s*(?:CALL|EXEC|EXECUTE|PERFORM|SELECT)\s+{_NAME}\s*(?:\(\s*\))?\s*;?\s*")


def find_routine(definition: str) -> str | None:
    """The name of the routine that the text defines, None unless it is one definition from its first word on."""
    found = _DEFINED.fullmatch(strip_comments(definition))
    return found["name"] if found else None


def find_body(definition: str) -> str | None:
    """The statements of the routine, without BEGIN, END and RETURN; None where they are not SQL, or take parameters."""
    found = _DEFINED.fullmatch(strip_comments(definition))
    rest = found["rest"] if found else "("
    language = _LANGUAGE.search(rest)
    if rest.lstrip().startswith("(") or (language is not None and language[1].lower() not in ("sql", "plpgsql")):
        return None
    for number, pattern in enumerate(_BODIES):
        if body := pattern.search(rest):
            text = body["body"].replace("''", "'") if number == 1 else body["body"]
            block = _BLOCK.fullmatch(text)
            return _RETURN.sub("", block["body"] if block else text).strip() or None
    return None


def find_calls(text: str, routine: str) -> tuple[int, ...]:
    """The lines (1-based) that are a call of the routine without arguments, and nothing else."""
    lines = mask(text).split("\n")
    found = ((number, _CALL.fullmatch(line)) for number, line in enumerate(lines, 1))
    return tuple(number for number, call in found if call and is_same(call["name"], routine))


def defines(text: str, routine: str) -> bool:
    """Whether a definition of that name stands anywhere in the text."""
    return any(is_same(found["name"], routine) for found in _ANY_DEFINED.finditer(text))


def is_same(one: str, other: str) -> bool:
    """By the shorter of two dotted names, without quotes and case."""
    parts = [re.sub(r'["`\[\]]', "", name).lower().split(".") for name in (one, other)]
    least = min(map(len, parts))
    return parts[0][-least:] == parts[1][-least:]
