"""What a query hands on, as Outputs: name, real table columns behind it, expression, line.

Sources are what the expression reads, traced through CTEs, subqueries and stars. Columns that only filters, joins or
grouping use are reads of the statement, not sources of an output.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.reads.expression import Call, ColumnLeaf, Name, choose
from app.reads.expression import StarLeaf as Rows
from app.reads.queries import MAX_COLUMNS, Query, SelectQuery, SetQuery
from app.reads.sources import GroupSource, Hit, Item, Named, PivotSource, QuerySource, Source, TableColumn, TableSource
from app.reads.star import Star
from app.reads.statement import ColumnRef, Output, Unreadable
from app.reads.translate import Translator
from app.reads.widths import find_tables
from app.reads.wrapped import LaterQuery, RenamedQuery


class Outputs:
    """Outputs of one statement's queries."""

    def __init__(self, trees: Translator) -> None:
        self.trees = trees
        self.resolver = trees.resolver
        self._sources: dict[int, tuple[ColumnRef, ...]] = {}
        self._queries: dict[int, tuple[Output, ...]] = {}

    def of_query(self, query: Query) -> tuple[Output, ...]:
        """Outputs in order. A star over a table of unknown columns is one Output named "*".

        Raises Unreadable above MAX_COLUMNS: stars over joins of stars double the columns at every step.
        """
        if id(query) not in self._queries:
            self._queries[id(query)] = ()  # a recursive CTE hands on what its first branch does
            found = self._of_query(query)
            if len(found) > MAX_COLUMNS:
                raise Unreadable(f"{len(found):,} output columns; the limit is {MAX_COLUMNS:,}", line=found[0].line)
            self._queries[id(query)] = found
        return self._queries[id(query)]

    def _of_query(self, query: Query) -> tuple[Output, ...]:
        match query:
            case SelectQuery():
                return tuple(out for part in query.items for out in self._of_part(part))
            case SetQuery():
                return self._of_set([self.of_query(branch) for branch in query.branches], by_name=query.by_name)
            case RenamedQuery():
                return renamed_outputs(self.of_query(query.query), query.names)
            case LaterQuery() if query.query is not None:
                return self.of_query(query.query)
            case _:
                return ()

    def of_item(self, item: Item, name: str | None = None) -> Output:
        """One explicit projection."""
        return Output(item.name if name is None else name, self.sources(item), self.trees.item(item), item.line)

    def of_source(self, source: Source, line: int) -> tuple[Output, ...]:
        """All columns of a source, as a star hands them on."""
        return tuple(
            replace(out, line=line, via_star=True) if out.via_star or out.name == "*" else out
            for out in self._of_source(source, line)
        )

    def sources(self, item: Item) -> tuple[ColumnRef, ...]:
        """Table columns that a projection reads; column "*" for a whole row."""
        if id(item) not in self._sources:
            self._sources[id(item)] = ()  # a recursive CTE adds nothing to itself
            found: list[ColumnRef] = []
            for n in range(*item.span):
                meaning = self.resolver.found(n)
                traced = self.of_hits(meaning.hits)
                found += [ref for ref in traced if not (meaning.field and ref.column == "*")]
                if meaning.row is not None and not meaning.field and not any(hit.certain for hit in meaning.hits):
                    found += self._whole(meaning.row, certain=not meaning.hits or meaning.row.is_aliased())
            for whole in item.wide:
                for source in whole.sources:
                    found += self._whole(source, certain=whole.certain)
            self._sources[id(item)] = _unique(found)
        return self._sources[id(item)]

    def _whole(self, source: Source, *, certain: bool) -> list[ColumnRef]:
        """Column "*" of the tables that are taken whole, and what a query in between computes by name."""
        inner = self.of_query(source.query) if isinstance(source, QuerySource) else ()
        explicit = [ref for out in inner if not out.via_star and out.name != "*" for ref in out.sources]
        return [*explicit, *(ColumnRef(relation, "*", certain) for relation in find_tables(source))]

    def of_hits(self, hits: Iterable[Hit]) -> list[ColumnRef]:
        """Table columns behind a traced name."""
        found: list[ColumnRef] = []
        for hit in hits:
            if isinstance(hit.origin, TableColumn):
                found.append(ColumnRef(hit.origin.relation, hit.origin.column, hit.certain, hit.positional))
            else:
                found += [replace(ref, certain=ref.certain and hit.certain) for ref in self.sources(hit.origin)]
        return found

    def _of_part(self, part: Item | Star) -> Sequence[Output]:
        if isinstance(part, Item):
            return [self.of_item(part)]
        columns = part.expand()
        if columns is not None:
            return [self._of_named(column, part.line) for column in columns]
        if part.picks is not None or part.vague:
            names = dict.fromkeys(name for source in part.over() for name in find_tables(source))
            sources = tuple(ColumnRef(name, "*", certain=False) for name in names)
            return [Output("*", sources, Call("columns", (Rows(tuple(names)),)), part.line, via_star=True)]
        found: list[Output] = []
        back = {old: new for new, old in part.renamed.items()}
        for out in (out for source in part.over() for out in self.of_source(source, part.line)):
            if out.name == "*":
                found += [self._renamed_star(out, old, new) for old, new in back.items()]
                found += [self.of_item(item) for item in part.replaced.values()]
                found.append(out)
            elif out.name in part.replaced:
                found.append(self.of_item(part.replaced[out.name]))
            elif out.name not in part.excluded:
                found.append(replace(out, name=back.get(out.name, out.name)))
        return found

    @staticmethod
    def _renamed_star(star: Output, old: str, new: str) -> Output:
        sources = tuple(replace(ref, column=old) for ref in star.sources)
        expression = choose([ColumnLeaf(ref.relation, old, star.line) for ref in sources])
        return Output(new, sources, expression, star.line, via_star=True)

    def _of_named(self, column: Named, line: int) -> Output:
        items = [hit.origin for hit in column.hits if isinstance(hit.origin, Item)]
        return Output(
            column.name,
            _unique(self.of_hits(column.hits)),
            self.trees.hits(column.hits, line) if column.hits else Name(column.name),
            items[0].line if items else line,
            via_star=not items,
        )

    def _of_source(self, source: Source, line: int) -> Sequence[Output]:
        match source:
            case TableSource():
                columns = source.expand()
                if columns is not None:
                    return [self._of_named(column, line) for column in columns]
                return [Output("*", (ColumnRef(source.relation, "*"),), Rows((source.relation,)), line)]
            case QuerySource():
                return self.of_query(source.query)
            case GroupSource():
                return [out for member in source.members for out in self._of_source(member, line)]
            case PivotSource():
                inner = self._of_source(source.inner, line)
                made = [Output(name, (), Name(name), line) for name in sorted(source.generated or ())]
                return [*(out for out in inner if out.name not in source.consumed), *made]
            case _:
                return [self._of_named(column, line) for column in source.expand() or ()]

    def _of_set(self, branches: Sequence[Sequence[Output]], *, by_name: bool) -> tuple[Output, ...]:
        first, *others = branches
        merged = list(first)
        for later in others:
            branch = later if by_name else tuple(map(_by_place, later))
            aligned = not by_name and not any(out.name == "*" for out in (*first, *branch))
            for n, out in enumerate(branch):
                place = n if aligned else next((k for k, one in enumerate(merged) if one.name == out.name), None)
                if place is not None and place < len(merged):
                    merged[place] = _merge(merged[place], out)
                elif by_name or out.name == "*":
                    merged.append(out)
                else:  # beside a star of unknown width: it is one of the star's columns
                    merged = [_merge(one, out) if one.name == "*" else one for one in merged]
        return tuple(merged)


