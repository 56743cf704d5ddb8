"""Jinja in SQLMesh models: what stands between JINJA_QUERY_BEGIN or JINJA_STATEMENT_BEGIN and JINJA_END.

SQLMesh renders it before it looks at its own macros. Known are the macros below `macros/` beside `models/`, `var` and the
variables of time, each as one made-up value; a macro of another place stays visible as everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from jinja2 import Template
from jinja2.utils import missing

from app.render.compiled import read_template
from app.render.limits import MAX_OUTPUT, Meter, RenderError
from app.render.macros import BoundMacro, Depth, MacroLibrary, find_macros
from app.render.marks import settle, unmark, without_private
from app.render.paths import is_below, join
from app.render.sandbox import Sandbox
from app.render.stubs import Missing

_MARKER: Final = re.compile(r"\bJINJA_(?:QUERY_BEGIN|STATEMENT_BEGIN|END)\b[ \t]*;?", re.IGNORECASE)
_SETTING: Final = "set it under params in .tether.yml"
_UNSET: Final = object()
_MOMENTS: Final = {
    **dict.fromkeys(("ds", "date", "dt"), "2024-01-01"),
    **dict.fromkeys(("ts", "tstz", "dtntz"), "2024-01-01 00:00:00"),
    **dict.fromkeys(("epoch", "millis", "hour"), 0),
}
_TIMES: Final = {
    f"{when}_{form}": value for when in ("start", "end", "execution", "latest") for form, value in _MOMENTS.items()
}


def render_jinja(
    path: str, text: str, files: Mapping[str, str], params: Mapping[str, str]
) -> tuple[str, tuple[int, ...]]:
    """The text with its Jinja rendered, and the line of each of its lines. Raises what rendering raises."""
    if _MARKER.search(text) is None:
        line = text.count("\n", 0, text.find("{")) + 1
        raise RenderError(f"line {line}: Jinja of a SQLMesh model stands between JINJA_QUERY_BEGIN and JINJA_END")
    sandbox = Sandbox()
    sandbox.decide = _refuse
    sandbox.meter = Meter()
    plain = _MARKER.sub(lambda marker: ";" if marker.group().upper().startswith("JINJA_END") else "", text)
    template = Template.from_code(sandbox, read_template(without_private(plain), path, marking=True).code, {})
    names = _Names(_find_library(sandbox, path, files), params)
    pieces: list[str] = []
    size = 0
    for piece in template.root_render_func(template.new_context(names, shared=True)):  # type: ignore[arg-type]  # computes names
        size += len(piece)
        if size > MAX_OUTPUT:
            raise RenderError(f"it renders to more than {MAX_OUTPUT:,} characters")
        pieces.append(piece)
    return unmark(settle("".join(pieces)), text.count("\n") + 1)


def _refuse(name: str, why: str) -> bool:
    raise RenderError(f"{name}: {why}")


def _find_library(sandbox: Sandbox, path: str, files: Mapping[str, str]) -> MacroLibrary:
    root = f"/{path}".rpartition("/models/")[0].lstrip("/")
    folder = join(root, "macros")
    found: Iterator[str] = (other for other in sorted(files) if other.endswith(".sql") and is_below(other, folder))
    return MacroLibrary(sandbox, {macro.name: macro for other in found for macro in find_macros(other, files[other])})


class _Names:
    """Names of a template: the project's macros, then what SQLMesh gives."""

    def __init__(self, library: MacroLibrary, params: Mapping[str, str]) -> None:
        self._library, self._params, self._depth = library, params, Depth()

    def get(self, name: str, default: Any = missing) -> Any:
        if name in self._library:
            return BoundMacro(self._library, name, self, self._depth)  # type: ignore[arg-type]  # computes names
        if name in ("var", "blueprint_var"):
            return self._var
        return _TIMES.get(name, default)

    def _var(self, name: object, default: object = _UNSET) -> object:
        if str(name) in self._params:
            return self._params[str(name)]
        return Missing(f"var('{name}') has no value: {_SETTING}") if default is _UNSET else default
