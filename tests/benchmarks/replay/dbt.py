"""A dbt project -> the tables that it builds: its models, seeds and sources, named as dbt would."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

import jinja2
import yaml

from tests.benchmarks.replay.git_objects import Objects
from tests.benchmarks.replay.queries import Query, study_text
from tests.benchmarks.replay.repositories import Repository
from tests.benchmarks.replay.templates import REF, SOURCE, make_environment, render
from tests.benchmarks.replay.warehouse import Column, Table, Warehouse

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
SEEDS = ("seeds", "data")
Config = dict[str, Any]
Tree = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Project:
    """One tree's dbt project: its top, what its properties say of models and sources, its variables and macros."""

    top: str
    settings: Config
    folders: tuple[str, ...]
    docs: Mapping[str, Config]
    sources: Mapping[tuple[str, str], tuple[Config, Config]]
    macros: str
    environment: jinja2.Environment

    def fill(self, value: object) -> str:
        """A value of a property, its template filled in."""
        text = str(value)
        if "{{" not in text:
            return text
        try:
            return self.environment.from_string(text).render()
        except Exception:  # noqa: BLE001 - a stranger's template: it stays as it is written
            return text


@dataclass(slots=True)
class DbtWarehouses:
    """One warehouse for each tree that is asked for; each file is rendered once for the same macros."""

    objects: Objects
    repository: Repository
    documents: dict[str, Any] = field(default_factory=dict)
    environments: dict[str, jinja2.Environment] = field(default_factory=dict)
    studied: dict[tuple[str, str], tuple[Query | None, Config]] = field(default_factory=dict)

    def build(self, tree: Tree) -> Warehouse:
        """`tree`: path -> blob."""
        project = self._read_project(tree)
        tables: dict[str, Table] = {}
        for path in tree:
            folder = next((one for one in project.folders if path.startswith(f"{project.top}{one}/")), None)
            if folder is not None and path.endswith(".sql"):
                self._add_model(path, folder, tree[path], project, tables)
        for path in tree:
            if path.startswith(project.top) and path.endswith(".csv"):
                self._add_seed(path, tree[path], project, tables)
        sources = {f"{a}__{b}": self._make_source(a, b, project) for a, b in project.sources}
        return Warehouse(tables, sources, _find_resolver(tables, sources))

    # --- the project -----------------------------------------------------------------------------------------------

    def _read_project(self, tree: Tree) -> _Project:
        top = f"{self.repository.folder}/" if self.repository.folder else ""
        settings = (self._read_yaml(tree[top + "dbt_project.yml"]) if top + "dbt_project.yml" in tree else None) or {}
        folders = settings.get("model-paths") or settings.get("source-paths") or ["models"]
        variables: Config = {}
        for name, value in (settings.get("vars") or {}).items():
            variables.update(value if isinstance(value, dict) else {name: value})
        variables.update(self.repository.variables)
        macros, environment = self._make_environment(tree, top, variables)
        docs, sources = self._read_properties(
            tree, tuple(f"{top}{one}/" for one in (*folders, "seeds", "snapshots", "data"))
        )
        return _Project(top, settings, tuple(folders), docs, sources, macros, environment)

    def _make_environment(self, tree: Tree, top: str, variables: Config) -> tuple[str, jinja2.Environment]:
        """With a key that differs when its macros or variables do. Only the last is kept."""
        blobs = [blob for path, blob in tree.items() if path.startswith(f"{top}macros/") and path.endswith(".sql")]
        said = json.dumps(variables, default=str, sort_keys=True)
        key = hashlib.sha256("".join([*blobs, said]).encode()).hexdigest()
        if key not in self.environments:
            self.environments = {key: make_environment(variables, map(self.objects.fetch_text, blobs))}
        return key, self.environments[key]

    def _read_properties(
        self, tree: Tree, tops: tuple[str, ...]
    ) -> tuple[dict[str, Config], dict[tuple[str, str], tuple[Config, Config]]]:
        docs: dict[str, Config] = {}
        sources: dict[tuple[str, str], tuple[Config, Config]] = {}
        for path, blob in tree.items():
            held = self._read_yaml(blob) if path.startswith(tops) and path.endswith((".yml", ".yaml")) else None
            if not isinstance(held, dict):
                continue
            for kind in ("models", "seeds", "snapshots"):
                docs.update({one["name"]: one for one in _named(held.get(kind))})
            for source in _named(held.get("sources")):
                sources.update({(source["name"], one["name"]): (source, one) for one in _named(source.get("tables"))})
        return docs, sources

    def _read_yaml(self, blob: str) -> Any:
        if blob not in self.documents:
            try:
                self.documents[blob] = yaml.load(self.objects.fetch_text(blob), LOADER)  # noqa: S506 - a safe loader
            except (yaml.YAMLError, ValueError):
                self.documents[blob] = None
        return self.documents[blob]

    # --- tables ----------------------------------------------------------------------------------------------------

    def _add_model(self, path: str, folder: str, blob: str, project: _Project, tables: dict[str, Table]) -> None:
        name = PurePosixPath(path).stem
        query, said = self._study(blob, project)
        if said.get("enabled") is False:
            return
        doc = project.docs.get(name, {})
        beside = doc.get("config") or {}
        folders = PurePosixPath(path[len(f"{project.top}{folder}/") :]).parts[:-1]
        schema, stored = _find_folder_settings(project.settings, folders)
        schema = said.get("schema") or beside.get("schema") or schema
        alias = said.get("alias") or beside.get("alias") or name
        stored = said.get("materialized") or beside.get("materialized") or stored
        tables[name] = Table(
            self._name(project.fill(schema) if schema else None, alias),
            "ephemeral" if stored == "ephemeral" else "model",
            path,
            query,
            _documented(doc),
            view="yes" if stored == "view" else "no",
        )

    def _study(self, blob: str, project: _Project) -> tuple[Query | None, Config]:
        key = (blob, project.macros)
        if key not in self.studied:
            sql, said = render(project.environment, self.objects.fetch_text(blob))
            self.studied[key] = (study_text(sql, self.repository.dialect) if sql else None, said)
        return self.studied[key]

    def _name(self, custom: str | None, alias: str) -> str:
        target = self.repository.schema
        joined = f"{target}_{custom}" if custom else target
        schema = joined if self.repository.schemas == "joined" else custom or target
        return f"{self.repository.database}.{schema}.{alias}".lower()

    def _add_seed(self, path: str, blob: str, project: _Project, tables: dict[str, Table]) -> None:
        name = PurePosixPath(path).stem
        if path[len(project.top) :].split("/", maxsplit=1)[0] not in SEEDS or name in tables:
            return
        header = self.objects.fetch_text(blob).split("\n", 1)[0].split(",")
        columns = tuple((cell.strip().strip('"'), None) for cell in header if cell.strip())
        tables[name] = Table(self._name(None, name), "seed", path, documented=columns)

    def _make_source(self, source: str, table: str, project: _Project) -> Table:
        above, own = project.sources[(source, table)]
        database = project.fill(above.get("database", self.repository.database))
        schema = project.fill(above.get("schema", source))
        name = f"{database}.{schema}.{project.fill(own.get('identifier', table))}".lower()
        return Table(name, "source", documented=_documented(own))


