"""What was seen of a dbt project's relations -> where it builds, and what its nodes are called there.

The default database and schema are those with which dbt's own rules, and the project's macros for them, name the nodes as
they were seen. Two that do so (dev and prod in one catalog) are told apart by `dbt.target` of the configuration, else not at
all: then a name stays partial, and whoever meets it says which datasets it may mean. Nothing here beats the configuration.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, TypeVar

from app.render.known import MOST_PARTS, KnownName, KnownNames, KnownTarget, Parts, Seen, agrees
from app.render.name_origin import describe_naming, describe_source
from app.render.naming import find_relation
from app.render.node_config import find_config
from app.render.nodes import Node
from app.render.paths import is_templated
from app.render.target import Target
from app.render.workspace import Home, Workspace

Place: TypeAlias = tuple[str | None, str | None]  # database, schema

T = TypeVar("T", bound=tuple[str | None, ...])

#: nodes of one project that are looked at: more do not tell more
_MOST_NODES: Final = 300
_MOST_PLACES: Final = 12
#: as many default-schema models have to be where tables alone (no dbt entities) say that the project builds
_ENOUGH: Final = 2


def survey(workspace: Workspace, seen: Seen, profiles: Mapping[str, KnownTarget]) -> KnownNames:
    """Of all projects of the workspace. `profiles`: what they say of the configured target, by their names."""
    targets: dict[str, KnownTarget] = {}
    for home in workspace.homes.values():
        target = home.target
        if home.project.installed or (target.database and target.schema):
            continue
        found = _find_place(workspace, home, seen) or _complete(target, profiles.get(home.project.profile))
        if found is not None and found != (target.database, target.schema):
            targets[home.project.name] = KnownTarget(home.project.name, *found)
            _move(workspace, home, found)
    relations = sorted(_find_relations(workspace, seen), key=lambda name: name.unique)
    outside = sorted(_find_outside(workspace, seen), key=lambda name: name.unique)
    return KnownNames(tuple(targets.values()), tuple(relations), tuple(outside))


def _complete(target: Target, profile: KnownTarget | None) -> Place | None:
    """A profile is asked last; it completes what the configuration says, and contradicts nothing."""
    return (target.database or profile.database, target.schema or profile.schema) if profile is not None else None


def _move(workspace: Workspace, home: Home, place: Place) -> None:
    """Let the project, and what it installed, build there; what was told of any name is forgotten."""
    for other in workspace.homes.values():
        if other is home or other.host is home:
            other.target = replace(other.target, database=place[0], schema=place[1])
    workspace.relations.clear()
    workspace.by_relation.clear()
    workspace.configs.clear()


# --- the project's default database and schema ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sighting:
    node: Node
    names: tuple[Parts, ...]
    custom: str | None  # the schema that its configuration adds

    def agrees(self, name: Parts) -> bool:
        return any(len(seen) > 1 and agrees(name, seen) for seen in self.names)


def _find_place(workspace: Workspace, home: Home, seen: Seen) -> Place | None:
    nodes = [node for other in workspace.homes.values() if home in (other, other.host) for node in _nodes_of(other)]
    for names in (seen.nodes, {unique: (parts,) for unique, parts in seen.manifest.items()}):
        sightings = [_sight(workspace, n, names[n.unique_id]) for n in nodes if n.unique_id in names][:_MOST_NODES]
        if sightings:
            found = _choose(workspace, home, sightings)
            if found is not None:
                return found
    if any(node.unique_id in seen.nodes for node in nodes):
        return None
    return _choose_by_tables(workspace, home, nodes, seen.tables)


def _nodes_of(home: Home) -> Iterator[Node]:
    return (node for found in home.nodes.values() for node in found)


def _sight(workspace: Workspace, node: Node, names: tuple[Parts, ...]) -> _Sighting:
    config = find_config(workspace, node)
    customs = (config[key] for key in ("schema", "dataset") if isinstance(config.get(key), str))
    return _Sighting(node, names, next(customs, None))


def _choose(workspace: Workspace, home: Home, sightings: list[_Sighting]) -> Place | None:
    """The one place that explains what was seen, or the one of several that is the configured target's."""
    places = _find_places(home, sightings)
    if not places:
        return None
    named = {place: _name(workspace, home, place, sightings) for place in places}
    explained = {
        place: {n for n, sighting in enumerate(sightings) if sighting.agrees(names[n])}
        for place, names in named.items()
    }
    elsewhere = _name(workspace, home, (places[0][0], f"{places[0][1]}_elsewhere"), sightings)
    told = {n for n, name in enumerate(elsewhere) if any(names[n] != name for names in named.values())}
    best = max(len(found) for found in explained.values())
    if 2 * best <= len(sightings):
        return None
    if not told:  # every name has its schema anyway
        return _common_database(home, [place for place, found in explained.items() if len(found) == best])
    most = max(len(found & told) for found in explained.values())
    rivals = [place for place, found in explained.items() if 2 * len(found & told) >= most]
    return _pick_fitting(rivals, home.target.name)


