"""Which relations of a schema a text can be naming: those whose last name stands in it. Exact, and quick for thousands.

The engine looks a relation up by the last part of its name before anything else, so what is left out could not be found. It
keeps the parts of a schema small that are sent to a child, and lets a text keep its digest when other relations change.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from app.words import Schema

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Mentions:
    """`_plain`: last name -> relations; `_odd`: last names that are not one word, with their relations."""

    schema: Schema
    _plain: dict[str, list[str]] = field(default_factory=dict, repr=False)
    _odd: dict[str, list[str]] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(schema: Schema) -> Mentions:
        plain: dict[str, list[str]] = {}
        odd: dict[str, list[str]] = {}
        for relation in schema:
            last = relation.rpartition(".")[2].strip('"').lower()
            (plain if _WORD.fullmatch(last) else odd).setdefault(last, []).append(relation)
        return Mentions(schema, plain, odd)

    def find(self, sql: str) -> Schema:
        """The part of the schema that the SQL may name, in the schema's own order of columns."""
        lowered = sql.lower()
        names = [name for word in self._plain.keys() & set(_WORD.findall(lowered)) for name in self._plain[word]]
        names += [name for last, relations in self._odd.items() if last in lowered for name in relations]
        return {name: self.schema[name] for name in sorted(names)}
