"""The order in which migrations are applied: by number or timestamp, Alembic's by the revision that each one follows, Liquibase's
as its changelogs include them.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from app.change.files import is_down_of_pair, order_key


class Migration(Protocol):
    """`revision` is "" where the file's name alone orders it; `includes` are the files that a changelog names."""

    @property
    def path(self) -> str: ...
    @property
    def revision(self) -> str: ...
    @property
    def follows(self) -> tuple[str, ...]: ...
    @property
    def includes(self) -> tuple[str, ...]: ...


M = TypeVar("M", bound=Migration)


def order_migrations(files: Iterable[M]) -> list[M]:
    """Files with a revision come behind those that they follow, those of a changelog as it includes them, all others as their
    names say; down scripts are left out.
    """
    listed = list(files)
    paths = {file.path for file in listed}
    forward = [file for file in listed if not is_down_of_pair(file.path, paths)]
    by_name = sorted(forward, key=lambda file: order_key(file.path))
    ordered = _put(by_name, _by_revision([file for file in by_name if file.revision]))
    return _put(ordered, _by_include(ordered))


def _put(files: Sequence[M], chosen: Sequence[M]) -> list[M]:
    """The files, with the chosen ones in their own order at the places that they hold together."""
    mine = {id(file) for file in chosen}
    following = iter(chosen)
    return [next(following) if id(file) in mine else file for file in files]


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


def _by_include(files: Sequence[M]) -> list[M]:
    """Each changelog before what it includes, in the order in which it says so; a circle is entered once."""
    below = {id(file): [one for name in file.includes for one in _find_included(file, name, files)] for file in files}
    included = {id(one) for found in below.values() for one in found}
    done: dict[int, M] = {}
    stack = [file for file in reversed(files) if below[id(file)] and id(file) not in included]
    while stack:
        file = stack.pop()
        if id(file) not in done:
            done[id(file)] = file
            stack += reversed(below[id(file)])
    return list(done.values())


def _find_included(by: M, name: str, files: Sequence[M]) -> list[M]:
    """A path beside the changelog, or one below a root of the class path, which may be any folder; a folder's files by name."""
    is_beside, is_folder = name.startswith("./"), name.endswith("/")
    start = posixpath.dirname(by.path) if is_beside else ""
    wanted = posixpath.normpath(posixpath.join(start, name.removeprefix("classpath:").lstrip("/")))

    def fits(path: str) -> bool:
        if is_folder:
            return path.startswith(f"{wanted}/") if is_beside else f"/{wanted}/" in f"/{path}"
        return path == wanted if is_beside else f"/{path}".endswith(f"/{wanted}")

    return sorted((file for file in files if file is not by and fits(file.path)), key=lambda file: file.path)


def find_included(files: Iterable[M]) -> frozenset[str]:
    """Paths that a changelog orders, itself among them."""
    return frozenset(file.path for file in _by_include(list(files)))


def find_heads(files: Iterable[M]) -> tuple[M, ...]:
    """Alembic files that no other follows: more than one means that nobody knows which comes last."""
    listed = [file for file in files if file.revision]
    followed = {name for file in listed for name in file.follows}
    return tuple(file for file in listed if file.revision not in followed)
