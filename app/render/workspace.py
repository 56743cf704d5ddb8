"""All dbt projects of one tree: which node, source or macro a name means, seen from a project.

What dbt finds through packages is found here by name among the tree's projects; nothing is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Template

from app.render.compiled import read_template
from app.render.known import KnownNames, Lexicon
from app.render.macros import MacroLibrary, MacroSource, find_macros
from app.render.nodes import Node, find_nodes
from app.render.paths import find_folder, is_below
from app.render.profiles import find_adapters
from app.render.project import Project, find_projects
from app.render.properties import Properties, SourceTable, read_properties
from app.render.sandbox import Sandbox
from app.render.simple import read_simple
from app.render.sql_text import RefState
from app.render.stubs import Relation
from app.render.target import Target, find_target
from app.words import Config

if TYPE_CHECKING:
    from app.render.session import Session


#: a project whose macros take one of these names computes it
_SIMPLE_NAMES: Final = frozenset({"ref", "source", "this", "config"})
#: where a project lists the packages that dbt installs for it
PACKAGES: Final = ("packages.yml", "dependencies.yml")


@dataclass(slots=True)
class Home:
    """One project with everything that is in it. `host`: the project that installed it, itself where nobody did."""

    project: Project
    target: Target
    properties: Properties
    macros: MacroLibrary
    nodes: dict[str, list[Node]] = field(default_factory=dict)
    host: Home | None = None

    def find_node(self, name: str, version: str | None = None) -> Node | None:
        """The latest version where none is asked for; an enabled one is not told from a disabled one here."""
        found = self.nodes.get(name, [])
        if version is not None:
            return next((node for node in found if node.version == version), None)
        return next((node for node in found if node.latest), found[-1] if found else None)


@dataclass(slots=True)
class Workspace:
    """The dictionaries are what has been told so far: relation and configuration by node, node by relation, columns;
    `packages`: the macros of those that no project of the tree is, as far as they were called."""

    config: Config
    sandbox: Sandbox
    start_session: Callable[..., Session]
    start_packages: Callable[[Session], Mapping[str, Mapping[str, Any]]]
    find_outputs: Callable[[Workspace, Node], tuple[str, ...]]
    known: Lexicon
    homes: dict[str, Home] = field(default_factory=dict)
    relations: dict[int, Relation] = field(default_factory=dict)
    configs: dict[int, dict[str, Any]] = field(default_factory=dict)
    by_relation: dict[str, Node] = field(default_factory=dict)
    columns: dict[int, tuple[str, ...]] = field(default_factory=dict)
    rules: dict[str, str] = field(default_factory=dict)
    packages: dict[str, MacroLibrary] = field(default_factory=dict)
    has_packages: bool = False  # some may not be in the tree

    @property
    def nodes(self) -> Iterable[Node]:
        for home in self.homes.values():
            for found in home.nodes.values():
                yield from found

    def make_session(self, home: Home, node: Node | None, **options: Any) -> Session:
        """A rendering that has not begun."""
        return self.start_session(self, home, node, **options)

    def template_of(self, node: Node) -> Template:
        """The node's template. Raises what reading it raises."""
        if node.template is None:
            reading = read_template(node.text, node.path, marking=True)
            node.template = Template.from_code(self.sandbox, reading.code, {})
        return node.template

    def columns_of(self, node: Node) -> tuple[str, ...]:
        """() where the tree does not tell them, and while they are being told."""
        if id(node) not in self.columns:
            self.columns[id(node)] = ()
            self.columns[id(node)] = self.find_outputs(self, node)
        return self.columns[id(node)]

    def home_of(self, node: Node) -> Home:
        return self.homes[node.project.path]

    def near(self, home: Home) -> list[Home]:
        """The projects that a name without a package may mean: its own, its host's, what that installed, then the rest."""
        host = home.host or home
        installed = [other for other in self.homes.values() if other.host is host]
        rest = [other for other in self.homes.values() if other not in (home, host, *installed)]
        return list({id(other): other for other in (home, host, *installed, *rest)}.values())

    def find_home(self, home: Home, name: str) -> Home | None:
        """The project of that name, the nearest first."""
        return next((other for other in self.near(home) if other.project.name == name), None)

    def find_node(self, home: Home, name: str, package: str | None, version: str | None) -> Node | None:
        """What `ref` means: the own project first; another project of the tree only where nobody nearer has it."""
        if package is not None:
            named = self.find_home(home, package)
            return named.find_node(name, version) if named else None
        own = home.find_node(name, version)
        return own or next((node for other in self.near(home) if (node := other.find_node(name, version))), None)

    def find_state(self, package: str | None) -> RefState:
        """Of a name that no project of the tree has."""
        elsewhere = package is not None and all(home.project.name != package for home in self.homes.values())
        broken = any(home.properties.broken for home in self.homes.values())
        return "outside" if elsewhere or broken or self.has_packages else "absent"

    def find_source(self, home: Home, source: str, table: str) -> SourceTable | None:
        """What `source` means; a table that the source does not list takes the source's schema."""
        for other in self.near(home):
            found = other.properties.sources.get((source, table)) or other.properties.groups.get(source)
            if found is not None:
                return found
        return None


