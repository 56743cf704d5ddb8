"""A whole tree -> the SQL of every file that bears some.

Plain SQL is itself. A file with templates says why it is not rendered, so that it is unknown and never skipped.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.render.sql_text import SqlText
from app.words import Config

TEMPLATE_SIGNS = ("{{", "{%", "{#")


def render_tree(files: Mapping[str, str], _config: Config) -> tuple[SqlText, ...]:
    """One `SqlText` for each `.sql` file, in the order of the paths."""
    return tuple(_render(path, text) for path, text in sorted(files.items()) if path.lower().endswith(".sql"))


def _render(path: str, text: str) -> SqlText:
    if any(sign in text for sign in TEMPLATE_SIGNS):
        return SqlText(path, "", (), why="it holds templates, and they are not rendered")
    return SqlText(path, text, tuple(range(1, text.count("\n") + 2)))
