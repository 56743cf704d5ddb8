"""One relation, one node: names of SQL, urns, dbt siblings, temporary tables. And what is known of its columns.

The key of a node is the urn of its dataset, else the completed folded name of the relation. Names that the catalog does
not know still have to meet: a view that one repository creates as `analytics.v` and another reads as `shop.analytics.v`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.trail.aspects import FineEdge, find_fine_edges, find_paths, find_texts, read_paths
from app.trail.graph import LineageGraph
from app.trail.hop import Loss
from app.trail.naming import Naming, split_relation
from app.trail.spelling import BySpelling
from app.trail.urns import bare, find_title, find_type, fold_path, parse_dataset
from app.words import Schema


@dataclass(frozen=True, slots=True)
class Nodes:
    """`primary` maps each urn of a sibling group to the one that stands for it, `members` the other way round.

    `declared` are columns that DDL and the change's report know; `defined` are unresolved relations by their last part.
    What begins with an underscore only remembers answers.
    """

    naming: Naming
    graph: LineageGraph
    primary: Mapping[str, str]
    members: Mapping[str, tuple[str, ...]]
    declared: Mapping[str, Mapping[str, str]]
    defined: Mapping[str, tuple[str, ...]]
    _names: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict, compare=False, repr=False)
    _paths: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    _columns: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    _fine: dict[str, tuple[FineEdge, ...]] = field(default_factory=dict, compare=False, repr=False)

    @staticmethod
    def of(naming: Naming, graph: LineageGraph, schema: Schema, relations: Iterable[str]) -> Nodes:
        """`relations`: targets of SQL and relations of the change, whether the catalog knows them or not."""
        primary = _find_primaries(naming, graph)
        members: dict[str, list[str]] = {}
        for urn, first in primary.items():
            members.setdefault(first, []).append(urn)
        for urn, first in (*naming.twins.items(), *_find_dangling(naming, graph)):
            members.setdefault(primary.get(first, first), []).append(urn)
        defined: dict[str, list[str]] = {}
        for relation in sorted(set(relations)):
            if naming.resolve(relation).urn is None:
                key = naming.key(relation)
                found = defined.setdefault(_last(key), [])
                if key not in found:
                    found.append(key)
        nodes = Nodes(
            naming,
            graph,
            primary,
            {key: tuple(sorted(urns)) for key, urns in members.items()},
            {},
            {key: tuple(names) for key, names in defined.items()},
        )
        declared: dict[str, dict[str, str]] = {}
        for relation, columns in schema.items():
            declared.setdefault(nodes.of_relation(relation), {}).update(columns)
        return Nodes(naming, graph, primary, nodes.members, declared, nodes.defined)

    def of_urn(self, urn: str) -> str:
        first = self.naming.canonical(urn)
        return self.primary.get(first, first)

    def of_relation(self, relation: str) -> str:
        """The node that a relation name of SQL surely means."""
        urn = self.naming.resolve(relation).urn
        if urn is not None:
            return self.of_urn(urn)
        key = self.naming.key(relation)
        near = self._near(key)
        if key not in near and len(near) == 1 and min(len(split_relation(near[0])), len(split_relation(key))) >= 2:
            return near[0]
        return key

    def may_be(self, relation: str) -> tuple[str, ...]:
        """Nodes that an unresolved name fits as well, though nothing says so surely."""
        if self.naming.resolve(relation).urn is not None:
            return ()
        sure = self.of_relation(relation)
        fits = [self.of_urn(urn) for urn in self.naming.fitting(relation)]
        fits += self._near(self.naming.key(relation))
        return tuple(node for node in dict.fromkeys(fits) if node != sure)

    def _near(self, key: str) -> list[str]:
        """Unresolved relations whose name ends like this one, or the other way round; the same name alone if it is there."""
        parts = split_relation(key)
        near = self.defined.get(_last(key), ())
        if key in near:
            return [key]
        fits = []
        for other in near:
            stored = split_relation(other)
            size = min(len(parts), len(stored))
            if parts[-size:] == stored[-size:]:
                fits.append(other)
        return fits

    def urns(self, node: str) -> tuple[str, ...]:
        """All urns of the node, () for a relation that the catalog does not know."""
        if find_type(node) != "dataset":
            return ()
        members = self.members.get(node)
        return tuple(dict.fromkeys((node, *members))) if members else (node,)

    def title(self, node: str) -> str:
        """What people call the relation."""
        return find_title(node)

    def title_of(self, loss: Loss) -> str:
        """What is lost, as people write it."""
        name = self.title(loss.node)
        return f"{name}.{bare(loss.column)}" if loss.column else name

    def names(self, node: str) -> tuple[tuple[str, ...], ...]:
        """The parts of the relation's name, in the catalog's spelling and in folded spelling."""
        found = self._names.get(node)
        if found is None:
            dataset = parse_dataset(node)
            parts = dataset.parts if dataset else tuple(bare(part) for part in split_relation(node))
            found = self._names[node] = tuple(dict.fromkeys((parts, tuple(part.lower() for part in parts))))
        return found

    def paths(self, node: str) -> tuple[str, ...]:
        """The catalog's field paths of the node, in declared order."""
        found = self._paths.get(node)
        if found is None:
            listed = dict.fromkeys(path for urn in self.urns(node) for path in find_paths(self.graph, urn))
            found = self._paths[node] = tuple(listed)
        return found

    def spelled(self, node: str, column: str) -> tuple[str, ...]:
        """The catalog's field paths of the node that a folded name may be."""
        found = [path for urn in self.urns(node) for path in self.graph.read(urn, _spelled).find(column)]
        return tuple(dict.fromkeys(found)) if len(found) > 1 else tuple(found)

    def fine_edges(self, node: str) -> tuple[FineEdge, ...]:
        """The declared column edges into the node."""
        found = self._fine.get(node)
        if found is None:
            rows = tuple(edge for urn in self.urns(node) for edge in find_fine_edges(self.graph, urn))
            found = self._fine[node] = rows
        return found

    def columns(self, node: str) -> tuple[str, ...]:
        """Every known column, folded; DDL's order first."""
        found = self._columns.get(node)
        if found is None:
            stored = (fold_path(path.partition(".")[0])[0] for path in self.paths(node))
            found = self._columns[node] = tuple(dict.fromkeys((*self.declared.get(node, {}), *stored)))
        return found

    def ordered(self, node: str) -> tuple[str, ...]:
        """Columns in the order that a positional INSERT fills, () when it is not known."""
        declared = tuple(self.declared.get(node, {}))
        return declared or tuple(fold_path(path)[0] for path in self.paths(node) if "." not in path)

    def has(self, node: str, name: str) -> bool:
        """Whether a column of this name (a feature's, say) is known to be there; case does not count."""
        wanted = name.lower()
        return any(bare(column).lower() == wanted for column in self.declared.get(node, {})) or any(
            wanted in (path.lower(), path.partition(".")[0].lower()) for path in self.paths(node)
        )


