"""Frozen values <-> plain JSON, for what the queue and our rows store: requests, answers of steps, outputs of checks.

pydantic follows the types that the dataclasses declare, strictly: no truth value where a number should be, no number where a
text should be. A value outlives an upgrade: keys that it does not know are left out, new fields get their defaults.
"""

from __future__ import annotations

import json
from dataclasses import is_dataclass
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from app.words import Permanent

T = TypeVar("T")
#: plain JSON values, as the queue stores them
Json = Any


class Misfit(Permanent):
    """A stored value is not what it should be: at `where` (names and positions) stands something of the wrong `kind`."""

    def __init__(self, where: tuple[int | str, ...], kind: str, message: str) -> None:
        sentence = f"{'.'.join(map(str, where))}: {message}" if where else message
        super().__init__(f"the stored state of the job cannot be read ({sentence}); replay it")
        self.where, self.kind = where, kind


def encode(value: Any) -> Json:
    """Raises TypeError for what is not one of our values."""
    if not is_dataclass(value) or isinstance(value, type):
        raise TypeError(f"{type(value).__name__} cannot be stored: it is no dataclass of ours")
    return _find_adapter(type(value)).dump_python(value, mode="json", warnings=False)


def decode(of: type[T], data: Json) -> T:
    """The value again. Raises `Misfit` when the data is not such a value; its message quotes nothing of the data."""
    try:
        return cast("T", _find_adapter(cast("Any", of)).validate_json(_to_bytes(data), strict=True))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        raise Misfit(first["loc"], first["type"], first["msg"]) from None
    except TypeError as error:  # not JSON at all
        raise Misfit((), "json", str(error)) from None


@cache
def _find_adapter(of: Any) -> TypeAdapter[Any]:
    return TypeAdapter(of)


def _to_bytes(data: Json) -> bytes:
    """Half a character of UTF-16, which a stranger's name of a file may hold, becomes a question mark."""
    return json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
