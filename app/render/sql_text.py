"""What rendering answers: one piece of plain SQL, and where each of its lines stands in the repository."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

SqlKind: TypeAlias = Literal["plain", "model", "snapshot", "seed", "python", "hook"]
#: of what a template names; `outside`: a package that is not in the tree may have it
RefState: TypeAlias = Literal["found", "absent", "outside"]


@dataclass(frozen=True, slots=True)
class Variant:
    """One way in which a template may come out; `lines` as in SqlText."""

    sql: str
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SqlText:
    """SQL of one source file.

    `lines[i]` is the 1-based source line of rendered line i + 1 (a macro's text maps to the line that calls it).
    `relation` is the relation that the file owns by its name or config (dbt, SQLMesh, seeds), None for plain SQL, which
    names its targets itself. `why` is the reason nothing could be rendered, `why_line` where; then `sql` is empty.
    `variants` are all the ways in which conditions that nobody can decide may come out, where `why` says that
    they matter; () where nothing could be rendered at all.
    `keys`: (column, source line) of each column of the relation that its configuration names: rows are compared by them.
    `refs`: what its template names with `ref` and `source`, and whether the tree has it.
    `meta_columns` (snapshot): (column, its standard name) of each that dbt adds behind those of the query.
    `rebuilt` (hook): the relation that is built anew after it, whatever it did to that one. A hook that could not be rendered
    keeps its template in `sql`, beside `why`.
    `spans` (python): where its constant text stands in the file, as offsets that `app.render.blank_read` knows.
    """

    path: str
    sql: str
    lines: tuple[int, ...]
    kind: SqlKind = "plain"
    relation: str | None = None
    dialect: str | None = None
    materialized: str | None = None
    on_schema_change: str | None = None
    seed_columns: tuple[str, ...] = ()
    keys: tuple[tuple[str, int], ...] = ()
    meta_columns: tuple[tuple[str, str], ...] = ()
    why: str | None = None
    why_line: int = 1
    variants: tuple[Variant, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    rebuilt: str | None = None
    refs: tuple[tuple[str, RefState], ...] = ()
