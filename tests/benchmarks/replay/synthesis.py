"""The catalog of a repository as it was at a commit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.replay.dbt import DbtWarehouses
from tests.benchmarks.replay.git_objects import Objects, open_objects
from tests.benchmarks.replay.migrations import MigratedWarehouses
from tests.benchmarks.replay.proposals import Proposal, find_proposals
from tests.benchmarks.replay.repositories import Repository
from tests.benchmarks.replay.warehouse import fill_columns


@dataclass(frozen=True, slots=True)
class Synthesis:
    """What is the same in two commits is read once."""

    objects: Objects
    repository: Repository
    share: float
    warehouses: DbtWarehouses | MigratedWarehouses

    def make_catalog(self, revision: str) -> list[Proposal]:
        """What an ingestion at that commit would have left."""
        held = self.warehouses.build(self.objects.fetch_tree(revision))
        fill_columns(held)
        return find_proposals(held, self.repository, self.share)


@contextmanager
def open_synthesis(clone: Path, repository: Repository, share: float) -> Iterator[Synthesis]:
    """`share`: how many of the tables at the end of the line feed a model."""
    with open_objects(clone) as objects:
        kind = DbtWarehouses if repository.kind == "dbt" else MigratedWarehouses
        yield Synthesis(objects, repository, share, kind(objects, repository))


def count_proposals(proposals: list[Proposal]) -> dict[str, int]:
    """How many entities of each kind there are."""
    found: dict[str, set[str]] = {}
    for one in proposals:
        found.setdefault(one["entityType"], set()).add(one["entityUrn"])
    return {kind: len(urns) for kind, urns in sorted(found.items())}
