"""Templated SQL -> plain SQL with a map back to the lines of the source. Pure; runs in a killable child process."""

from app.render.sql_text import SqlText
from app.render.tree import render_tree

__all__ = ["SqlText", "render_tree"]
