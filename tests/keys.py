"""Private keys of Apps: making one takes longer than most tests, so a process makes each once."""

from __future__ import annotations

from functools import cache

from app.standin.github.auth import make_key_pair


@cache
def app_key(number: int = 0) -> str:
    """An App's key as GitHub hands it out; another number is another App's."""
    return make_key_pair()[0]
