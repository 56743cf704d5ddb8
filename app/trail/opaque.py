"""Files that were seen and not understood: which of them may read what is lost.

A file counts only if, comments stripped, it mentions the lost column (or takes a star) and a relation on the trail, or the
column and a table whose name is a hole, or the column and a feature's name or table. A file that `.tether.yml` names as a
feature's code speaks of that feature anyway. One whose text is not here may mention anything: it counts once a name is
gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.change import Removal
from app.trail.hop import Loss
from app.trail.nodes import Nodes
from app.trail.sql_side import same_path, split_name
from app.trail.trail import OpaqueFile
from app.trail.urns import bare, find_type, parse_feature
from app.words import Config

#: removals after which a name is not found any more
TAKES_A_NAME: Final = frozenset({
    "column_dropped", "column_renamed", "column_hidden", "output_removed", "output_renamed", "relation_dropped",
    "relation_renamed", "definition_deleted", "view_invalidated",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Lost:
    """What one removal takes, as words that a file may mention. All in lower case."""

    columns: frozenset[str]  # the removed column itself; () when a whole relation goes
    relations: frozenset[str]  # last parts of the names of all relations on the trail
    pairs: frozenset[tuple[str, str]]  # (column, relation) lost further down
    start: str  # last part of the removal's own relation
    by_position: bool = False  # only who takes columns without naming them notices
    takes: bool = False  # a name is gone, which whoever writes it notices

    @staticmethod
    def of(removal: Removal, losses: Iterable[Loss], nodes: Nodes) -> Lost:
        relations: set[str] = {_last(nodes, nodes.of_relation(removal.relation))}
        pairs: set[tuple[str, str]] = set()
        for loss in losses:
            last = _last(nodes, loss.node)
            relations.add(last)
            if loss.column is not None:
                pairs.add((bare(loss.column).lower(), last))
        columns = frozenset({bare(removal.column).lower()} if removal.column else ())
        start = _last(nodes, nodes.of_relation(removal.relation))
        by_position = removal.moves_order
        return Lost(columns, frozenset(relations), frozenset(pairs), start, by_position, removal.kind in TAKES_A_NAME)


def find_suspects(
    files: Sequence[OpaqueFile], lost: Lost, features: Iterable[str], config: Config
) -> tuple[OpaqueFile, ...]:
    """`features`: the (table, name) words of every feature that is known, see `find_feature_words`."""
    words = frozenset(features)
    return tuple(
        file
        for file in files
        if (lost.takes if file.absent else _mentions(file, lost, words)) or _is_code_of(file, lost, config)
    )


def is_test(path: str) -> bool:
    """Python that tests others: what it reads serves nobody."""
    *folders, name = path.lower().split("/")
    named = name.startswith(("test_", "conftest.")) or name.endswith("_test.py")
    return name.endswith(".py") and (named or not {"test", "tests", "__tests__"}.isdisjoint(folders))


def find_feature_words(urns: Iterable[str], config: Config) -> frozenset[str]:
    """The names and the tables' last parts of all known features, in lower case."""
    named = [parts for urn in urns if find_type(urn) == "mlFeature" and (parts := parse_feature(urn))]
    named += [split_name(name) for name in config.features]
    return frozenset(word.lower() for table, name in named for word in (name, table.rpartition(".")[2]) if word)


def _mentions(file: OpaqueFile, lost: Lost, features: frozenset[str]) -> bool:
    named = bool(file.words & lost.relations)
    column = bool(file.words & lost.columns)
    if (named and (column or file.has_star)) or (column and file.has_hole):
        return True
    by_place = not file.by_place.isdisjoint({lost.start, ""})
    if not lost.columns and lost.start in file.words and (by_place or not lost.by_position):
        return True  # by position: behind a star it is a suspect already
    if any(name in file.words and relation in file.words for name, relation in lost.pairs):
        return True
    return column and bool(file.words & (features - lost.columns))


def _is_code_of(file: OpaqueFile, lost: Lost, config: Config) -> bool:
    mapped = any(entry.code is not None and same_path(entry.code, file.path) for entry in config.features.values())
    return mapped and bool(file.words & (lost.columns or frozenset({lost.start})))


def find_code_refusals(config: Config) -> Mapping[str, str]:
    """Feature (as `.tether.yml` writes it) -> the file that computes it and is not SQL."""
    return {name: entry.code for name, entry in config.features.items() if entry.code is not None}


def _last(nodes: Nodes, node: str) -> str:
    names = nodes.names(node)
    return names[-1][-1].lower() if names and names[-1] else node.lower()
