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
    """`unique`: dbt's key of the node; `as_of`: what the tree said about the name when it was seen (a digest)."""

    unique: str
    parts: Parts
    as_of: str = ""


@dataclass(frozen=True, slots=True)
class KnownTarget:
    """Where the project of that name builds by default."""

    project: str
    database: str | None
    schema: str | None


@dataclass(frozen=True, slots=True)
class KnownNames:
    """`relations`: of the tree's nodes and sources, where the tree does not tell their names in full; `outside`: of nodes of
    packages that are not in the tree; `notes`: what could not be read, in sentences. Tuples, so that a cache can hold it.
    """

    targets: tuple[KnownTarget, ...] = ()
    relations: tuple[KnownName, ...] = ()
    outside: tuple[KnownName, ...] = ()
    notes: tuple[str, ...] = ()


NOTHING: Final = KnownNames()


@dataclass(frozen=True, slots=True)
class Lexicon:
    """`KnownNames` to look things up in."""

    targets: Mapping[str, KnownTarget]
    relations: Mapping[str, KnownName]
    outside: Mapping[str, tuple[KnownName, ...]]

    @staticmethod
    def of(known: KnownNames) -> Lexicon:
        outside: dict[str, tuple[KnownName, ...]] = {}
        for name in known.outside:
            called = name.unique.split(".", 2)[-1]
            outside[called] = (*outside.get(called, ()), name)
        return Lexicon(
            {target.project: target for target in known.targets},
            {name.unique: name for name in known.relations},
            outside,
        )

    def find_outside(self, kinds: tuple[str, ...], package: str | None, name: str) -> Parts | None:
        """A node of a package that is not in the tree; None where several could be meant."""
        found = set()
        for known in self.outside.get(name, ()):
            kind, owner = known.unique.split(".")[:2]
            if kind in kinds and package in (None, owner):
                found.add(known.parts)
        return found.pop() if len(found) == 1 else None


def agrees(known: Parts, stored: Parts) -> bool:
    """What both have is the same, from the identifier up; case does not count."""
    size = min(len(known), len(stored))
    return size > 0 and [p.lower() for p in known[-size:]] == [p.lower() for p in stored[-size:]]
