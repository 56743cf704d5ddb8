"""Which lines of the head may carry an annotation: GitHub shows those outside of the diff as noise."""

from __future__ import annotations

from difflib import SequenceMatcher

#: Above this product of line counts a line diff takes seconds; then every line between the common ends counts as changed.
MAX_CELLS = 4_000_000


def find_changed_lines(base: str | None, head: str | None) -> tuple[int, ...]:
    """1-based lines of the head that were added or changed; where lines were only deleted, the nearest that survived.

    `None`: the file does not exist on that side. A deleted file has no line, a new one has all.
    """
    if head is None:
        return ()
    new = head.splitlines()
    if base is None:
        return tuple(range(1, len(new) + 1))
    old = base.splitlines()
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    old, middle = old[start : len(old) - end], new[start : len(new) - end]
    return tuple(sorted(_find_changes(old, middle, offset=start, last=len(new))))


def _find_changes(old: list[str], new: list[str], *, offset: int, last: int) -> set[int]:
    if len(old) * len(new) > MAX_CELLS:
        return {offset + index + 1 for index in range(len(new))}
    found: set[int] = set()
    for tag, _, _, first, after in SequenceMatcher(None, old, new).get_opcodes():
        if tag == "delete" and last:
            found.add(min(max(offset + first, 1), last))
        elif tag in ("replace", "insert"):
            found.update(range(offset + first + 1, offset + after + 1))
    return found
