"""The nodes of a dbt project: one for each model, snapshot and seed, with its text and where that begins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from jinja2 import Template

from app.render.marks import without_private
from app.render.paths import is_below, is_templated, stem
from app.render.project import Project, find_folder_config
from app.render.properties import Properties, find_latest, find_versions
from app.render.simple import Simple
from app.render.yaml_text import mapping

NodeKind: TypeAlias = Literal["model", "seed", "snapshot", "python"]
_SNAPSHOT: Final = re.compile(
    r"\{%[-+]?\s*snapshot\s+(\w+)\s*[-+]?%\}(.*?)\{%[-+]?\s*endsnapshot\s*[-+]?%\}", re.DOTALL
)
_COMMENT: Final = re.compile(r"\{#.*?#\}", re.DOTALL)


@dataclass(slots=True)
class Node:
    """`text` has as many lines before the node's own as the file has. `static` is what YAML says of it, unrendered.

    `simple` is there where nothing has to be computed; else `template` is filled when it is first read.
    """

    project: Project
    kind: NodeKind
    name: str
    path: str
    text: str
    line_count: int
    static: dict[str, Any]
    version: str | None = None
    latest: bool = False
    simple: Simple | None = field(default=None, repr=False)
    template: Template | None = field(default=None, repr=False)

    @property
    def is_templated(self) -> bool:
        return is_templated(self.text)

    @property
    def unique_id(self) -> str:
        """dbt's own key of the node."""
        kind = "model" if self.kind == "python" else self.kind
        return f"{kind}.{self.project.name}.{self.name}" + (f".v{self.version}" if self.version is not None else "")

    @property
    def default_alias(self) -> str:
        return self.name if self.version is None else f"{self.name}_v{self.version.replace('.', '_')}"


def find_nodes(project: Project, files: Mapping[str, str], owned: tuple[str, ...], found: Properties) -> Iterator[Node]:
    """In path order; those written in YAML alone come last."""
    versions = _find_files_of_versions(found)
    for path in owned:
        text = files[path]
        if project.is_ignored(path):
            continue
        if path.endswith(".sql") and _is_in(path, project.snapshots + project.models) and "endsnapshot" in text:
            yield from _find_snapshots(project, path, text, found)
        elif path.endswith((".sql", ".py")) and _is_in(path, project.models):
            if path.endswith(".sql") or re.search(r"^def\s+model\s*\(", text, re.MULTILINE):
                yield _make_model(project, path, text, found, versions.get(stem(path)))
        elif path.endswith(".csv") and _is_in(path, project.seeds):
            static = _static(project, "seed", path, project.seeds, found.of("seed", stem(path)))
            yield Node(project, "seed", stem(path), path, text, _count(text), static)
    for path, entry in found.written:
        yield _make_written_snapshot(project, path, files[path], entry)


def _is_in(path: str, folders: tuple[str, ...]) -> bool:
    return any(is_below(path, folder) for folder in folders)


def _count(text: str) -> int:
    return text.count("\n") + 1


def _static(
    project: Project, kind: str, path: str, folders: tuple[str, ...], *entries: Mapping[str, Any]
) -> dict[str, Any]:
    """dbt_project.yml first, then each entry's `config` and what older dbt let stand beside it."""
    found = find_folder_config(project, f"{kind}s", path, folders)
    for entry in entries:
        found |= {key: entry[key] for key in ("alias", "schema", "database", "enabled") if key in entry}
        found |= mapping(entry.get("config"))
    return found


def _find_files_of_versions(found: Properties) -> dict[str, tuple[str, str]]:
    """File stem -> (model, version)."""
    files: dict[str, tuple[str, str]] = {}
    for name, entry in found.models.items():
        for version, details in find_versions(entry).items():
            files[str(details.get("defined_in") or f"{name}_v{version}")] = (name, version)
    return files


def _make_model(project: Project, path: str, text: str, found: Properties, versioned: tuple[str, str] | None) -> Node:
    name, version = versioned or (stem(path), None)
    entry = found.of("model", name)
    details = find_versions(entry).get(version, {}) if version is not None else {}
    if version is None and find_versions(entry):  # the latest version may stand under the model's plain name
        version = find_latest(entry)
        details = find_versions(entry).get(version or "", {})
    static = _static(project, "model", path, project.models, entry, details)
    kind: NodeKind = "python" if path.endswith(".py") else "model"
    node = Node(project, kind, name, path, without_private(text), _count(text), static, version)
    node.latest = version is not None and version == find_latest(entry)
    return node


def _find_snapshots(project: Project, path: str, text: str, found: Properties) -> Iterator[Node]:
    hidden = _COMMENT.sub(lambda comment: "\n" * comment.group().count("\n"), text)
    for block in _SNAPSHOT.finditer(hidden):
        before = hidden.count("\n", 0, block.start(2))
        name = block.group(1)
        static = _static(project, "snapshot", path, project.snapshots, found.of("snapshot", name))
        body = "\n" * before + without_private(block.group(2))
        yield Node(project, "snapshot", name, path, body, _count(text), static)


def _make_written_snapshot(project: Project, path: str, text: str, entry: Mapping[str, Any]) -> Node:
    """`snapshots: [{name, relation}]`: a copy of its relation."""
    name, relation = str(entry.get("name", "")), without_private(str(entry["relation"])).strip("{} ")
    at = re.search(rf"^\s*-?\s*relation\s*:.*{re.escape(relation)}", text, re.MULTILINE)
    before = text.count("\n", 0, at.end()) if at else 0
    static = _static(project, "snapshot", path, project.snapshots, entry)
    body = "\n" * before + f"select * from {{{{ {relation} }}}}"  # noqa: S608 - read, never run
    return Node(project, "snapshot", name, path, body, _count(text), static)
