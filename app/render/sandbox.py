"""Jinja for the templates of strangers: an immutable sandbox whose operators, calls, loops and filters are metered.

No loader (so no include or import), no access to names that begin with an underscore, no constant folding (nothing runs while
a template is compiled). Lists and dictionaries that a template makes may grow, as dbt's authors expect; everything that grows
is looked at. Not here: what the names of a template mean.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from jinja2 import nodes
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import missing

from app.render.answers import Answer
from app.render.handles import ForTemplates, Handle, show
from app.render.holes import explain_holes, has_hole, write_hole
from app.render.limits import (
    MACRO_STEPS,
    MAX_OUTPUT,
    MAX_RANGE,
    TOO_LONG,
    Meter,
    RenderError,
    check_format,
    check_operand,
    check_replace,
    check_source,
    check_text,
    check_width,
)
from app.render.marks import LineMarks, clean
from app.render.stubs import Bag, CallText, Relation, Undecided, Unknown, guess_number, tell_hole
from app.render.watch import Watch

_DROPPED_GLOBALS: Final = ("lipsum", "cycler", "joiner")
_DROPPED_FILTERS: Final = ("random", "urlize", "pprint", "xmlattr", "striptags", "forceescape", "escape", "e")
_GROWS: Final = frozenset({"append", "extend", "insert", "update", "setdefault", "add", "pop", "remove", "clear", "sort"} | {
    "reverse", "popitem", "discard",
})  # fmt: skip


#: without one of these words, a template has no parent, no blocks and no imports to look for
_INHERITS: Final = re.compile("extends|block|import")

#: filters that leave a value what it is for whoever does not know it
_KEEP_HOLES: Final = frozenset(
    {"as_native", "as_number", "as_text", "float", "int", "lower", "string", "trim", "upper"}
)

#: dbt's own filters, and its plain `tojson`
FILTERS: Final[dict[str, Callable[..., Any]]] = {
    **dict.fromkeys(("as_bool", "as_native", "as_number"), lambda value: value),
    "as_text": str,
    "tojson": lambda value, *_default: json.dumps(value, default=str),
}


class Return(Exception):  # noqa: N818 - dbt's `return`, not an error
    """Carries the value of a macro past its text."""

    def __init__(self, value: object) -> None:
        super().__init__("return() outside a macro")
        self.value = value


class ProjectMacro(ForTemplates):
    """A macro that lives outside the template; the sandbox counts its calls as dearer than others."""

    __slots__ = ()


class Names(Context):
    """Looks names up in the template's own variables, then in the mapping that it was given, which may compute them."""

    def resolve_or_missing(self, key: str) -> Any:
        if key in self.vars:
            return self.vars[key]
        found = self.parent.get(key, missing)
        found = self.environment.globals.get(key, missing) if found is missing else found
        return found if found is missing else show(found)


