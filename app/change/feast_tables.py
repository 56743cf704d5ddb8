"""Feature views of a repository's Feast code, and the table whose columns they are. Read from the syntax tree, never run.

One module often names what another one makes (`from sources import customer_source`): a name that the module itself does not
set is looked for in the others, and counts where exactly one of them sets it. The project is the nearest `feature_store.yaml`'s.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final, TypeVar

from app.change.feast import (
    FeastView,
    FoundSource,
    find_argument,
    find_called,
    find_calls,
    find_constants,
    find_source,
    find_text,
    read_view,
)
from app.words import Evidence

T = TypeVar("T")

_PROJECT: Final = re.compile(r"^project:\s*[\"']?([\w.-]+)", re.M)
_STORE: Final = ("feature_store.yaml", "feature_store.yml")


@dataclass(frozen=True, slots=True)
class FeatureTable:
    """A feature view. `table`: the parts of its source's name as written, () where that is a query, a file or not told.

    `project` is "" where nothing says it. `keys`: an entity's name -> the column that it joins by. `evidence` is the line of the
    view. `query`: the lines of the same file in which a query stands that computes the features.
    """

    view: str
    project: str
    table: tuple[str, ...]
    columns: Mapping[str, str]
    mapping: Mapping[str, str]
    keys: Mapping[str, str]
    is_open: bool
    query: range
    evidence: Evidence

    def is_called(self, table: str) -> bool:
        """Whether the catalog's name of a feature table means this view: DataHub's Feast source writes `project.view`."""
        project, _, view = table.rpartition(".")
        return view == self.view and (not project or not self.project or project == self.project)

    def find_column(self, feature: str) -> str | None:
        """The column of the source that a feature or a key of the view is; None where the view has none of that name."""
        if feature in self.keys:
            return self.keys[feature]
        if feature in self.columns:
            return self.columns[feature]
        return self.mapping.get(feature, feature) if self.is_open else None


@dataclass(frozen=True, slots=True)
class _Module:
    path: str
    tree: ast.Module
    constants: Mapping[str, ast.expr]
    sources: Mapping[str, FoundSource]
    keys: Mapping[str, tuple[str, str]]  # variable -> an entity's name and its column
    lines: Sequence[str] = field(repr=False)


def find_feature_tables(files: Mapping[str, str]) -> tuple[FeatureTable, ...]:
    """Every feature view with a constant name in the Python files of one tree."""
    modules = [module for path, text in sorted(files.items()) if (module := _read(path, text)) is not None]
    sources = _find_shared([module.sources for module in modules])
    keys = _find_shared([module.keys for module in modules])
    return tuple(
        _describe(view, call, module, {**keys, **module.keys}, files)
        for module in modules
        for _, call in find_calls(module.tree)
        if (view := read_view(call, {**sources, **module.sources}, module.constants)) is not None
    )


def _read(path: str, text: str) -> _Module | None:
    if not path.endswith(".py") or "feast" not in text:
        return None
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None  # an opaque file to the walk, and judged as one
    constants = find_constants(tree)
    sources: dict[str, FoundSource] = {}
    keys: dict[str, tuple[str, str]] = {}
    for name, call in find_calls(tree):
        if (source := find_source(call, constants, sources)) is not None:
            sources[name] = source
        if find_called(call) == "Entity" and (key := _read_entity(call)) is not None:
            keys[name] = key
    return _Module(path, tree, constants, sources, keys, text.splitlines())


def _read_entity(call: ast.Call) -> tuple[str, str] | None:
    """Its name, and the column that it joins by: `join_keys`, else the name."""
    name = find_text(find_argument(call, "name") or next(iter(call.args), None))
    if name is None:
        return None
    given = find_argument(call, "join_keys")
    listed = [find_text(one) for one in given.elts] if isinstance(given, (ast.List, ast.Tuple)) else []
    column = listed[0] if len(listed) == 1 else find_text(find_argument(call, "join_key"))
    return name, column or name


def _find_shared(modules: Sequence[Mapping[str, T]]) -> dict[str, T]:
    """What exactly one module sets under a name."""
    found: dict[str, list[T]] = {}
    for named in modules:
        for name, value in named.items():
            found.setdefault(name, []).append(value)
    return {name: values[0] for name, values in found.items() if name and len(values) == 1}


def _describe(
    view: FeastView, call: ast.Call, module: _Module, keys: Mapping[str, tuple[str, str]], files: Mapping[str, str]
) -> FeatureTable:
    listed = find_argument(call, "entities")
    names = (
        [one.id for one in listed.elts if isinstance(one, ast.Name)]
        if isinstance(listed, (ast.List, ast.Tuple))
        else []
    )
    line = call.lineno
    text = module.lines[line - 1].strip() if line <= len(module.lines) else ""
    return FeatureTable(
        view.name,
        _find_project(module.path, files),
        view.table,
        view.columns,
        view.mapping,
        dict(keys[name] for name in names if name in keys),
        view.is_open,
        range(view.first_line, view.last_line + 1) if view.queries and _is_own(call, module) else range(0),
        Evidence(module.path, line, text, "base"),
    )


def _is_own(call: ast.Call, module: _Module) -> bool:
    """Whether the view's source stands in the same module."""
    given = find_argument(call, "source") or find_argument(call, "batch_source")
    return not isinstance(given, ast.Name) or given.id in module.sources


def _find_project(path: str, files: Mapping[str, str]) -> str:
    for folder in PurePosixPath(path).parents:
        for name in _STORE:
            match = _PROJECT.search(files.get(str(folder / name), ""))
            if match:
                return match[1]
    return ""
