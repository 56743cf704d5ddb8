"""Known columns of a relation, however many parts the author wrote. Names are folded (see app.reads.fold)."""

from __future__ import annotations

from collections.abc import Mapping

from app.words import Schema

#: where an unqualified name lives when nobody says otherwise: Postgres, DuckDB, SQL Server, Spark / ClickHouse
_DEFAULT_SCHEMAS = ("public", "main", "dbo", "default")


class Catalog:
    """Looks a written name up in a Schema: exact, else the one entry that agrees on all parts both of them have."""

    def __init__(self, schema: Schema | None, *, exact_case: bool) -> None:
        self._schema: Schema = schema or {}
        self._exact_case = exact_case
        self._by_last: dict[str, list[str]] | None = None
        self._found: dict[str, Mapping[str, str] | None] = {}

    def columns(self, parts: tuple[str, ...]) -> Mapping[str, str] | None:
        """Folded column -> native type in declared order; None when the relation is not known."""
        relation = ".".join(parts)
        if relation not in self._found:
            key = relation if relation in self._schema else self._match(parts)
            self._found[relation] = None if key is None else self._fold(self._schema[key])
        return self._found[relation]

    def _match(self, parts: tuple[str, ...]) -> str | None:
        if not self._schema or not parts:
            return None
        if self._by_last is None:
            self._by_last = {}
            for key in self._schema:
                self._by_last.setdefault(_split(key)[-1].lower(), []).append(key)
        written = tuple(part.lower() for part in parts)
        agreeing = [key for key in self._by_last.get(written[-1], ()) if _agree(_split(key.lower()), written)]
        if len(agreeing) > 1:
            agreeing = [key for key in agreeing if (".".join(_split(key.lower())[-2:-1])) in _DEFAULT_SCHEMAS]
        return agreeing[0] if len(agreeing) == 1 else None

    def _fold(self, columns: Mapping[str, str]) -> Mapping[str, str]:
        return {self._fold_column(name): kind for name, kind in columns.items()}

    def _fold_column(self, name: str) -> str:
        if name.startswith('"'):
            return name
        if self._exact_case and name != name.lower():
            return f'"{name}"'
        return name.lower()


def _split(relation: str) -> tuple[str, ...]:
    if '"' not in relation:
        return tuple(relation.split("."))
    parts, part, quoted = [], "", False
    for char in relation:
        if char == '"':
            quoted = not quoted
        if char == "." and not quoted:
            parts.append(part)
            part = ""
        else:
            part += char
    return (*parts, part)


def _agree(known: tuple[str, ...], written: tuple[str, ...]) -> bool:
    shared = min(len(known), len(written))
    return known[-shared:] == written[-shared:]
