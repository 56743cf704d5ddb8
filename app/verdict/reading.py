"""What a language model may say: one reading of a closed list, and where it stands. Nothing else has a place to go.

A reading holds no verdict, no level and no rule. It is a claim about lines, which `verify_witness` checks.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

MOST_LINES: Final = 60
MOST_TEXT: Final = 4_000
_MOST_ANSWER: Final = 20_000


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a file at the head, 1-based, both included."""

    path: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class HoleValue:
    """The hole `text` in line `line` of `path` stands for `value`, which the cited lines say."""

    cited: Lines
    path: str
    line: int
    text: str
    value: str


@dataclass(frozen=True, slots=True)
class ComputedBy:
    """The feature (urn) is computed by the cited lines of a file of the same change."""

    cited: Lines
    feature: str


@dataclass(frozen=True, slots=True)
class BackfilledBy:
    """The routine that the cited lines define copies the values before the change drops them."""

    cited: Lines
    routine: str


Reading: TypeAlias = HoleValue | ComputedBy | BackfilledBy


@dataclass(frozen=True, slots=True)
class NoReading:
    """Why there is none to verify: one sentence."""

    why: str


_TEXT = {"type": ["string", "null"]}
_NUMBER = {"type": ["integer", "null"]}
_KEYS: Final[dict[str, dict[str, Any]]] = {
    "reading": {"type": "string", "enum": ["hole_value", "computed_by", "backfilled_by", "none"]},
    "path": _TEXT,
    "first_line": _NUMBER,
    "last_line": _NUMBER,
    "hole_path": _TEXT,
    "hole_line": _NUMBER,
    "hole": _TEXT,
    "value": _TEXT,
    "feature": _TEXT,
    "routine": _TEXT,
}
#: what the answer has to look like, for structured output
ANSWER_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": _KEYS,
    "required": list(_KEYS),
    "additionalProperties": False,
}


def parse_answer(text: str) -> Reading | NoReading:
    """Any text whatsoever -> a reading, or why it is none. Never raises."""
    try:
        value = json.loads(text[:_MOST_ANSWER])
    except (ValueError, RecursionError):
        return NoReading("the model's answer is not JSON")
    if not isinstance(value, dict) or value.keys() != _KEYS.keys():
        return NoReading("the model's answer has another form than was asked for")
    kind = value["reading"]
    if kind == "none":
        return NoReading("the model found no reading under which the change is safe")
    cited = _lines(value)
    if cited is None:
        return NoReading("the model's answer cites no lines")
    found = _reading(kind, cited, value)
    return found if found is not None else NoReading("the model's answer has another form than was asked for")


def _reading(kind: object, cited: Lines, value: dict[str, Any]) -> Reading | None:
    match kind:
        case "hole_value":
            path, line, text, said = (value[key] for key in ("hole_path", "hole_line", "hole", "value"))
            if _is_text(path) and _is_line(line) and _is_text(text) and _is_text(said):
                return HoleValue(cited, path, line, text, said)
        case "computed_by" if _is_text(value["feature"]):
            return ComputedBy(cited, value["feature"])
        case "backfilled_by" if _is_text(value["routine"]):
            return BackfilledBy(cited, value["routine"])
    return None


def _lines(value: dict[str, Any]) -> Lines | None:
    path, first, last = value["path"], value["first_line"], value["last_line"]
    if not (_is_text(path) and _is_line(first) and _is_line(last)):
        return None
    return Lines(path, first, last) if first <= last < first + MOST_LINES else None


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MOST_TEXT


def _is_line(value: object) -> bool:
    return type(value) is int and 0 < value < 1_000_000
