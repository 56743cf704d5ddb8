"""What is known from outside about the names of dbt's nodes: what was seen (`Seen`), and what follows from it (`KnownNames`).

Seen are the catalog's own dbt entities, the warehouse's tables, and a manifest of the base branch. They speak of a state that was
built; a change under review may name its nodes otherwise. So they tell where the project builds (`targets`), and the rules of
dbt name the nodes there; a node's own name (`relations`) counts only as long as what the tree says of it is still the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

#: of a relation, as it is stored: the identifier last, before it schema and database where there are such
Parts: TypeAlias = tuple[str, ...]
MOST_PARTS: Final = 3


@dataclass(frozen=True, slots=True)
class Seen:
    """`nodes`: dbt's unique id -> every relation that stands for it in the catalog (several: targets like dev and prod).
    `manifest`: the same of a manifest, which is of one target. `tables`: lower-case identifier -> tables of that name, for
    projects that the catalog has no dbt entities of.
    """

    nodes: Mapping[str, tuple[Parts, ...]] = field(default_factory=dict)
    tables: Mapping[str, tuple[Parts, ...]] = field(default_factory=dict)
    manifest: Mapping[str, Parts] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.nodes or self.tables or self.manifest)


@dataclass(frozen=True, slots=True)
class KnownName:
    """`as_of`: what the tree said about the name when it was seen."""

    parts: Parts
    as_of: str


@dataclass(frozen=True, slots=True)
class KnownNames:
    """`targets`: project name -> (database, schema) that it builds in by default. `relations`: of the tree's nodes by
    dbt's unique id; `outside`: of nodes of packages that are not in the tree.
    """

    targets: Mapping[str, tuple[str | None, str | None]] = field(default_factory=dict)
    relations: Mapping[str, KnownName] = field(default_factory=dict)
    outside: Mapping[str, Parts] = field(default_factory=dict)

    def find_outside(self, kinds: tuple[str, ...], package: str | None, name: str) -> Parts | None:
        """A node of a package that is not in the tree; None where several could be meant."""
        found = {parts for unique, parts in self.outside.items() if _is_called(unique, kinds, package, name)}
        return found.pop() if len(found) == 1 else None


NOTHING: Final = KnownNames()


def _is_called(unique: str, kinds: tuple[str, ...], package: str | None, name: str) -> bool:
    kind, _, rest = unique.partition(".")
    owner, _, called = rest.partition(".")
    return kind in kinds and called == name and package in (None, owner)


def agrees(known: Parts, stored: Parts) -> bool:
    """What both have is the same, from the identifier up; case does not count."""
    size = min(len(known), len(stored))
    return size > 0 and [p.lower() for p in known[-size:]] == [p.lower() for p in stored[-size:]]