def _common_database(home: Home, places: list[Place]) -> Place | None:
    databases = {database for database, _ in places}
    database = databases.pop() if len(databases) == 1 else None
    return (database, home.target.schema) if database else None


def _find_places(home: Home, sightings: list[_Sighting]) -> list[Place]:
    """Where the default may be, the most frequent first; what the configuration says is not in question."""
    found: Counter[Place] = Counter()
    for sighting in sightings:
        for parts in sighting.names:
            if len(parts) < 2:
                continue
            database = home.target.database or (parts[-3] if len(parts) >= MOST_PARTS else None)
            for schema in _defaults(parts[-2], sighting.custom):
                found[database, home.target.schema or schema] += 1
    return [place for place, _ in found.most_common(_MOST_PLACES)]


def _defaults(schema: str, custom: str | None) -> tuple[str, ...]:
    """The default schemas that a custom one may have been added to (dbt's rule, and the common one of projects)."""
    tail = f"_{custom}".lower()
    if custom and schema.lower().endswith(tail) and len(schema) > len(tail):
        return (schema[: -len(tail)], schema)
    return (schema,)


def _name(workspace: Workspace, home: Home, place: Place, sightings: Iterable[_Sighting]) -> list[Parts]:
    before = home.target.database, home.target.schema
    _move(workspace, home, place)
    names = [find_relation(workspace, sighting.node).known_parts for sighting in sightings]
    _move(workspace, home, before)
    return [parts if len(parts) > 1 else (*parts, "") for parts in names]  # a bare name agrees with nothing


def _pick_fitting(places: list[T], target: str) -> T | None:
    """The only one, or the only one that speaks of the target (`prod`: `analytics_prod`, `production`) where they differ."""
    if len(places) == 1:
        return places[0]
    words = [{word for part in place if part for word in re.split(r"[^a-z0-9]+", part.lower())} for place in places]
    shared = words[0].intersection(*words[1:])
    fitting = [
        place
        for place, own in zip(places, words, strict=True)
        if target and any(word.startswith(target.lower()) for word in own - shared)
    ]
    return fitting[0] if len(fitting) == 1 else None


def _choose_by_tables(
    workspace: Workspace, home: Home, nodes: list[Node], tables: Mapping[str, tuple[Parts, ...]]
) -> Place | None:
    """By the warehouse's tables alone. A name by itself says nothing (a model is often called like its source): the place has
    to be none of a source, and to have several models, or one in its own schema.
    """
    sources = {table.schema.lower() for table in home.properties.sources.values()}
    if any(is_templated(schema) for schema in sources):
        return None
    sightings = []
    for node in nodes:
        stored = tuple(
            parts
            for parts in tables.get(find_relation(workspace, node).identifier.lower(), ())
            if len(parts) > 1 and parts[-2].lower() not in sources
        )
        if stored:
            sightings.append(_sight(workspace, node, stored))
    sightings = sightings[:_MOST_NODES]
    found = _choose(workspace, home, sightings) if sightings else None
    if found is None:
        return None
    names = _name(workspace, home, found, sightings)
    there = [sighting for parts, sighting in zip(names, sightings, strict=True) if sighting.agrees(parts)]
    built = [node for node in nodes if find_config(workspace, node).get("materialized") != "ephemeral"]
    enough = 2 * len(there) >= min(len(built), _MOST_NODES)
    return found if enough and (len(there) >= _ENOUGH or any(sighting.custom for sighting in there)) else None


