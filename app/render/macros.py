"""The macros of a project: cut out of their files as text, compiled when first called, bound to one rendering at a time.

Tags that only dbt knows (tests, materializations) therefore do no harm, and 4,000 models share one compilation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from jinja2 import Template
from jinja2.runtime import Macro

from app.render.compiled import read_template
from app.render.limits import MAX_MACRO_DEPTH, RenderError
from app.render.marks import without_private
from app.render.sandbox import ProjectMacro, Return, Sandbox

_TAG: Final = re.compile(
    r"\{#.*?#\}|\{%[-+]?\s*raw\s*[-+]?%\}.*?\{%[-+]?\s*endraw\s*[-+]?%\}|\{%[-+]?\s*(end)?macro\b\s*(\w*)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class MacroSource:
    name: str
    path: str
    line: int
    text: str


def find_macros(path: str, text: str) -> Iterator[MacroSource]:
    """Every `{% macro %}` of a file, comments and raw blocks left out. A macro inside a macro belongs to the outer one."""
    start: re.Match[str] | None = None
    depth = 0
    for tag in _TAG.finditer(text):
        if "macro" not in tag.group(0)[:20] or tag.group(0).startswith("{#"):
            continue
        if tag.group(1) is None:
            start = tag if depth == 0 else start
            depth += 1
        elif depth:
            depth -= 1
            end = text.find("%}", tag.end())
            if depth == 0 and start is not None and end >= 0:
                line = text.count("\n", 0, start.start()) + 1
                yield MacroSource(start.group(2), path, line, text[start.start() : end + 2])


@dataclass(slots=True)
class MacroLibrary:
    """The macros of one project by name; `compiled` is filled as they are called."""

    sandbox: Sandbox
    sources: Mapping[str, MacroSource]
    _compiled: dict[str, Template] = field(default_factory=dict)

    def __contains__(self, name: object) -> bool:
        return name in self.sources

    def template(self, name: str) -> Template:
        """Raises jinja2.TemplateSyntaxError and RenderError."""
        found = self._compiled.get(name)
        if found is None:
            source = self.sources[name]
            text = without_private(source.text)
            reading = read_template("\n" * (source.line - 1) + text, source.path, marking=False)
            found = self._compiled[name] = Template.from_code(self.sandbox, reading.code, {})
        return found


class Depth:
    """How deep the calls of macros of one rendering are."""

    __slots__ = ("now",)

    def __init__(self) -> None:
        self.now = 0


class BoundMacro(ProjectMacro):
    """One macro in one rendering. Its text, or what it hands to dbt's `return`."""

    __slots__ = ("_depth", "_library", "_macro", "_name", "_names")

    def __init__(self, library: MacroLibrary, name: str, names: Mapping[str, Any], depth: Depth) -> None:
        self._library, self._name, self._names, self._depth = library, name, names, depth
        self._macro: Callable[..., Any] | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._macro is None:
            self._macro = self._bind()
        if self._depth.now >= MAX_MACRO_DEPTH:
            raise RenderError(f"macros call each other more than {MAX_MACRO_DEPTH} deep, at {self._name}()")
        self._depth.now += 1
        try:
            return self._macro(*args, **kwargs)
        except Return as returned:
            return returned.value
        finally:
            self._depth.now -= 1

    def _bind(self) -> Callable[..., Any]:
        template = self._library.template(self._name)
        context = template.new_context(self._names, shared=True)  # type: ignore[arg-type]  # a mapping that computes
        for _ in template.root_render_func(context):
            pass  # running the template's body defines the macro; it writes nothing
        macro = context.vars.get(self._name)
        if not isinstance(macro, Macro):
            raise RenderError(f"the macro {self._name}() defines no macro of its name")
        return macro

    def __str__(self) -> str:
        return f"zz_{self._name}"