def _by_place(output: Output) -> Output:
    """As a later branch has it: what it calls the columns of its stars is nobody's name."""
    if not (output.via_star or output.name == "*"):
        return output
    return replace(output, sources=tuple(replace(ref, placed=True) for ref in output.sources))


def _merge(one: Output, other: Output) -> Output:
    sources = _unique([*one.sources, *other.sources])
    return replace(one, sources=sources, expression=choose([one.expression, other.expression]))


def merge_outputs(outputs: Iterable[Output]) -> tuple[Output, ...]:
    """Outputs of one name as one: a MERGE that updates and inserts the same column."""
    found: dict[str, Output] = {}
    for out in outputs:
        found[out.name] = _merge(found[out.name], out) if out.name in found else out
    return tuple(found.values())


def renamed_outputs(outputs: Sequence[Output], names: Sequence[str]) -> tuple[Output, ...]:
    """Outputs under a list of names, by position; behind a star of unknown width each name may be any of them."""
    if not any(out.name == "*" for out in outputs[: len(names)]):
        renamed = [replace(out, name=name) for out, name in zip(outputs, names, strict=False)]
        return (*renamed, *outputs[len(names) :])
    everything = _unique([replace(ref, certain=False) for out in outputs for ref in out.sources])
    return tuple(Output(name, everything, Name(name), outputs[0].line, via_star=True) for name in names)


def _unique(refs: Iterable[ColumnRef]) -> tuple[ColumnRef, ...]:
    """Each column once; certain if it is so anywhere, placed if it is so everywhere."""
    found: dict[tuple[str, str], ColumnRef] = {}
    for ref in refs:
        other = found.setdefault((ref.relation, ref.column), ref)
        if other != ref:
            both = replace(other, certain=other.certain or ref.certain, placed=other.placed and ref.placed)
            found[ref.relation, ref.column] = both
    return tuple(found.values())
