"""Frozen values of the house <-> plain JSON, for what the queue stores between two steps.

It follows the types that dataclasses declare and knows only what they use: dataclasses, tuples, literals, numbers,
texts and None. A stored value that does not fit is a `Permanent`: the job is read again from the start by a replay.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from app.words import Permanent

T = TypeVar("T")


def to_json(value: Any) -> Any:
    """Plain JSON values; raises TypeError for what is not one of our values."""
    if value is None or isinstance(value, str | int | float):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple | list):
        return [to_json(item) for item in value]
    raise TypeError(f"{type(value).__name__} cannot be stored between two steps")


def from_json(of: type[T], data: Any) -> T:
    """The value again; unknown keys are left out and new fields get their defaults, so that a job outlives an upgrade.

    Raises `Permanent` when the data is not such a value.
    """
    try:
        return cast("T", _build(of, data))
    except (TypeError, ValueError, KeyError) as error:
        raise Permanent(f"the stored state of the job cannot be read ({error}); replay it") from error


@cache
def _types(of: type) -> dict[str, Any]:
    return get_type_hints(of)


def _build(of: Any, data: Any) -> Any:
    origin, args = get_origin(of), get_args(of)
    if origin in (Union, UnionType):
        return _build_union(args, data)
    if origin is Literal:
        if data not in args:
            raise ValueError(f"{data!r} is none of {args}")
        return data
    if origin is tuple:
        return _build_tuple(args, data)
    if is_dataclass(of):
        if not isinstance(data, dict):
            raise TypeError(f"{type(data).__name__} instead of a mapping")
        types = _types(cast("type", of))
        return cast("type", of)(**{name: _build(types[name], item) for name, item in data.items() if name in types})
    return _build_scalar(of, data)


def _build_scalar(of: Any, data: Any) -> Any:
    if of is float and isinstance(data, int):
        return float(data)
    if not isinstance(data, of) or (of is int and isinstance(data, bool)):
        raise TypeError(f"{type(data).__name__} instead of {of.__name__}")
    return data


def _build_union(args: tuple[Any, ...], data: Any) -> Any:
    if data is None and NoneType in args:
        return None
    (kind,) = (arg for arg in args if arg is not NoneType)  # only `X | None` is used
    return _build(kind, data)


def _build_tuple(args: tuple[Any, ...], data: Any) -> tuple[Any, ...]:
    if not isinstance(data, list):
        raise TypeError(f"{type(data).__name__} instead of a list")
    if args[-1] is Ellipsis:
        return tuple(_build(args[0], item) for item in data)
    return tuple(_build(kind, item) for kind, item in zip(args, data, strict=True))
