"""Trees of local directories and git repositories, for the command line. Never checks anything out, never runs hooks."""

from app.edges.git.history import Commit, list_changes, list_merged
from app.edges.git.trees import (
    LocalTree,
    find_default_branch,
    find_merge_base,
    find_origin,
    is_revision,
    list_directory,
    list_revision,
    read_contents,
    read_directory,
    read_revision,
)

__all__ = [
    "Commit",
    "LocalTree",
    "find_default_branch",
    "find_merge_base",
    "find_origin",
    "is_revision",
    "list_changes",
    "list_directory",
    "list_merged",
    "list_revision",
    "read_contents",
    "read_directory",
    "read_revision",
]
