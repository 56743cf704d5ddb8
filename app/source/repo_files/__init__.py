"""What SQL each installed repository holds, kept by content address and never older than its head: `OrgIndex`."""

from app.source.repo_files.blobs import BlobCache, fetch_blobs
from app.source.repo_files.org import Allowance, Indexed, OrgIndex
from app.source.repo_files.trees import (
    FOLDER,
    Wanted,
    build_tree,
    cut_alike,
    find_differences,
    find_entries,
    find_wanted,
    for_each,
    read_text,
)

__all__ = [
    "FOLDER",
    "Allowance",
    "BlobCache",
    "Indexed",
    "OrgIndex",
    "Wanted",
    "build_tree",
    "cut_alike",
    "fetch_blobs",
    "find_differences",
    "find_entries",
    "find_wanted",
    "for_each",
    "read_text",
]
