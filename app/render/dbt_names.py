"""The names that dbt gives to templates: ref, source, var, config, target and the rest, answered without dbt or a database.

What decides the SQL and is not known raises RenderError with the setting that would tell it; nothing is made up.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NoReturn

from app.render.dbt_adapter import make_adapter_names
from app.render.dbt_values import ConfigCall, EnvVar, Var
from app.render.limits import RenderError
from app.render.moments import Moment, make_modules
from app.render.naming import find_outside_relation, find_relation, find_source_relation, unknown_relation
from app.render.nodes import Node
from app.render.paths import is_below, relative
from app.render.sandbox import Return
from app.render.session import Session
from app.render.stubs import Bag, Missing, Relation
from app.render.target import SETTING
from app.render.workspace import Home
from app.render.yaml_text import BadYaml, load_yaml

_MATERIALIZED = {"model": "view", "python": "table"}


def make_names(session: Session) -> dict[str, Any]:
    """Fresh for each rendering, so that nothing a template does reaches another."""
    unknown = _unknown(session)
    target = _make_target(session)
    ref, source, var = _make_ref(session), _make_source(session), Var(session)
    config = ConfigCall(session)
    names: dict[str, Any] = {
        "ref": ref,
        "source": source,
        "var": var,
        "config": config,
        "env_var": EnvVar(session),
        "target": target,
        "is_incremental": session.ask_incremental,
        "should_full_refresh": lambda: False,
        "return": return_,
        "builtins": Bag("builtins", {"ref": ref, "source": source, "config": config, "var": var}, unknown),
        "project_name": session.home.project.name,
        "model": _make_model(session, unknown),
        "run_started_at": Moment(),
        "modules": make_modules(unknown),
        **_plain_functions(unknown),
        **make_adapter_names(session, unknown),
    }
    names["zz_late"] = _make_late_finder(session, unknown)
    return names


def _unknown(session: Session) -> Callable[[str], object]:
    undefined = session.workspace.sandbox.undefined
    return lambda name: undefined(name=name)


def return_(value: object = None) -> NoReturn:
    raise Return(value)


def _make_ref(session: Session) -> Callable[..., Relation]:
    def ref(*names: object, v: object = None, version: object = None) -> Relation:
        if not 1 <= len(names) <= 2 or not all(isinstance(name, str) for name in names):
            raise RenderError("ref() takes one or two names")
        session.refuse_holes(*names)
        asked = v if v is not None else version
        package = str(names[0]) if len(names) == 2 else None
        node = session.workspace.find_node(session.home, str(names[-1]), package, None if asked is None else str(asked))
        if session.capturing:
            return unknown_relation(session, str(names[-1]))
        written = ", ".join(f"'{name}'" for name in names)
        session.note_ref(f"ref({written})", package, found=node is not None)
        if node is None:
            return find_outside_relation(session, str(names[-1]), package)
        return find_relation(session.workspace, node)

    return ref


def _make_source(session: Session) -> Callable[[object, object], Relation]:
    def source(source_name: object, table_name: object) -> Relation:
        if not isinstance(source_name, str) or not isinstance(table_name, str):
            raise RenderError("source() takes two names")
        session.refuse_holes(source_name, table_name)
        return find_source_relation(session, source_name, table_name)

    return source


def _make_target(session: Session) -> Bag:
    target = session.home.target

    def known(value: str | None, name: str) -> object:
        setting = "set dialect in .tether.yml" if name == "type" else SETTING
        return value if value is not None else Missing(f"target.{name} is not known: {setting}")

    database = known(target.database, "database")
    members = {
        "name": target.name,
        "target_name": target.name,
        "type": known(target.adapter, "type"),
        "schema": known(target.schema, "schema"),
        "dataset": known(target.schema, "schema"),
        **dict.fromkeys(("database", "dbname", "project", "catalog"), database),
        "threads": 1,
        "profile_name": session.home.project.name,
    }
    return Bag("target", members, lambda name: Missing(f"{name} is not known"))


def find_this(session: Session) -> object:
    if session.node is None or session.capturing:
        return unknown_relation(session, session.node.name if session.node else "this")
    return find_relation(session.workspace, session.node)


def _make_model(session: Session, unknown: Callable[[str], object]) -> Bag:
    node = session.node
    if node is None:
        return Bag("model", {}, unknown)
    told = {"materialized": _MATERIALIZED.get(node.kind, node.kind)} | node.static
    config = Bag("model.config", told | session.workspace.configs.get(id(node), {}), unknown)
    path = _find_path(node)
    stem = [path.rpartition("/")[2].rpartition(".")[0]] if node.kind == "snapshot" else []
    members = {
        "name": node.name,
        "alias": node.default_alias,
        "path": path,
        "original_file_path": relative(node.path, node.project.path),
        "resource_type": "model" if node.kind == "python" else node.kind,
        "package_name": node.project.name,
        "unique_id": node.unique_id,
        "fqn": [node.project.name, *path.split("/")[:-1], *stem, node.name],
        "config": config,
        "tags": [],
        "meta": {},
        "columns": {},
        "version": node.version,
    }
    return Bag("model", members, unknown)


def _find_path(node: Node) -> str:
    """Below the folder of models, seeds or snapshots that the node stands in."""
    folders = [folder for folder in node.project.resources if is_below(node.path, folder)]
    return relative(node.path, max(folders, key=len, default=node.project.path))


def _plain_functions(unknown: Callable[[str], object]) -> dict[str, Any]:
    def blank(*_args: object, **_kwargs: object) -> str:
        return ""

    return {
        "log": blank,
        "print": blank,
        "doc": blank,
        "exceptions": Bag(
            "exceptions", {"raise_compiler_error": refuse, "raise_not_implemented": refuse, "warn": blank}, unknown
        ),
        "tojson": to_json,
        "fromjson": from_json,
        "toyaml": to_json,
        "fromyaml": from_yaml,
        "set": lambda value, *_default: set(value),
        "set_strict": set,
        "zip": lambda *values, **_default: list(zip(*values, strict=False)),
        "zip_strict": lambda *values: list(zip(*values, strict=False)),
        "dbt_version": "1.10.0",
        "invocation_id": "00000000-0000-0000-0000-000000000000",
        "thread_id": "Thread-1",
        "flags": Bag("flags", {"FULL_REFRESH": False, "WHICH": "run"}, unknown),
        "graph": Bag("graph", {"nodes": {}, "sources": {}, "exposures": {}, "metrics": {}}, unknown),
        "selected_resources": [],
        "context": {},
        "database_schemas": [],
    }


def refuse(message: object = "", *_args: object, **_kwargs: object) -> NoReturn:
    raise RenderError(f"it stops itself: {str(message)[:200]}")


def to_json(value: object, *_default: object, **_kwargs: object) -> str:
    return json.dumps(value, default=str)


def from_json(text: object, default: object = None) -> object:
    try:
        return json.loads(str(text))
    except (ValueError, RecursionError):
        return default


def from_yaml(text: object, default: object = None) -> object:
    if "&" in str(text):
        raise RenderError("fromyaml() of a text with anchors is refused")
    try:
        return load_yaml(str(text))
    except BadYaml:
        return default


def _make_late_finder(session: Session, unknown: Callable[[str], object]) -> Callable[[str, Home], object]:
    """Names that few templates ask for: `this`, dbt's macros by their bare names, and packages."""

    def find(name: str, home: Home) -> object:
        if name == "this":
            return find_this(session)
        function = session.packages["dbt"].get(name)
        return function if function is not None else find_package(name, home)

    def find_package(name: str, home: Home) -> object:
        """Macros of a project of the tree before what is built in."""
        found = session.workspace.find_home(home, name)
        builtin = session.packages.get(name)
        if found is None:
            return None if builtin is None else Bag(name, builtin, unknown)
        scope = session.scope(found)

        def member(dotted: str) -> object:
            macro = scope.macro(dotted.rpartition(".")[2])
            return macro if macro is not None else unknown(dotted)

        return Bag(name, {key: value for key, value in (builtin or {}).items() if key not in found.macros}, member)

    return find
