"""Whatever a template can reach, by name, member, item and call, is a value or a handle: no Python can be read from it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from types import BuiltinFunctionType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

import pytest
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context

from app.render.handles import Handle, show
from app.render.session import Session
from tests.render.trees import render_model

CALLS: tuple[tuple[Any, ...], ...] = ((), ("m",), ("m", "n"), (["m"],), (1,))
DEEP = 4
PYTHON = (type, FunctionType, MethodType, ModuleType, FrameType, partial)
TEXTS: tuple[type, ...] = (
    str,
    bytes,
    int,
    float,
    list,
    tuple,
    dict,
    set,
    frozenset,
    range,
    type({}.items()),
    type(iter([])),
)


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Session:
    """The one of a model that was rendered, with packages at hand."""
    found: list[Session] = []
    start = Session.__init__

    def keep(self: Session, *args: Any, **named: Any) -> None:
        start(self, *args, **named)
        found.append(self)

    monkeypatch.setattr(Session, "__init__", keep)
    render_model("select {{ dbt_utils.star(ref('n')) }} {{ hers() }} from {{ ref('n') }}", macros__h="", models__n="")
    return found[-1]


def find_members(context: Context, value: Any) -> Iterator[tuple[str, Any]]:
    """What a template gets of the value."""
    sandbox: Any = context.environment
    names = [name for name in dir(value) if not name.startswith("__")] if not isinstance(value, TEXTS) else ["format"]
    if type(value).__name__ == "Bag":
        names += list(value._members)  # noqa: SLF001 - all of them, to be asked for by their names
    for name in names:
        for ask in (sandbox.getattr, sandbox.getitem):
            with suppress(Exception):  # a refusal of any kind shows nothing
                yield f".{name}", ask(value, name)
    if isinstance(value, dict):
        yield from ((f"[{key!r}]", sandbox.getitem(value, key)) for key in list(value)[:20])
    elif isinstance(value, (list, tuple)):
        yield from ((f"[{place}]", sandbox.getitem(value, place)) for place in range(min(len(value), 5)))
    if callable(value):
        for args in CALLS:
            with suppress(Exception):
                yield f"{args!r}", sandbox.call(context, value, *args)


def is_fit(value: Any) -> bool:
    if isinstance(value, BuiltinFunctionType):
        return isinstance(value.__self__, TEXTS)
    return not isinstance(value, PYTHON)


def test_a_template_reaches_values_and_handles_alone(session: Session) -> None:
    sandbox = session.workspace.sandbox
    scope: Any = session.scope(session.home)
    context = sandbox.context_class(sandbox, scope, "m", {})
    names = [*session.functions, *session.packages, *sandbox.globals, "dbt_utils", "nobody", "this", "graph", "execute"]
    waiting: list[tuple[str, Any]] = [(name, context.resolve_or_missing(name)) for name in dict.fromkeys(names)]
    seen: set[tuple[type, str]] = set()
    while waiting:
        path, value = waiting.pop()
        assert is_fit(value), f"{path} is {value!r}"
        kind = type(value), path.rpartition(".")[2]
        if kind not in seen and path.count(".") + path.count("(") <= DEEP:
            seen.add(kind)
            waiting += [(f"{path}{more}", found) for more, found in find_members(context, value)]
    assert len(seen) > 300


@pytest.mark.parametrize("value", [str, int, print, lambda: 1, "".join, partial(int), show, Handle.__call__])
def test_what_can_be_called_is_a_handle_or_a_method_of_a_text(value: Any) -> None:
    found = show(value)

    assert isinstance(found, Handle) or found.__self__ == ""


@pytest.mark.parametrize("value", [pytest, object(), Session.__dict__, b"x", 1j])
def test_what_nobody_thought_of_is_refused(value: Any) -> None:
    with pytest.raises(SecurityError, match="a template is given no "):
        show(value)
