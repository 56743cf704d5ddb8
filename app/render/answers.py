"""The answer of a query that nobody runs: a table with one made-up value wherever a template looks.

A loop over it turns once, so that the columns its body names are seen. Before dbt executes, the answer is empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from app.render.handles import ForTemplates

UNKNOWN_VALUE: Final = "zz_value"


class Answer(ForTemplates):
    """Table, row, column and value in one: how deep a template goes is its own affair."""

    __slots__ = ()

    def values(self) -> list[str]:
        return [UNKNOWN_VALUE]

    keys = values_distinct = values

    def items(self) -> list[tuple[str, str]]:
        return [(UNKNOWN_VALUE, UNKNOWN_VALUE)]

    def __iter__(self) -> Iterator[object]:
        return iter([self])

    def __len__(self) -> int:
        return 1

    def __getitem__(self, _key: object) -> object:
        return self

    def __getattr__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        return self

    def __call__(self, *_args: object, **_named: object) -> object:
        return self

    def __str__(self) -> str:
        return UNKNOWN_VALUE


class NoAnswer(Answer):
    """What dbt has while it only reads its templates."""

    __slots__ = ()

    def values(self) -> list[str]:
        return []

    keys = values_distinct = values

    def items(self) -> list[tuple[str, str]]:
        return []

    def __iter__(self) -> Iterator[object]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __str__(self) -> str:
        return ""
