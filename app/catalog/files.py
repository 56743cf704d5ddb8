"""Files of metadata, as DataHub's file sink writes them and its file source reads them: a JSON list of MCPs or MCEs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from app.catalog.json_text import parse_json
from app.catalog.mcp import parse_mce, parse_mcp
from app.catalog.proposal import Proposal
from app.catalog.refusal import Refused


def read_proposals(path: Path) -> Iterator[Proposal]:
    """The proposals of a file, in order; raises `Refused` (400) naming the file and the item that cannot be read."""
    try:
        found = parse_json(path.read_bytes())
    except (ValueError, OSError) as reason:
        raise Refused(400, f"{path}: cannot be read as JSON: {reason}") from reason
    for index, item in enumerate(found if isinstance(found, list) else [found]):
        try:
            if isinstance(item, dict) and item.get("proposedSnapshot") is not None:
                yield from parse_mce(item)
            else:
                yield parse_mcp(item)
        except Refused as refused:
            raise Refused(refused.status, f"{path}: item {index}: {refused.message}") from refused
