"""What of Python a template of a stranger is given: values on a list, and handles that can be called and nothing else.

Every name, member, item and result comes through `show`. A class of ours is worse than it looks: `str.format` of an instance is
known to Jinja's sandbox, `str.format` of the class is not, and reads whatever an argument leads to.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from types import BuiltinMethodType, FunctionType, GeneratorType, MethodType, NoneType
from typing import Any, Final

from jinja2 import Undefined
from jinja2.exceptions import SecurityError
from jinja2.runtime import BlockReference, LoopContext, Macro, TemplateReference
from jinja2.utils import Namespace


class ForTemplates:
    """An object of ours that is made for templates: its members without an underscore are theirs to use."""

    __slots__ = ()


class Handle:
    """A function or a class as a template sees it."""

    __slots__ = ("_call",)

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(*args, **kwargs)


_PLAIN: Final = frozenset({str, int, float, bool, NoneType, list, tuple, dict, set, frozenset, range})
_KINDS: Final[tuple[type, ...]] = (
    str, int, float, list, tuple, dict, set, frozenset, range, Iterator, GeneratorType, type({}.keys()), type({}.values()),
    type({}.items()), Undefined, Macro, LoopContext, Namespace, TemplateReference, BlockReference, ForTemplates, Handle,
)  # fmt: skip
_CALLED: Final = (type, FunctionType, MethodType, BuiltinMethodType, functools.partial)


def show(value: Any) -> Any:
    """The value as a template may have it. Raises SecurityError for one of a kind that nobody thought of."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, _CALLED):
        # what a text or a list can do is Jinja's sandbox's to judge
        owner = getattr(value, "__self__", None) if isinstance(value, BuiltinMethodType) else None
        return value if owner is not None and isinstance(owner, _KINDS) else Handle(value)
    if not isinstance(value, _KINDS):
        raise SecurityError(f"a template is given no {type(value).__name__}")
    return value
