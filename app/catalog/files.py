"""Files of metadata, as DataHub's file sink writes them and its file source reads them: a JSON list of MCPs or MCEs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from app.catalog.json_text import parse_json
from app.catalog.mcp import parse_mce, parse_mcp
from app.catalog.proposal import Proposal
from app.catalog.refusal import RequestRefused


def read_proposals(path: Path) -> Iterator[Proposal]:
    """The proposals of a file, in order; raises `RequestRefused` (400) naming the file and the item that cannot be read."""
    try:
        found = parse_json(path.read_bytes())
    except (ValueError, OSError) as reason:
        raise RequestRefused(400, f"{path}: cannot be read as JSON: {reason}") from reason
    yield from parse_proposals(found if isinstance(found, list) else [found], str(path))


def parse_proposals(items: Iterable[object], name: str) -> Iterator[Proposal]:
    """The proposals of a file's items, in order; `name` is what the messages call the file. Raises as `read_proposals`."""
    for index, item in enumerate(items):
        try:
            if isinstance(item, dict) and item.get("proposedSnapshot") is not None:
                yield from parse_mce(item)
            else:
                yield parse_mcp(item)
        except RequestRefused as refused:
            raise RequestRefused(refused.status, f"{name}: item {index}: {refused.message}") from refused
