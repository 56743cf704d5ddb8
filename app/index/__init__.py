"""What SQL each installed repository holds, kept by content address and never older than its head: `OrgIndex`."""

from app.index.blobs import BlobCache, fetch_blobs
from app.index.org import Allowance, Indexed, OrgIndex
from app.index.trees import Wanted, build_tree, find_differences, find_wanted, for_each, read_text

__all__ = [
    "Allowance",
    "BlobCache",
    "Indexed",
    "OrgIndex",
    "Wanted",
    "build_tree",
    "fetch_blobs",
    "find_differences",
    "find_wanted",
    "for_each",
    "read_text",
]
