"""What a permission allows: levels, and which permission each endpoint asks for.

Source of the table in the routes: docs.github.com, "Permissions required for GitHub Apps". Every App may read the
metadata of what it sees, and public repositories as anybody may.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

LEVELS = {"read": 1, "write": 2, "admin": 3}


def allows(granted: Mapping[str, str], needs: Sequence[str]) -> bool:
    """Whether one of `needs` ("checks=write") is granted; no needs: everything is allowed."""
    if not needs:
        return True
    have = {"metadata": "read", **granted}
    for need in needs:
        name, level = need.split("=")
        if LEVELS.get(have.get(name, ""), 0) >= LEVELS[level]:
            return True
    return False


def only_reads(needs: Sequence[str]) -> bool:
    return all(need.endswith("=read") for need in needs)
