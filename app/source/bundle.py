"""Frozen values of the house <-> bytes, by the thousand: what the cache of parsed SQL holds.

Rows without names (zlib over JSON), built by the types that the dataclasses declare; nothing in the bytes can name a class or
run code. The layout is the order of the fields, so a reader must know that it is of the same version as the writer: the
key of a bundle says so (`app.source.digests`). Deliberately absent: checks of every value; what the queue stores, which
outlives an upgrade, is `app.codec`'s.

Why not `app.codec` here too: of the 1,500 models of `tests/benchmarks/bench_index.py`, parsed, reading all rows took 0.17 CPU
seconds here and 0.23 with pydantic's TypeAdapter, and the rows are 275 KB instead of 398 KB (writing: 0.13 s and 0.06 s). Every
review reads them; hardly one writes them. Half a character of UTF-16 comes back, too.
"""

from __future__ import annotations

import gc
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import starmap
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")
#: a bundle that unpacks to more was not written by us
MOST_BYTES = 512 * 1024 * 1024
_LEVEL = 1  # quick: five times smaller already

Convert = Callable[[Any], Any]


def pack(of: type[T], values: Sequence[T]) -> bytes:
    """Raises TypeError for a value that holds something which its type does not declare."""
    encode = _encoder(cast("Any", of))
    rows = [encode(value) if encode else value for value in values]
    return zlib.compress(
        json.dumps(rows, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass"), _LEVEL
    )


def unpack(of: type[T], data: bytes) -> tuple[T, ...]:
    """Raises ValueError for bytes that are no such bundle."""
    unzip = zlib.decompressobj()
    try:
        text = unzip.decompress(data, MOST_BYTES)
        if unzip.unconsumed_tail or not unzip.eof:
            raise ValueError("the bundle is cut off or too large")
        with collector_off():
            rows = json.loads(text.decode("utf-8", "surrogatepass"))
            return cast("tuple[T, ...]", _tuple_decoder(cast("Any", of))(rows))
    except (zlib.error, TypeError, LookupError, RecursionError) as error:
        raise ValueError(f"not a bundle of {of.__name__}: {error}") from error


@contextmanager
def collector_off() -> Iterator[None]:
    """Around what builds values by the thousand. Nothing built meanwhile can be garbage; a collector that looks through
    all of it again and again takes a third of the time. Two threads may overlap: then it is on again a little early."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@cache
def _hints(of: type) -> dict[str, Any]:
    return get_type_hints(of)


def _fields(of: type) -> list[tuple[str, Any]]:
    return [(field.name, _hints(of)[field.name]) for field in fields(of) if field.init]


# --- values -> rows ------------------------------------------------------------------------------------------------


@cache
def _encoder(of: Any) -> Convert | None:
    """None: JSON takes the value as it is."""
    origin, args = get_origin(of), get_args(of)
    if origin in (Union, UnionType):
        return _union_encoder(args)
    if origin is tuple:
        inner = _encoder(args[0]) if args[-1] is Ellipsis else None
        return None if inner is None else lambda values: [inner(value) for value in values]
    if is_dataclass(of):
        return _row_encoder(cast("type", of))
    if origin is Literal or of in (str, int, float, bool, NoneType):
        return None
    raise TypeError(f"{of} is no value that a bundle holds")


@cache
def _row_encoder(of: type) -> Convert:
    named = _fields(of)
    encoders = [(position, encode) for position, (_, hint) in enumerate(named) if (encode := _encoder(hint))]
    get = attrgetter(*(name for name, _ in named)) if len(named) > 1 else lambda value: (getattr(value, named[0][0]),)
    if not encoders:
        return get

    def encode_row(value: Any) -> list[Any]:
        row = list(get(value))
        for position, encode in encoders:
            row[position] = encode(row[position])
        return row

    return encode_row


def _union_encoder(args: tuple[Any, ...]) -> Convert | None:
    kinds = [arg for arg in args if arg is not NoneType]
    if len(kinds) == 1:
        encode = _encoder(kinds[0])
        return None if encode is None else lambda value: None if value is None else encode(value)
    numbers = {kind: number for number, kind in enumerate(kinds)}

    def encode_one(value: Any) -> list[Any]:
        number = numbers.get(type(value))
        if number is None:
            raise TypeError(f"{type(value).__name__} is none of what a bundle may hold here")
        return [number, *_row_encoder(kinds[number])(value)]  # asked for late: a tree holds trees

    return encode_one


# --- rows -> values ------------------------------------------------------------------------------------------------


@cache
def _decoder(of: Any) -> Convert | None:
    origin, args = get_origin(of), get_args(of)
    if origin in (Union, UnionType):
        return _union_decoder(args)
    if origin is tuple:
        return _tuple_decoder(args[0]) if args[-1] is Ellipsis else tuple
    if is_dataclass(of):
        return _row_decoder(cast("type", of))
    return None


@cache
def _row_decoder(of: type) -> Convert:
    decoders = [(position, decode) for position, (_, hint) in enumerate(_fields(of)) if (decode := _decoder(hint))]
    if not decoders:
        return lambda row: of(*row)

    def decode_row(row: list[Any]) -> Any:
        for position, decode in decoders:
            row[position] = decode(row[position])
        return of(*row)

    return decode_row


@cache
def _tuple_decoder(of: Any) -> Convert:
    decode = _decoder(of)
    if decode is None:
        return tuple
    if is_dataclass(of) and not any(_decoder(hint) for _, hint in _fields(cast("type", of))):
        return lambda rows: tuple(starmap(cast("type", of), rows))
    return lambda rows: tuple([decode(row) for row in rows])


def _union_decoder(args: tuple[Any, ...]) -> Convert | None:
    kinds = [arg for arg in args if arg is not NoneType]
    if len(kinds) == 1:
        decode = _decoder(kinds[0])
        return None if decode is None else lambda value: None if value is None else decode(value)
    return lambda row: _row_decoder(kinds[row[0]])(row[1:])