class Sandbox(ImmutableSandboxedEnvironment):
    """`meter`, `decide` and `holes` are set by whoever renders, for each rendering."""

    context_class = Names
    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self) -> None:
        super().__init__(
            optimized=False,
            keep_trailing_newline=True,
            cache_size=0,
            extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols", LineMarks],
        )
        self.meter = Meter()
        self.marking = False
        self.decide: Callable[[str, str], bool] = lambda _name, _why: False
        self.holes: dict[str, str] = {}
        self.undefined = type("BoundUnknown", (Unknown,), {"decide": staticmethod(self._decide)})
        self.finalize = self._finalize
        for name in _DROPPED_GLOBALS:
            self.globals.pop(name, None)
        self.globals["range"] = self._range
        for name in _DROPPED_FILTERS:
            self.filters.pop(name, None)
        self.filters |= FILTERS
        self.filters = {name: self._guarded(name, function) for name, function in self.filters.items()}
        self.filters |= {name: _keep_hole(self.filters[name]) for name in _KEEP_HOLES & self.filters.keys()}
        self.filters |= {"zz_each": self._each, "zz_plain": self._compared, "zz_spread": _spread}
        self.filters |= {"zz_bounded": self._bounded, "zz_written": self._written}

    def _decide(self, name: str, why: str) -> bool:
        return self.decide(name, why)

    # --- compiling --------------------------------------------------------------------------------------------

    def read(self, source: str, path: str, *, marking: bool) -> nodes.Template:
        """The template's tree, with loops, comparisons and captured blocks under watch."""
        check_source(source)
        self.marking = marking
        try:
            tree = self._parse(source, path, path)
        finally:
            self.marking = False
        if "{%" in source or "~" in source:  # without blocks and `~`, nothing can loop, compare captured text, or grow
            tree = Watch().visit(tree)
        if not _INHERITS.search(source):
            tree.find_all = _find_none  # type: ignore[method-assign, assignment]  # else Jinja walks all of it for each
        return tree

    # --- running ----------------------------------------------------------------------------------------------

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        if attr in _GROWS and type(obj) in (list, dict, set):
            return True
        return super().is_safe_attribute(obj, attr, value)

    def is_safe_callable(self, obj: Any) -> bool:
        return isinstance(obj, (Answer, CallText, Bag, Unknown)) or super().is_safe_callable(obj)

    def unsafe_undefined(self, obj: Any, attribute: str) -> Any:  # noqa: ARG002 - Jinja's signature
        raise SecurityError(f"the attribute {attribute!r} is out of bounds")

    def getattr(self, obj: Any, attribute: str) -> Any:
        if attribute.startswith("__") or isinstance(obj, Handle):
            self.unsafe_undefined(obj, attribute)
        return show(super().getattr(_plain(obj), attribute))

    def getitem(self, obj: Any, argument: Any) -> Any:
        if isinstance(obj, Handle) or (isinstance(argument, str) and argument.startswith("__")):
            self.unsafe_undefined(obj, argument)
        return show(super().getitem(_plain(obj), _plain(argument)))

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        wrapped = super().wrap_str_format(value)
        if wrapped is not None:
            check_format(value.__self__)
        return wrapped

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805 - Jinja's own signature
        __self.meter.spend(MACRO_STEPS if isinstance(__obj, (Macro, ProjectMacro)) else 1)
        args = tuple(_plain_deep(arg) for arg in args)
        kwargs = {name: value if name == "caller" else _plain_deep(value) for name, value in kwargs.items()}
        __self._check_call(__obj, args, kwargs)
        try:
            result = super().call(__context, __obj, *args, **kwargs)
        except Return as returned:
            if not isinstance(__obj, Macro):
                raise
            result = returned.value
        if isinstance(result, str):
            check_text(result)
        return show(result)

    def _check_call(self, obj: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        for value in (*args, *kwargs.values()):
            if isinstance(value, (list, tuple, dict, set)):
                self.meter.look_through(value)
        owner, name = getattr(obj, "__self__", None), getattr(obj, "__name__", "")
        if isinstance(owner, (list, dict, set)) and name in _GROWS:
            self.meter.look_through(owner)
        if not isinstance(owner, (str, bytes, int, float)):
            return
        text = owner if isinstance(owner, str) else ""
        for arg in args:
            if isinstance(arg, int):
                check_width(text, arg)
        if name == "replace" and len(args) > 1:
            check_replace(text, args[0], args[1])
        if name == "join" and args and isinstance(args[0], (list, tuple)):
            self._check_join(text, len(args[0]))

    def _check_join(self, separator: str, count: int) -> None:
        if len(separator) * count > MAX_OUTPUT:
            raise RenderError(TOO_LONG)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        self.meter.spend()
        left, right = _plain(left), _plain(right)
        for side, other in ((left, right), (right, left)):
            check_operand(operator, side, other)
        if operator == "%" and isinstance(left, str):
            check_format(left)
            self.meter.look_through(right)
        result = super().call_binop(context, operator, left, right)
        if isinstance(result, str):
            check_text(result)
        elif isinstance(result, (list, tuple)):
            self.meter.spend(len(result))
        return result

    def _finalize(self, value: Any) -> Any:
        if isinstance(value, (list, tuple, dict, set)):
            self.meter.look_through(value)
        return value.bounded if isinstance(value, Relation) else self._written(value)

    def _written(self, value: Any) -> Any:
        """A value that nobody told is a hole in the text."""
        if not isinstance(value, Undecided):
            return value
        name, why = tell_hole(value)
        hole = write_hole(name)
        self.holes[hole.lower()] = why
        return hole

    def _compared(self, value: Any) -> Any:
        if has_hole(value):
            raise RenderError(explain_holes(self.holes))
        return _plain(value)

    def _range(self, *args: Any) -> range:
        found = range(*(guess_number(arg) for arg in args))
        if len(found) > MAX_RANGE:
            raise RenderError(f"range() of more than {MAX_RANGE:,} numbers")
        return found

    def _each(self, value: Any, names: int = 0) -> Any:
        """What a loop goes over, counted beforehand; `names`: how many take their values from each."""
        if isinstance(value, str) and not isinstance(value, CallText):
            value = clean(value)
        items = list(_ordered(value))
        self.meter.spend(len(items) + 1)
        return [_spread(item, names) for item in items] if names else items

    def _bounded(self, value: Any) -> Any:
        self.meter.spend()
        return check_text(value) if isinstance(value, str) else value

    def _guarded(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """A filter that sees no marks, is given no large numbers, and makes no large text."""
        skipped = 1 if hasattr(function, "jinja_pass_arg") else 0

        @functools.wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            self.meter.spend()
            given = [_ordered(_plain_deep(arg)) for arg in args[skipped:]]
            named = {name: _plain_deep(arg) for name, arg in kwargs.items()}
            for value in (*given, *named.values()):
                if isinstance(value, (list, tuple, dict, set)):
                    self.meter.look_through(value)
            text = given[0] if given and isinstance(given[0], str) else ""
            for value in (*given[1:], *named.values()):
                if isinstance(value, int):
                    check_width(text, value)
            if name == "replace" and len(given) > 2:
                check_replace(str(given[0]), given[1], given[2])
            if name == "format":
                check_format(text)
            if name == "join" and isinstance(given[0], (list, tuple)):
                self._check_join(str(given[1]) if len(given) > 1 else "", len(given[0]))
            result = function(*args[:skipped], *given, **named)
            if isinstance(result, (list, tuple)):
                self.meter.spend(len(result))
            return check_text(result) if isinstance(result, str) else result

        return guarded


def _keep_hole(function: Callable[..., Any]) -> Callable[..., Any]:
    """The filter, for values that somebody told."""
    skipped = 1 if hasattr(function, "jinja_pass_arg") else 0

    @functools.wraps(function)
    def keeping(*args: Any, **kwargs: Any) -> Any:
        unknown = len(args) > skipped and isinstance(args[skipped], Undecided)
        return args[skipped] if unknown else function(*args, **kwargs)

    return keeping


def _find_none(_kinds: object) -> Iterator[nodes.Node]:
    return iter(())


def _plain(value: Any) -> Any:
    """The value without marks; texts of a class of their own stay what they are."""
    if type(value) is str:
        return clean(value)
    return value


def _ordered(value: Any) -> Any:
    """A set has the same order in every process: two renderings of one text must not differ."""
    return sorted(value, key=str) if isinstance(value, (set, frozenset)) else value


def _spread(value: Any, names: int) -> Any:
    """A value of several parts; what nobody knows has as many as are asked for."""
    return (value,) * names if isinstance(value, (CallText, Answer, Unknown)) else value


def _plain_deep(value: Any) -> Any:
    kind = type(value)
    if kind is str:
        return clean(value)
    if kind is list:
        value[:] = [clean(item) if type(item) is str else item for item in value]
    elif kind is tuple:
        return tuple(clean(item) if type(item) is str else item for item in value)
    elif kind is dict:
        for key, item in value.items():
            if type(item) is str:
                value[key] = clean(item)
    return value
