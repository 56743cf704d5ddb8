"""The order in which migrations are applied: by number or timestamp, Alembic's by the revision that each one follows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from app.change.files import is_down_of_pair, order_key


class Migration(Protocol):
    """`revision` is "" where the file's name alone orders it."""

    @property
    def path(self) -> str: ...
    @property
    def revision(self) -> str: ...
    @property
    def follows(self) -> tuple[str, ...]: ...


M = TypeVar("M", bound=Migration)


def order_migrations(files: Iterable[M]) -> list[M]:
    """Files with a revision come behind those that they follow, all others as their names say; down scripts are left out."""
    listed = list(files)
    paths = {file.path for file in listed}
    forward = [file for file in listed if not is_down_of_pair(file.path, paths)]
    by_name = sorted(forward, key=lambda file: order_key(file.path))
    if not any(file.revision for file in by_name):
        return by_name
    places = [place for place, file in enumerate(by_name) if file.revision]
    ordered = list(by_name)
    for place, file in zip(places, _by_revision([by_name[place] for place in places]), strict=True):
        ordered[place] = file
    return ordered


def _by_revision(files: Sequence[M]) -> list[M]:
    """Depth first from each file to what it follows, iteratively; a circle is cut where it was entered."""
    known = {file.revision: file for file in files}
    done: dict[int, M] = {}
    for first in files:
        stack = [(first, False)]
        entered: set[int] = set()
        while stack:
            file, ready = stack.pop()
            if id(file) in done:
                continue
            if ready:
                done[id(file)] = file
            elif id(file) not in entered:
                entered.add(id(file))
                stack.append((file, True))
                stack += [(known[name], False) for name in reversed(file.follows) if name in known]
    return list(done.values())


def find_heads(files: Iterable[M]) -> tuple[M, ...]:
    """Alembic files that no other follows: more than one means that nobody knows which comes last."""
    listed = [file for file in files if file.revision]
    followed = {name for file in listed for name in file.follows}
    return tuple(file for file in listed if file.revision not in followed)