def make_workspace(
    files: Mapping[str, str],
    config: Config,
    start_session: Callable[..., Session],
    start_packages: Callable[[Session], Mapping[str, Mapping[str, Any]]],
    find_outputs: Callable[[Workspace, Node], tuple[str, ...]],
    known: KnownNames,
) -> Workspace:
    """Every project of the tree with its nodes, properties and macros."""
    projects = find_projects(files)
    sandbox = Sandbox()
    lexicon = Lexicon.of(known)
    workspace = Workspace(config, sandbox, start_session, start_packages, find_outputs, lexicon)
    workspace.has_packages = any(path.endswith(PACKAGES) for path in files)
    owned = _split(files, projects)
    adapters = find_adapters(files, config.dbt.target if config.dbt is not None else "prod")
    for project in projects:
        properties = read_properties(project, files, owned[project.path])
        macros = _find_library(sandbox, project, files, owned[project.path])
        home = Home(
            project,
            find_target(project, config, projects, lexicon.targets.get(project.name), adapters),
            properties,
            macros,
        )
        for node in find_nodes(project, files, owned[project.path], properties):
            if node.kind in ("model", "snapshot") and not macros.sources.keys() & _SIMPLE_NAMES:
                node.simple = read_simple(node.text)
            home.nodes.setdefault(node.name, []).append(node)
        workspace.homes[project.path] = home
    for home in workspace.homes.values():
        if home.project.installed:
            home.host = _find_host(workspace, home)
            home.target = home.host.target if home.host else home.target
    return workspace


def _split(files: Mapping[str, str], projects: tuple[Project, ...]) -> dict[str, tuple[str, ...]]:
    """Project folder -> the paths that belong to it: the deepest project has a file."""
    folders = [project.path for project in projects]
    owned: dict[str, list[str]] = {folder: [] for folder in folders}
    homes: dict[str, str | None] = {}
    for path in sorted(files):
        folder = path.rpartition("/")[0]
        if folder not in homes:
            homes[folder] = find_folder(path, folders)
        home = homes[folder]
        if home is not None:
            owned[home].append(path)
    return {folder: tuple(paths) for folder, paths in owned.items()}


def _find_library(sandbox: Sandbox, project: Project, files: Mapping[str, str], owned: tuple[str, ...]) -> MacroLibrary:
    sources: dict[str, MacroSource] = {}
    for path in owned:
        if path.endswith(".sql") and any(is_below(path, folder) for folder in project.macros):
            for macro in find_macros(path, files[path]):
                sources[macro.name] = macro
    return MacroLibrary(sandbox, sources)


def _find_host(workspace: Workspace, home: Home) -> Home | None:
    above = [other for other in workspace.homes.values() if not other.project.installed]
    inside = [other for other in above if is_below(home.project.path, other.project.path)]
    return max(inside, key=lambda other: len(other.project.path), default=None)
