"""Templated SQL -> plain SQL with a map back to the lines of the source. Pure; runs in a killable child process."""

from app.render.code import CodeSql, blank_read, find_code_lines, find_code_sql, may_hold_sql
from app.render.code_fills import CodeFill, find_fills, may_fill
from app.render.known import NOTHING, KnownNames, Parts, Seen
from app.render.manifest import MANIFEST, MOST_MANIFEST_BYTES, is_manifest, read_manifests
from app.render.profiles import PROFILES
from app.render.sql_text import RefState, SqlText
from app.render.tree import Part, find_names, is_in_part, render_tree
from app.render.workspace import PACKAGES

__all__ = [
    "MANIFEST",
    "MOST_MANIFEST_BYTES",
    "NOTHING",
    "PACKAGES",
    "PROFILES",
    "CodeFill",
    "CodeSql",
    "KnownNames",
    "Part",
    "Parts",
    "RefState",
    "Seen",
    "SqlText",
    "blank_read",
    "find_code_lines",
    "find_code_sql",
    "find_fills",
    "find_names",
    "is_in_part",
    "is_manifest",
    "may_fill",
    "may_hold_sql",
    "read_manifests",
    "render_tree",
]
