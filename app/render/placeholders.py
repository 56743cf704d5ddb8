"""Templated SQL outside dbt: `{{ name }}` and `{{ params.name }}` take the values of `params` in .tether.yml.

What has no value there is named in the reason; no other tool's variables are made up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from jinja2 import Template
from jinja2.utils import missing

from app.render.compiled import read_template
from app.render.explain import explain
from app.render.limits import MAX_OUTPUT, Meter, RenderError
from app.render.marks import settle, unmark, without_private
from app.render.sandbox import Sandbox
from app.render.session import FAILURES
from app.render.sql_text import SqlText
from app.render.stubs import Bag, Missing

_OF_DBT: Final = frozenset({"ref", "source", "config", "this", "target", "is_incremental", "var"})
_SETTING: Final = "set it under params in .tether.yml"


class _Params:
    """Names of a template, answered from the parameters."""

    def __init__(self, params: Mapping[str, str]) -> None:
        self._params = params

    def get(self, name: str, default: Any = missing) -> Any:
        if name in self._params:
            return self._params[name]
        if name == "params":
            told = {key.removeprefix("params."): value for key, value in self._params.items()}
            return Bag("params", told, lambda dotted: Missing(f"{dotted} has no value: {_SETTING}"))
        if name in ("range", "dict", "namespace"):
            return default
        if name in _OF_DBT:
            return Missing(f"{name} belongs to dbt, and no dbt_project.yml stands above this file")
        return Missing(f"{name} has no value: {_SETTING}")


def render_placeholders(path: str, text: str, params: Mapping[str, str], sandbox: Sandbox) -> SqlText:
    """Raises nothing."""
    try:
        reading = read_template(without_private(text), path, marking=True)
        template = Template.from_code(sandbox, reading.code, {})
        rendered = _run(template, params, sandbox)
    except FAILURES as error:
        why, line = explain(error, path)
        return SqlText(path, "", (), why=why, why_line=line)
    sql, lines = unmark(settle(rendered), text.count("\n") + 1)
    return SqlText(path, sql, lines)


def _run(template: Template, params: Mapping[str, str], sandbox: Sandbox) -> str:
    sandbox.meter = Meter()

    def refuse(name: str, why: str) -> bool:
        raise RenderError(f"{name}: {why}")

    sandbox.decide = refuse
    pieces: list[str] = []
    size = 0
    for piece in template.root_render_func(template.new_context(_Params(params), shared=True)):  # type: ignore[arg-type]
        size += len(piece)
        if size > MAX_OUTPUT:
            raise RenderError(f"it renders to more than {MAX_OUTPUT:,} characters")
        pieces.append(piece)
    return "".join(pieces)
