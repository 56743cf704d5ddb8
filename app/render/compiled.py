"""A template's text -> its code, and what its `config(...)` calls say in literals. The same text is compiled once per process.

The trees of one review are nearly the same, so nearly everything is compiled once for all of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any, Final

from jinja2 import nodes

from app.render.sandbox import Sandbox

_CONFIG: Final = re.compile(r"\bconfig\s*(?:\(|\.\s*set\b)")
#: code of 6,000 models is about 100 MB
_KEPT: Final = 6_000


@dataclass(frozen=True, slots=True)
class Reading:
    """`literals`: arguments of config() that are literals; `computed`: names of the others (`**`: names not written);
    `hidden`: a config() call stands in a condition or in an expression."""

    code: CodeType
    literals: tuple[tuple[str, Any], ...] = ()
    computed: frozenset[str] = frozenset()
    hidden: bool = False


@lru_cache(maxsize=1)
def _reader() -> Sandbox:
    return Sandbox()


@lru_cache(maxsize=_KEPT)
def read_template(source: str, path: str, *, marking: bool) -> Reading:
    """Raises what reading and compiling raise (see `session.FAILURES`)."""
    sandbox = _reader()
    tree = sandbox.read(source, path, marking=marking)
    code = sandbox.compile(tree, path, path)
    if "config" not in source:
        return Reading(code)
    top = [item for output in tree.body if isinstance(output, nodes.Output) for item in output.nodes]
    calls = [item for item in top if isinstance(item, nodes.Call) and _is_config(item)]
    literals: dict[str, Any] = {}
    computed: set[str] = set()
    for key, expression in (pair for call in calls for pair in _arguments(call)):
        try:
            literals[key] = expression.as_const()
        except Exception:  # noqa: BLE001 - then it is not a literal
            computed.add(key)
    return Reading(code, tuple(literals.items()), frozenset(computed), len(_CONFIG.findall(source)) > len(calls))


def _is_config(call: nodes.Call) -> bool:
    return isinstance(call.node, nodes.Name) and call.node.name == "config"


def _arguments(call: nodes.Call) -> list[tuple[str, nodes.Expr]]:
    """`**` stands for arguments whose names are not written."""
    found = [(keyword.key, keyword.value) for keyword in call.kwargs]
    for arg in (*call.args, call.dyn_kwargs, call.dyn_args):
        if isinstance(arg, nodes.Dict) and all(isinstance(item.key, nodes.Const) for item in arg.items):
            found += [(str(item.key.as_const()), item.value) for item in arg.items]
        elif arg is not None:
            found.append(("**", nodes.Name("zz", "load")))
    return found
