"""JSON from outside, strictly: no NaN, no lone surrogates (which neither SQLite nor an answer could hold)."""

from __future__ import annotations

import json
import re
from typing import Any

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def parse_json(content: bytes) -> Any:
    """The parsed text; raises `ValueError` with the reason."""
    try:
        found = json.loads(content, parse_constant=_refuse_constant)
        if _SURROGATE.search(content):
            json.dumps(found, ensure_ascii=False).encode()
    except RecursionError as reason:
        raise ValueError("nested too deeply") from reason
    return found


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")