def _find_folder_settings(settings: Config, folders: Iterable[str]) -> tuple[str | None, str]:
    """(schema, materialization) that `dbt_project.yml` gives to the models of a folder; the innermost wins."""
    here: Any = (settings.get("models") or {}).get(settings.get("name"), {}) or {}
    schema, stored = None, "view"
    for folder in (None, *folders):
        here = here if folder is None else here.get(folder)
        if not isinstance(here, dict):
            break
        schema = _find_setting(here, "schema") or schema
        stored = _find_setting(here, "materialized") or stored
    return schema, stored


def _find_setting(settings: Config, key: str) -> str | None:
    """Without its `+` a key may be a folder of that name."""
    plain = settings.get(key)
    found: str | None = settings.get(f"+{key}", plain if isinstance(plain, str) else None)
    return found


def _named(rows: Any) -> list[Config]:
    return [row for row in rows or () if isinstance(row, dict) and row.get("name")]


def _documented(doc: Config) -> tuple[Column, ...]:
    return tuple((column["name"], None) for column in _named(doc.get("columns")))


def _find_resolver(tables: Mapping[str, Table], sources: Mapping[str, Table]) -> Callable[[str], Table | None]:
    def resolve(name: str) -> Table | None:
        if name.startswith(REF):
            return tables.get(name.removeprefix(REF))
        return sources.get(name.removeprefix(SOURCE)) if name.startswith(SOURCE) else None

    return resolve
