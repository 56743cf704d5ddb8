"""`dbt_project.yml` -> a Project: where its files are, its variables, and the configuration that goes down its folders.

Every such file of a tree is a project of its own; those that dbt installed (`dbt_packages/`) lend macros and relations only.
Keys and defaults: docs.getdbt.com/reference/dbt_project.yml.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from app.render.paths import is_below, join, relative, stem
from app.render.yaml_text import BadYaml, load_yaml, mapping, texts

PROJECT_FILES: Final = ("dbt_project.yml", "dbt_project.yaml")
_INSTALLED: Final = ("dbt_packages", "dbt_modules")


@dataclass(frozen=True, slots=True)
class Project:
    """`path` is its folder ("" = the tree's root), all other folders are whole paths of the tree.

    `ignored`: folders whose SQL dbt never builds. `installed`: a copy that `dbt deps` made. `why`: the file is unreadable.
    `runs`: the hooks around a whole run. `text`: the file itself.
    """

    path: str
    file: str
    name: str
    models: tuple[str, ...]
    macros: tuple[str, ...]
    seeds: tuple[str, ...]
    snapshots: tuple[str, ...]
    ignored: tuple[str, ...]
    installed: bool = False
    vars: Mapping[str, Any] = field(default_factory=dict)
    configs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    why: str | None = None
    profile: str = ""
    runs: Mapping[str, Any] = field(default_factory=dict)
    text: str = field(default="", repr=False)

    @property
    def resources(self) -> tuple[str, ...]:
        return (*self.models, *self.seeds, *self.snapshots)

    def is_ignored(self, path: str) -> bool:
        return any(is_below(path, folder) for folder in self.ignored)


def find_projects(files: Mapping[str, str]) -> tuple[Project, ...]:
    """In path order."""
    found: dict[str, Project] = {}
    for path in sorted(files):
        folder, _, name = path.rpartition("/")
        if name in PROJECT_FILES and folder not in found:
            found[folder] = _read_project(path, folder, files[path])
    return tuple(found.values())


def _read_project(path: str, folder: str, text: str) -> Project:
    try:
        content, why = mapping(load_yaml(text)), None
    except BadYaml as error:
        content, why = {}, f"{path} line {error.line}: {error}"

    def folders(keys: tuple[str, ...], default: str) -> tuple[str, ...]:
        named = next((content[key] for key in keys if content.get(key)), None)
        return tuple(join(folder, item) for item in texts(named, (default,)))

    name = content.get("name")
    return Project(
        path=folder,
        file=path,
        name=str(name) if name else folder.rpartition("/")[2] or "project",
        models=folders(("model-paths", "source-paths"), "models"),
        macros=folders(("macro-paths",), "macros"),
        seeds=folders(("seed-paths", "data-paths"), "seeds"),
        snapshots=folders(("snapshot-paths",), "snapshots"),
        ignored=(
            *folders(("target-path",), "target"),
            *folders(("packages-install-path", "modules-path"), "dbt_packages"),
            *folders(("analysis-paths",), "analyses"),
            *folders(("test-paths",), "tests"),
            *(join(folder, name) for name in ("target", "dbt_modules", "logs")),
        ),
        installed=any(part in _INSTALLED for part in folder.split("/")),
        vars=mapping(content.get("vars")),
        configs={kind: mapping(content.get(kind)) for kind in ("models", "seeds", "snapshots", "sources")},
        why=why,
        profile=str(content.get("profile") or ""),
        runs={key: content[key] for key in ("on-run-start", "on-run-end") if key in content},
        text=text,
    )


def find_vars(project: Project, root: Project) -> dict[str, Any]:
    """Variables as a project's files see them: those in its own scope before the global ones, the root's before its own."""
    found: dict[str, Any] = {}
    for owner in (project, root):
        found |= owner.vars
        found |= mapping(owner.vars.get(project.name))
    return found


def find_levels(project: Project, kind: str, path: str, folders: tuple[str, ...]) -> list[Mapping[str, Any]]:
    """What `models:` (or `seeds:` ...) of dbt_project.yml says on the way down to one file, outermost first."""
    folder = max((f for f in folders if is_below(path, f)), key=len, default="")
    names = [project.name, *relative(path, folder).split("/")[:-1], stem(path)]
    levels: list[Mapping[str, Any]] = [project.configs.get(kind, {})]
    for name in names:
        if not isinstance(levels[-1].get(name), dict):
            break
        levels.append(mapping(levels[-1][name]))
    return levels


def find_folder_config(project: Project, kind: str, path: str, folders: tuple[str, ...]) -> dict[str, Any]:
    """What `models:` (or `seeds:` ...) of dbt_project.yml says for one file: deeper folders win."""
    folder = max((f for f in folders if is_below(path, f)), key=len, default="")
    names = [project.name, *relative(path, folder).split("/")[:-1], stem(path)]
    level: Mapping[str, Any] = project.configs.get(kind, {})
    found: dict[str, Any] = {}
    for name in (*names, None):
        for key, value in level.items():
            if key.startswith("+"):
                found[key[1:]] = value
            elif not isinstance(value, dict) and key != name:
                found[key] = value
        if name is None or not isinstance(level.get(name), dict):
            break
        level = mapping(level[name])
    return found
