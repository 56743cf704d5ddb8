"""Templated SQL -> SQL, with stubs for everything: enough to see columns, and nothing of Tether's own renderer."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import jinja2

#: what stands where a stub cannot say more; a column whose name holds it is none
MARK = "__m__"
REF, SOURCE = "__ref__", "__src__"
CONFIG_KEYS = ("alias", "schema", "materialized")
#: blocks that are no model
BLOCKS = ("test", "materialization", "docs", "data_test")
OWN_NAMES = ("ref", "source", "generate_schema_name", "generate_alias_name")


class Anything(jinja2.ChainableUndefined):
    """A name that nobody defined: it can be called, added and walked over."""

    def __call__(self, *_: Any, **__: Any) -> str:  # type: ignore[override]  # jinja2's never returns
        return MARK

    def __str__(self) -> str:
        return MARK

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __add__(self, _: Any) -> str:  # type: ignore[override]  # as above
        return MARK

    __radd__ = __add__  # type: ignore[assignment]  # as above


class Named:
    """An object with these attributes; any other is a function that answers the mark, or, for `values`, anything."""

    def __init__(self, functions: Mapping[str, Any] | None = None, **values: Any) -> None:
        self._functions = functions
        self.__dict__.update(functions or {})
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        return Anything() if self._functions is None else _mark


def _mark(*_: Any, **__: Any) -> str:
    return MARK


def _fixed(text: str) -> Callable[..., str]:
    return lambda *_, **__: text


def _first(*values: Any) -> Any:
    return values[0] if values else ""


UTILS: dict[str, Any] = {
    "star": _fixed("*"),
    "generate_surrogate_key": _fixed("'k'"),
    "surrogate_key": _fixed("'k'"),
    "date_trunc": lambda part, column: f"date_trunc('{part}', {column})",
    "group_by": lambda count: "group by " + ", ".join(str(number + 1) for number in range(count)),
    "datediff": lambda first, second, _: f"({first} - {second})",
    "dateadd": lambda _, __, column: f"({column})",
    "get_column_values": lambda *_, **__: [],
    "deduplicate": lambda relation=None, **_: f"select * from {relation}",  # noqa: S608 - read, never run
    "union_relations": lambda relations=(), **_: (
        " union all ".join(f"select * from {one}" for one in relations) or "select 1 as x"  # noqa: S608 - as above
    ),
    **{f"type_{name}": _fixed(name) for name in ("timestamp", "int", "float", "numeric", "boolean", "bigint")},
    "type_string": _fixed("varchar"),
}


def make_environment(variables: Mapping[str, Any], macros: Iterable[str]) -> jinja2.Environment:
    """The variables of a project, and its macros, as far as they can be made."""
    texts = list(macros)
    made = jinja2.Environment(undefined=Anything, extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])  # noqa: S701 - SQL
    made.globals.update(_find_globals(variables))
    for _ in range(2):  # a macro may use one that comes later
        for text in texts:
            _add_macros(made, text)
    return made


def _add_macros(made: jinja2.Environment, text: str) -> None:
    try:
        module = made.from_string(_without_blocks(text)).make_module()
    except Exception:  # noqa: BLE001 - a stranger's macro: what cannot be made stays a stub
        return
    for name in dir(module):
        if not name.startswith("_") and name not in OWN_NAMES:
            made.globals[name] = getattr(module, name)


def render(made: jinja2.Environment, text: str) -> tuple[str | None, dict[str, Any]]:
    """(SQL, or None where it cannot be made; what `config(...)` says). References become quoted names of their own."""
    said: dict[str, Any] = {}

    def config(*_: Any, **values: Any) -> str:
        said.update(values)
        return ""

    made.globals["config"] = config
    made.globals["ref"] = lambda *names, **_: f'"{REF}{names[-1]}"'
    made.globals["source"] = lambda source, table: f'"{SOURCE}{source}__{table}"'
    try:
        return made.from_string(_without_blocks(text)).render(), said
    except Exception:  # noqa: BLE001 - as above
        for key in CONFIG_KEYS:
            if found := re.search(key + r"\s*=\s*['\"]([^'\"]+)", text):
                said[key] = found[1]
        return None, said


def _without_blocks(text: str) -> str:
    text = re.sub(r"\{%-?\s*(end)?snapshot\b.*?%\}", "", text, flags=re.DOTALL)
    for tag in BLOCKS:
        text = re.sub(rf"\{{%-?\s*{tag}\b.*?\{{%-?\s*end{tag}\s*-?%\}}", "", text, flags=re.DOTALL)
    return text


def _find_globals(variables: Mapping[str, Any]) -> dict[str, Any]:
    utils = Named(UTILS)
    return {
        "var": lambda name, default=None: variables.get(name, default if default is not None else "v"),
        "env_var": lambda _, default="e": default,
        "is_incremental": lambda: False,
        "return": _first,
        "log": _fixed(""),
        "target": Named(name="prod", type="warehouse", schema="analytics", database="db"),
        "execute": False,
        "this": "__this__",
        "dbt_utils": utils,
        "dbt": utils,
        "run_query": lambda *_, **__: Anything(),
        "adapter": Named({}),
        "exceptions": Named({}),
        "modules": Named(datetime=datetime, re=re),
        "run_started_at": datetime.datetime(2026, 1, 1),  # noqa: DTZ001 - as dbt's, which models format
        "zip": zip,
        "flags": Named(FULL_REFRESH=False),
        "model": Named(name="m"),
        "invocation_id": "i",
        "tojson": json.dumps,
        "fromjson": json.loads,
        "set": set,
    }
