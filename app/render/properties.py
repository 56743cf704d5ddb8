"""The property files of a dbt project (`schema.yml` and its like) -> what they say of models, seeds, snapshots and sources.

Names are taken as written; Jinja in them is rendered by whoever uses them.
Keys: docs.getdbt.com/reference/configs-and-properties.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.render.paths import is_below
from app.render.project import Project
from app.render.yaml_text import BadYaml, load_yaml, mapping, mappings


@dataclass(frozen=True, slots=True)
class SourceTable:
    """`schema`, `database`: None where the file leaves them to dbt's defaults. `quoting`: parts to be quoted as written."""

    source: str
    name: str
    identifier: str
    schema: str
    database: str | None
    quoting: Mapping[str, bool]
    columns: tuple[str, ...] = ()
    project: str = ""


@dataclass(frozen=True, slots=True)
class Broken:
    path: str
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Properties:
    """By name. `written` holds (path, entry) of snapshots that are defined in YAML alone; `texts`: by kind
    and name, the file that says it: its path and its text."""

    models: dict[str, dict[str, Any]] = field(default_factory=dict)
    seeds: dict[str, dict[str, Any]] = field(default_factory=dict)
    snapshots: dict[str, dict[str, Any]] = field(default_factory=dict)
    sources: dict[tuple[str, str], SourceTable] = field(default_factory=dict)
    groups: dict[str, SourceTable] = field(default_factory=dict)
    written: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    texts: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict, repr=False)

    def of(self, kind: str, name: str) -> dict[str, Any]:
        found = {"model": self.models, "seed": self.seeds, "snapshot": self.snapshots}[kind]
        return found.get(name, {})


def read_properties(project: Project, files: Mapping[str, str], owned: tuple[str, ...]) -> Properties:
    """Of the YAML files among `owned` (the paths of the project) that stand in its resource folders."""
    found = Properties()
    folders = (*project.resources, *project.macros)
    for path in owned:
        if not path.endswith((".yml", ".yaml")) or not any(is_below(path, folder) for folder in folders):
            continue
        if path == project.file:
            continue
        try:
            content = mapping(load_yaml(files[path]))
        except BadYaml as error:
            found.broken.append(Broken(path, error.line, str(error)))
            continue
        _add(found, path, content, project.name)
        for kind in ("models", "seeds", "snapshots"):
            for entry in mappings(content.get(kind)):
                found.texts[kind[:-1], str(entry.get("name", ""))] = path, files[path]
    return found


def _add(found: Properties, path: str, content: dict[str, Any], project: str) -> None:
    for kind, into in (("models", found.models), ("seeds", found.seeds), ("snapshots", found.snapshots)):
        for entry in mappings(content.get(kind)):
            name = str(entry.get("name", ""))
            into[name] = {**into.get(name, {}), **entry}
            if kind == "snapshots" and entry.get("relation"):
                found.written.append((path, entry))
    for source in mappings(content.get("sources")):
        _add_source(found, source, project)


def _add_source(found: Properties, source: dict[str, Any], project: str) -> None:
    name = str(source.get("name", ""))
    config = mapping(source.get("config"))
    schema = _first(source, config, ("schema", "dataset")) or name
    database = _first(source, config, ("database", "project", "catalog"))
    quoting = {key: value is True for key, value in mapping(source.get("quoting")).items()}
    found.groups[name] = SourceTable(name, "", "", schema, database, quoting, project=project)
    for table in mappings(source.get("tables")):
        table_name = str(table.get("name", ""))
        found.sources[name, table_name] = SourceTable(
            name,
            table_name,
            str(table.get("identifier") or table_name),
            schema,
            database,
            quoting | {key: value is True for key, value in mapping(table.get("quoting")).items()},
            tuple(str(column.get("name", "")) for column in mappings(table.get("columns"))),
            project,
        )


def _first(source: dict[str, Any], config: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    value = next((place[key] for place in (source, config) for key in keys if place.get(key) is not None), None)
    return None if value is None else str(value)


def find_versions(entry: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """version -> its entry, of a model with versions."""
    return {str(version["v"]): version for version in mappings(entry.get("versions")) if "v" in version}


def find_latest(entry: Mapping[str, Any]) -> str | None:
    """`latest_version`, else the highest (numbers as numbers)."""
    versions = find_versions(entry)
    if entry.get("latest_version") is not None:
        return str(entry["latest_version"])
    return max(versions, key=_version_key, default=None)


def _version_key(version: str) -> tuple[int, float, str]:
    try:
        return 1, float(version), version
    except ValueError:
        return 0, 0.0, version