# --- single names --------------------------------------------------------------------------------------------------


def _find_relations(workspace: Workspace, seen: Seen) -> Iterator[KnownName]:
    """Of what the tree does not tell in full."""
    for home in workspace.homes.values():
        stored = _Stored.of(workspace, home, seen.tables)
        for node in _nodes_of(home):
            parts = _pick(seen, node.unique_id, home.target.name) or stored.names.get(id(node))
            told = find_relation(workspace, node).known_parts if parts is not None else ()
            if parts is not None and len(told) < MOST_PARTS:
                yield KnownName(node.unique_id, parts, describe_naming(workspace, node))
        for table in home.properties.sources.values():
            unique = f"source.{table.project}.{table.source}.{table.name}"
            parts = _pick(seen, unique, home.target.name)
            if parts is not None:
                yield KnownName(unique, parts, describe_source(table))


@dataclass(frozen=True, slots=True)
class _Stored:
    """The tables of nodes whose schema the tree does not tell (a macro asks for what nobody knows), by id: the only one of that
    name, in the schema that the node asks for. One such table may be anybody's; they count where most of these nodes have one.
    """

    names: Mapping[int, Parts]

    @staticmethod
    def of(workspace: Workspace, home: Home, tables: Mapping[str, tuple[Parts, ...]]) -> _Stored:
        nodes = (
            _nodes_of(home) if home.target.schema is not None else ()
        )  # else the project's own place is what is not known
        relations = ((node, find_relation(workspace, node)) for node in nodes)
        open_ = [(node, relation) for node, relation in relations if len(relation.known_parts) == 1]
        built = [
            (node, relation)
            for node, relation in open_
            if find_config(workspace, node).get("materialized") != "ephemeral"
        ]
        called = Counter(relation.identifier.lower() for _, relation in open_)
        sources = {(table.identifier or table.name).lower() for table in home.properties.sources.values()}
        found: dict[int, Parts] = {}
        for node, relation in built:
            name = relation.identifier.lower()
            fitting = [p for p in tables.get(name, ()) if len(p) > 1 and _is_asked_for(workspace, node, p[-2])]
            if len(fitting) == 1 and called[name] == 1 and name not in sources:
                found[id(node)] = fitting[0]
        return _Stored(found if len(found) >= _ENOUGH and 2 * len(found) > len(built) else {})


def _is_asked_for(workspace: Workspace, node: Node, schema: str) -> bool:
    """The schema that the node's configuration adds is the whole of it, or a part of it; without one, any may be the default."""
    config = find_config(workspace, node)
    asked = next((config[key] for key in ("schema", "dataset") if isinstance(config.get(key), str)), None)
    return asked is None or re.search(rf"(?:\A|_){re.escape(asked.lower())}(?:_|\Z)", schema.lower()) is not None


def _find_outside(workspace: Workspace, seen: Seen) -> Iterator[KnownName]:
    projects = {home.project.name for home in workspace.homes.values()}
    target = next((home.target.name for home in workspace.homes.values()), "")
    for unique in seen.nodes.keys() | seen.manifest.keys():
        if unique.split(".")[1:2] and unique.split(".")[1] not in projects:
            parts = _pick(seen, unique, target)
            if parts is not None:
                yield KnownName(unique, parts)


def _pick(seen: Seen, unique: str, target: str) -> Parts | None:
    """The one name, or the target's; a manifest settles what the catalog leaves open."""
    names = seen.nodes.get(unique, ())
    picked = _pick_fitting(list(names), target) if names else None
    if picked is None and (told := seen.manifest.get(unique)) is not None:
        return told if not names or any(agrees(told, parts) for parts in names) else None
    return picked
