"""What every written column means: which table's column, which projection, or what it may be where that is not known.

Rules: the base SQL is valid, so whoever is known to have a name has it alone; otherwise all who may have it are offered
it, uncertain. An inner query's name may mean an outer column. A name that would silently mean something else once its
column is gone (an alias, an outer column) is a rebind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from app.reads.aliases import alias_wins, may_be_alias
from app.reads.scopes import Ref, Scope, Walk
from app.reads.sources import MAYBE, NO, YES, Hit, Item, QuerySource, Source, TableColumn, find_among
from app.reads.stars import counts_rows, find_source
from app.reads.statement import Read, ReadKind
from app.reads.wholes import find_wholes
from app.reads.widths import find_tables

#: names without a table that look like columns in some dialects
_PSEUDO = frozenset((
    "rownum", "rowid", "level", "sysdate", "systimestamp", "current_date", "current_time", "current_timestamp",
    "localtime", "localtimestamp", "current_user", "session_user", "user", "ctid", "oid", "xmin", "_partitiontime",
    "_partitiondate", "_table_suffix",
))  # fmt: skip
_DATE_PARTS = frozenset((
    "year", "years", "quarter", "quarters", "month", "months", "week", "weeks", "day", "days", "hour", "hours",
    "minute", "minutes", "second", "seconds", "millisecond", "microsecond", "nanosecond", "dayofweek", "dayofyear",
    "isoyear", "isoweek", "epoch", "dow", "doy", "yy", "mm", "dd", "hh", "mi", "ss", "wk", "qq",
))  # fmt: skip
#: what a whole-row value passes through unchanged
_ROW_KEEPERS = (
    exp.Paren, exp.Bracket, exp.ArrayAgg, exp.AnyValue, exp.ArgMax, exp.ArgMin, exp.First, exp.Last, exp.FirstValue,
    exp.LastValue, exp.Order, exp.Limit, exp.Window, exp.IgnoreNulls, exp.RespectNulls, exp.Filter, exp.Max, exp.Min,
    exp.Explode, exp.Distinct, exp.WithinGroup, exp.Ordered, exp.Cast,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """`row`: the reference is (or may be) a whole row of that source; `field`: of a whole row, only this field is taken.

    `nowhere`: all that it may mean is written out in this text, and nothing there is called so.
    """

    hits: tuple[Hit, ...] = ()
    rebind: bool = False
    row: Source | None = None
    field: str = ""
    nowhere: bool = False


class Resolver:
    """Resolves the references of one walk, each once."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self._found: dict[int, Found] = {}
        self._rows: dict[tuple[int, int], list[Source]] = {}
        walk.rows = self.rows

    def found(self, n: int) -> Found:
        """Meaning of the n-th reference."""
        if n not in self._found:
            self._found[n] = Found()
            self._found[n] = self._resolve(self.walk.refs[n])
        return self._found[n]

    def rows(self, span: tuple[int, int]) -> list[Source]:
        """Sources whose whole row a projection hands on."""
        if span not in self._rows:
            self._rows[span] = []  # a recursive CTE hands on no more than its first branch
            rows: dict[int, Source] = {}
            for n in range(*span):
                found = self.found(n)
                further = [
                    row for hit in found.hits if isinstance(hit.origin, Item) for row in self.rows(hit.origin.span)
                ]
                rows.update((id(row), row) for row in (*([found.row] if found.row else []), *further))
            self._rows[span] = list(rows.values())
        return self._rows[span]

    def reads(self) -> list[Read]:
        """Every table column that the statement reads, in the order of the text's clauses; no duplicates."""
        found: dict[Read, None] = {}
        for n, ref in enumerate(self.walk.refs):
            meaning = self.found(n)
            for hit in meaning.hits:
                if isinstance(hit.origin, TableColumn):
                    kind: ReadKind = (
                        "position" if hit.positional else "rebind" if meaning.rebind or hit.shadows else "read"
                    )
                    relation, column = hit.origin
                    found[Read(relation, column, ref.clause, kind, hit.certain, ref.line)] = None
        for whole in find_wholes(self):
            for relation in (name for source in whole.sources for name in find_tables(source)):
                found[Read(relation, "*", whole.clause, "read", whole.certain, whole.line)] = None
        for width in dict.fromkeys(self.walk.widths):
            found[Read(width.relation, "*", width.clause, "width", certain=True, line=width.line)] = None
        return list(found)

    def nowhere(self) -> list[Read]:
        """Names that no query of the text gives, where queries of the text are all that is asked: the statement fails."""
        lost = [ref for n, ref in enumerate(self.walk.refs) if self.found(n).nowhere]
        named = (Read("", ref.parts[-1], ref.clause, "read", certain=True, line=ref.line) for ref in lost)
        return list(dict.fromkeys(named))

    def _resolve(self, ref: Ref) -> Found:
        if ref.only:
            return Found(tuple(find_among(ref.only, ref.parts[-1])))
        for length in range(len(ref.parts) - 1, 0, -1):
            source = find_source(ref.scope, ref.parts[:length])
            if source is not None:
                name, rest = ref.parts[length], ref.parts[length + 1 :]
                found = Found(tuple(source.find(name)), nowhere=not rest and _lacks(source, name))
                return self._with_fields(ref, found, rest)
        # no such table: the first part is a column, the others are fields of its struct
        return self._with_fields(ref, self._unqualified(ref, ref.parts[0]), ref.parts[1:])

    def _unqualified(self, ref: Ref, name: str) -> Found:
        scope: Scope | None = ref.scope
        alias = self.find_alias(ref, name)
        if alias is not None and alias_wins(ref.clause, key=ref.key):
            return Found((Hit(alias),))
        row: Source | None = None
        offered: list[Source] = []
        while scope is not None:
            if name in scope.merged:
                return Found(tuple(hit for source in scope.merged[name] for hit in source.find(name)))
            seen = scope.visible() if ref.clause != "join" or scope is not ref.scope else scope.sources
            ranked = [(source.has(name), source) for source in seen]
            sure = [source for rank, source in ranked if rank == YES]
            if sure:
                hits = [hit for source in sure for hit in source.find(name)]
                if len(sure) > 1 or offered:
                    hits = [hit._replace(certain=False) for hit in hits]
                rebind = not offered and self._would_rebind(alias, name, scope)
                return Found((*_hits(offered, name, certain=False), *hits), rebind, row)
            offered += [source for rank, source in ranked if rank == MAYBE]
            row = row or next((source for source in scope.sources if source.name == name), None)
            if scope is ref.scope and alias is not None:
                return Found((*_hits(offered, name, certain=False), Hit(alias)), row=row)
            scope = scope.around()
        if not offered and row is None:
            return self._forced(ref, name)
        if row is not None and counts_rows(ref.node):
            row = None
        # `SELECT u FROM users u`: an alias the author made up is hardly the name of a column as well
        aliased = row is not None and row.is_aliased()
        return Found(tuple(_hits(offered, name, certain=len(offered) == 1 and not aliased)), row=row)

    def find_alias(self, ref: Ref, name: str) -> Item | None:
        """Another projection of the same SELECT by that name, where this clause may name one."""
        items = [
            item
            for item in ref.scope.outputs.get(name, ())
            if item is not ref.item and (item.aliased or (ref.key and ref.clause == "order by"))
        ]
        if not items:
            return None
        allowed = alias_wins(ref.clause, key=ref.key) or may_be_alias(ref.clause, self.walk.dialect)
        nobody = all(source.has(name) < MAYBE for source in ref.scope.visible())
        return items[0] if allowed or nobody else None

    def _would_rebind(self, alias: Item | None, name: str, scope: Scope) -> bool:
        if alias is not None and not self._reads_itself(alias, name):
            return True
        # DuckDB joins laterally without being told: a subquery of FROM may come to mean a source beside it
        implicit = self.walk.dialect == "duckdb"
        outer = scope.parent if implicit else scope.around()
        while outer is not None:
            if any(source.has(name) == YES for source in outer.visible()) or (implicit and name in outer.outputs):
                return True
            outer = outer.parent if implicit else outer.around()
        return False

    def _reads_itself(self, alias: Item, name: str) -> bool:
        return any(self.walk.refs[n].parts[-1] == name for n in range(*alias.span))

    def _forced(self, ref: Ref, name: str) -> Found:
        """Nobody is known to have it, yet the SQL is valid: what we know of a table is out of date."""
        if name in _PSEUDO or (name in _DATE_PARTS and isinstance(ref.node.parent, exp.Func)):
            return Found()
        scope: Scope | None = ref.scope
        nowhere = bool(ref.scope.sources) and len(ref.parts) == 1
        while scope is not None:
            hits = find_among([source for source in scope.visible() if source.is_open()], name)
            if hits:
                return Found(tuple(hits))
            named = any(item is not ref.item for item in scope.outputs.get(name, ()))
            nowhere = nowhere and not named and all(_lacks(source, name) for source in scope.sources)
            scope = scope.around()
        return Found(nowhere=nowhere)

    def _with_fields(self, ref: Ref, found: Found, rest: Sequence[str]) -> Found:
        """`r.f` where r is a whole row, kept in a column or written directly: f is read too."""
        rows = [found.row] if found.row is not None else []
        rows += [row for hit in found.hits if isinstance(hit.origin, Item) for row in self.rows(hit.origin.span)]
        if not rows:
            return found
        field = rest[0] if rest else self._field_above(ref.node)
        if not field:
            return found
        return replace(found, hits=(*found.hits, *(hit for row in rows for hit in row.find(field))), field=field)

    def _field_above(self, node: exp.Expr) -> str:
        parent = node.parent
        while isinstance(parent, _ROW_KEEPERS):
            parent = parent.parent
        if isinstance(parent, exp.Dot) and isinstance(parent.expression, exp.Identifier):
            return self.walk.folder.name(parent.expression)
        return ""


def _lacks(source: Source, name: str) -> bool:
    """A query of this text that surely gives no column of that name."""
    return isinstance(source, QuerySource) and source.has(name) == NO and not source.is_open()


def _hits(sources: Sequence[Source], name: str, *, certain: bool) -> list[Hit]:
    found = [hit for source in sources for hit in source.find(name)]
    return found if certain else [hit._replace(certain=False) for hit in found]