def _spelled(aspects: Mapping[str, Any]) -> BySpelling[str]:
    return BySpelling.of((path, path) for path in read_paths(aspects))


def _last(key: str) -> str:
    parts = split_relation(key)
    return parts[-1] if parts else ""


def _find_dangling(naming: Naming, graph: LineageGraph) -> Iterator[tuple[str, str]]:
    """Spellings of datasets that lineage names and nobody ingested, each with the urn that is there."""
    for urn in graph.named():
        if urn.startswith("urn:li:dataset:") and urn not in naming.known:
            first = naming.canonical(urn)
            if first != urn:
                yield urn, first


def _find_primaries(naming: Naming, graph: LineageGraph) -> dict[str, str]:
    """DataHub's siblings aspect: entities that are one relation point at each other, dbt's and a warehouse's, or what two
    engines see of one table. The warehouse stands for dbt, the configured platform for other ones.

    Two tables of one platform are two relations, whatever dbt builds them both; so are those of two environments.
    """
    primary: dict[str, str] = {}
    for urn, aspects in graph.aspects.items():
        siblings: Any = aspects.get("siblings")
        if find_type(urn) != "dataset" or not siblings:
            continue
        listed = [urn, *(other for other in find_texts(siblings, "siblings") if find_type(other) == "dataset")]
        group = {other: name for other in map(naming.canonical, listed) if (name := parse_dataset(other))}
        tables = [name for name in group.values() if name.platform != "dbt"]
        here = [name for name in tables if name.env.upper() == naming.rules.env.upper()] or tables
        if here and len({name.platform for name in here}) == len(here):
            first = min(here, key=lambda name: (name.platform != naming.rules.platform, name.urn)).urn
            joined = {name.urn for name in here} | {name.urn for name in group.values() if name.platform == "dbt"}
            primary.update({other: first for other in listed if naming.canonical(other) in joined})
    return primary
