"""When the catalog's silence on a relation is an answer: its name is proven by its neighbours, and nobody there knows it.

Most of a repository's relations in one schema are in the catalog, one of the same kind among them, so that the one that is not
was named right and never ingested, or never built. It is then walked like any other, under the urn that it would have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final

from app.change import ParsedFile, find_definitions, find_root_path
from app.trail.naming import Naming, split_relation
from app.trail.trail import OpaqueFile
from app.trail.urns import DatasetName, bare, parse_dataset, render_dataset
from app.words import Config

LEAST: Final = 2
#: files that name what a project builds
_NAMING_FILES: Final = frozenset({
    "dbt_project.yml", "dbt_project.yaml", "profiles.yml", "profiles.yaml", "packages.yml", "config.yaml", "config.yml",
    "config.py",
})  # fmt: skip
#: what one table has over another of the same content
_SUFFIX: Final = re.compile(
    r"[_$-]*(?:v?\d+|prod|production|dev|test|qa|stage|staging|stg|tmp|temp|old|new|bak|backup|hist|history|current|latest|view|vw|v)"
)


@dataclass(frozen=True, slots=True)
class Silence:
    """A relation that the catalog does not know and would: `urn` is the one that it would have."""

    relation: str
    urn: str
    resolved: int
    neighbours: int

    @property
    def note(self) -> str:
        """For the completeness statement."""
        return (
            f"{self.relation} is not in the catalog, and {self.resolved} of {self.neighbours} relations beside it are: "
            f"nobody but SQL that was seen is taken to read it"
        )


def find_silences(
    relations: Iterable[str],
    base: Sequence[ParsedFile],
    head: Sequence[ParsedFile],
    opaque: Sequence[OpaqueFile],
    naming: Naming,
    config: Config,
    *,
    changed: frozenset[str],
    projects: frozenset[str],
) -> tuple[Silence, ...]:
    """Of the relations those on which the silence is an answer. `projects`: the folders of dbt projects."""
    unknown = sorted({relation for relation in relations if naming.resolve(relation).urn is None})
    if not unknown or any(map(_names_others, changed)):
        return ()
    before, after = find_definitions(base), find_definitions(head)
    roots = {name: find_root_path(made.path, config, projects) for name, made in before.items()}
    found = []
    for relation in unknown:
        own = before.get(relation)
        if (
            own is None
            or len(split_relation(relation)) < LEAST
            or _may_be_read(relation, opaque)
            or _has_like(relation, naming)
        ):
            continue
        beside = [
            name
            for name in before
            if name != relation and roots[name] == roots[relation] and _schema(name) == _schema(relation)
        ]
        known = {name: urn for name in beside if name in after and (urn := naming.resolve(name).urn) is not None}
        alike = sorted(urn for name, urn in known.items() if before[name].kind == own.kind)
        urn = _name_alike(relation, alike)
        if len(known) >= LEAST and 2 * len(known) > len(beside) and urn is not None:
            found.append(Silence(relation, urn, len(known), len(beside)))
    return tuple(found)


def _names_others(path: str) -> bool:
    pure = PurePosixPath(path)
    return pure.name in _NAMING_FILES or "macros" in pure.parts[:-1]


def _schema(relation: str) -> tuple[str, ...]:
    return split_relation(relation)[:-1]


def _may_be_read(relation: str, opaque: Sequence[OpaqueFile]) -> bool:
    """By a text that nobody understood, or that is not here."""
    last = bare(split_relation(relation)[-1]).lower()
    return any(file.absent or file.has_hole or last in file.words for file in opaque)


def _has_like(relation: str, naming: Naming) -> bool:
    """A dataset whose name differs in case, instance, environment, platform or a suffix alone."""
    *above, last = (bare(part).lower() for part in split_relation(relation))
    for known, names in naming.by_last.items():
        if not _is_like(last, known):
            continue
        for name in names:
            stored = [part.lower() for part in name.parts[:-1]]
            size = min(len(above), len(stored))
            if all(
                _is_like(*pair) for pair in zip(above[len(above) - size :], stored[len(stored) - size :], strict=True)
            ):
                return True
    return False


def _is_like(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return long == short or (long.startswith(short) and _SUFFIX.fullmatch(long[len(short) :]) is not None)


def _name_alike(relation: str, urns: Sequence[str]) -> str | None:
    """The urn beside one of these, in the case that it is written in."""
    names = [name for urn in urns if (name := parse_dataset(urn)) is not None and len(name.parts) >= LEAST]
    first: DatasetName | None = min(names, key=lambda name: (name.platform == "dbt", name.urn), default=None)
    if first is None:
        return None
    last = bare(split_relation(relation)[-1])
    called = last.upper() if first.parts[-1].isupper() else last
    return render_dataset(replace(first, name=".".join((*first.parts[:-1], called))))


def listen(naming: Naming, silences: Sequence[Silence], config: Config) -> Naming:
    """The naming under which they are walked: as if they were in the catalog, and nothing were known of them."""
    return Naming.of((*naming.known, *(one.urn for one in silences)), config) if silences else naming
