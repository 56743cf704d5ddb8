"""The SQL witness: every statement of the organisation by what it reads and what it builds, and where a loss goes from there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from app.change import INVALIDATED_BY, Marks
from app.trail.gains import touches_own_target
from app.trail.hop import NOWHERE, Doubt, FeatureLoss, Hop, Hops, Loss
from app.trail.nodes import Nodes
from app.trail.touch import find_touch, retype
from app.trail.touched import WRITES, Touch
from app.trail.trail import OpaqueFile, Reader, SqlIndex, Step
from app.trail.urns import bare, feature_urn
from app.trail.width import Counts, Widths
from app.words import Config, Evidence, Schema

T = TypeVar("T")

MOST_LINES = 6  # evidence lines of one hop; the first prove it, the rest would only be read by nobody


@dataclass(frozen=True, slots=True)
class Bound:
    """A statement with its names resolved. `sources` and `may_be`: node -> how the statement writes it."""

    reader: Reader
    target: str | None
    sources: Mapping[str, frozenset[str]]
    may_be: Mapping[str, frozenset[str]]
    features: tuple[tuple[str, str], ...] = ()  # (feature, output column) that `.tether.yml` maps to this file
    astray: tuple[tuple[str, str], ...] = ()  # those of them whose column no statement of the file gives


@dataclass(frozen=True, slots=True)
class SqlSide:
    nodes: Nodes
    reading: Mapping[str, tuple[Bound, ...]]
    doubtful: Mapping[str, tuple[Bound, ...]]
    building: Mapping[str, tuple[Bound, ...]]
    opaque: Mapping[str, tuple[OpaqueFile, ...]]
    unread: tuple[OpaqueFile, ...]  # what could not be understood, as far as nothing else shows what it builds
    mapped: frozenset[str]  # features that `.tether.yml` maps to a file that is here
    widths: Widths | None = None
    types: Schema | None = None

    @staticmethod
    def of(
        index: SqlIndex,
        nodes: Nodes,
        config: Config,
        marks: Mapping[str, Marks] | None = None,
        types: Schema | None = None,
    ) -> SqlSide:
        """Views of the catalog count only where no repository shows the same relation: what the repository says is newer.

        `marks`: where the change takes columns from and adds them, `types` of all columns after it; None where nothing is
        told of the whole change.
        """
        reading: dict[str, list[Bound]] = {}
        doubtful: dict[str, list[Bound]] = {}
        building: dict[str, list[Bound]] = {}
        scratch = _find_scratch(index.readers)
        bound = _find_astray([_bind(reader, nodes, scratch, config) for reader in index.readers], nodes)
        shown = {one.target for one in bound if one.target and not one.reader.in_catalog}
        for one in bound:
            if one.reader.in_catalog and one.target in shown:
                continue
            for node in one.sources:
                reading.setdefault(node, []).append(one)
            for node in one.may_be:
                doubtful.setdefault(node, []).append(one)
            if one.target:
                building.setdefault(one.target, []).append(one)
        owned: dict[str, list[OpaqueFile]] = {}
        unread = []
        for file in index.opaque:
            node = nodes.of_relation(file.relation) if file.relation else ""
            if file.in_catalog and node in building:
                continue
            unread.append(file)
            if node:
                owned.setdefault(node, []).append(file)
        mapped = frozenset(feature for one in bound for feature, _ in one.features)
        made = _frozen(building)
        widths = None if marks is None else _find_widths(marks, made, nodes)
        kept = (_frozen(reading), _frozen(doubtful), made, _frozen(owned), tuple(unread))
        return SqlSide(nodes, *kept, mapped, widths, types)

    def shows(self, node: str) -> bool:
        """Whether all SQL that builds the relation can be seen and read, as far as anybody can tell."""
        return bool(self.building.get(node)) and not self.opaque.get(node)

    def find_unread(self, node: str) -> OpaqueFile | None:
        """The text that builds the relation and could not be understood; one whose words are not all there comes first."""
        return min(self.opaque.get(node, ()), key=lambda file: file.whole, default=None)

    def outputs(self, node: str) -> tuple[str, ...]:
        """The columns that visible SQL gives the relation, folded; "*" for a star over unknown columns."""
        named = (output.name for one in self.building.get(node, ()) for output in one.reader.statement.outputs)
        return tuple(dict.fromkeys(named))

    def has(self, node: str, name: str) -> bool:
        wanted = name.lower()
        return any(bare(output).lower() == wanted for output in self.outputs(node))

    def names(self, node: str, upstream: str) -> bool:
        """Whether SQL that builds `node` names `upstream` at all, even doubtfully."""
        return any(upstream in one.sources or upstream in one.may_be for one in self.building.get(node, ()))

    def taken(self, node: str, upstream: str) -> frozenset[str]:
        """The columns of `upstream` that SQL which builds `node` names; "*" for all of them."""
        found: set[str] = set()
        for one in self.building.get(node, ()):
            names = one.sources.get(upstream, frozenset())
            statement = one.reader.statement
            found |= {read.column for read in statement.reads if read.relation in names}
            found |= {ref.column for output in statement.outputs for ref in output.sources if ref.relation in names}
        return frozenset(found)

    def reads(self, node: str, loss: Loss) -> bool:
        """Whether SQL that builds `node` is touched by the loss, surely or perhaps."""
        return any(self.touch(one, loss) for one in self.building.get(node, ()) if loss.node in one.sources)

    def reads_through(self, node: str, loss: Loss) -> bool:
        """Whether SQL that is touched by the loss leads to `node` over relations that the catalog does not have."""
        seen, waiting = {node}, [node]
        while waiting:
            sources = [source for one in self.building.get(waiting.pop(), ()) for source in one.sources]
            unseen = [source for source in dict.fromkeys(sources) if source not in seen and not self.nodes.urns(source)]
            if any(self.reads(source, loss) for source in unseen):
                return True
            seen.update(unseen)
            waiting += unseen
        return False

    def takes_unplaced(self, node: str, column: str) -> bool:
        """Whether SQL that builds `node` takes a column of that name from a relation that neither the catalog nor any SQL knows
        (a foreign table, a share, what another tool calls LIVE): it may stand for any table that has the column."""
        for one in self.building.get(node, ()):
            names = {
                name
                for source, written in one.sources.items()
                if not self.nodes.urns(source) and source not in self.building
                for name in written
            }
            taken = {read.column for read in one.reader.statement.reads if read.relation in names}
            taken |= {ref.column for o in one.reader.statement.outputs for ref in o.sources if ref.relation in names}
            if "*" in taken or any(bare(name).lower() == column.lower() for name in taken):
                return True
        return False

    def reads_surely(self, node: str, loss: Loss) -> bool:
        touches = (self.touch(one, loss) for one in self.building.get(node, ()) if loss.node in one.sources)
        return any(touch is not None and touch.certain for touch in touches)

    def may_read(self, node: str, loss: Loss) -> bool:
        """Whether SQL that builds `node` is touched by the loss if a name of it, which nothing settles, means that relation."""
        doubtful = (one for one in self.building.get(node, ()) if loss.node in one.may_be)
        return any(self._touch(one, one.may_be[loss.node], loss) for one in doubtful)

    def line_of(self, node: str, name: str) -> tuple[Evidence, ...]:
        """The line that computes a column of the relation."""
        wanted = name.lower()
        for one in self.building.get(node, ()):
            for output in one.reader.statement.outputs:
                if bare(output.name).lower() == wanted:
                    return (one.reader.evidence(output.line),)
        return ()

    def hops(self, loss: Loss) -> Hops:
        if not (loss.node in self.reading or loss.node in self.doubtful or loss.node in self.building):
            return NOWHERE
        hops: list[Hop] = []
        for one in self.reading.get(loss.node, ()):
            touch = None if loss.gained and one.reader.new else self.touch(one, loss)
            hops += self._follow(one, loss, touch) if touch is not None else []
        for one in self.doubtful.get(loss.node, ()):
            touch = self._touch(one, one.may_be[loss.node], loss)
            hops += self._follow(one, loss, touch, doubtful_name=True) if touch is not None else []
        for one in self.building.get(loss.node, ()):
            own = touches_own_target(one.reader.statement, loss, self._counts(one, loss))
            hops += self._follow(one, loss, own) if own is not None else []
        return Hops(tuple(hops))

    def touch(self, one: Bound, loss: Loss) -> Touch | None:
        """What the loss does to a statement that surely names its relation."""
        return self._touch(one, one.sources[loss.node], loss)

    def _touch(self, one: Bound, names: frozenset[str], loss: Loss) -> Touch | None:
        statement = one.reader.statement
        touch = self._touch_frozen(one, names, loss)
        touch = touch or find_touch(statement, names, loss, self.find_order(one), self._counts(one, loss))
        return touch if touch is None else retype(touch, statement, names, loss, one.reader.dialect, self.types)

    def _touch_frozen(self, one: Bound, names: frozenset[str], loss: Loss) -> Touch | None:
        """A view that only the catalog holds keeps the columns of its star as well, unless dbt makes it anew each time.

        Those of the repositories are removals of their own.
        """
        statement = one.reader.statement
        if (
            not one.reader.in_catalog
            or statement.kind not in {"create_view", "query"}
            or names.isdisjoint(statement.wide)
        ):
            return None
        kind = "column_added" if loss.gained else "column_dropped"
        takes = loss.column is not None and (loss.gained or (loss.effect == "stops" and not loss.hidden))
        if not takes or kind not in INVALIDATED_BY.get(one.reader.dialect, ()):
            return None
        if any("urn:li:dataPlatform:dbt," in urn for urn in self.nodes.urns(one.target or "")):
            return None
        note = f"the view's stored list of columns no longer agrees with its star: {bare(loss.column or '')}"
        return Touch("stops", None, (statement.line,), note=note)

    def _counts(self, one: Bound, loss: Loss) -> Counts:
        if self.widths is None:
            return Counts(dialect=one.reader.dialect)
        return self.widths.count(one.reader.statement, loss.node, self.nodes.of_relation, one.reader.dialect)

    def find_order(self, one: Bound) -> tuple[str, ...]:
        """The columns that an INSERT may fill without naming them, () for other statements or where they are not known."""
        statement = one.reader.statement
        fills = statement.positional or statement.kind == "insert"
        return self.nodes.ordered(one.target) if one.target and fills else ()

    def _follow(self, one: Bound, loss: Loss, touch: Touch, *, doubtful_name: bool = False) -> list[Hop]:
        evidence = tuple(one.reader.evidence(line) for line in touch.lines[:MOST_LINES])
        doubt = self._doubt(loss, touch, evidence, doubtful_name=doubtful_name)
        hops = []
        if one.target is not None:
            # a doubtful reader may be touched anywhere, so everything it builds is in doubt
            whole = touch.columns is None or (doubt is not None and not touch.gained)
            columns = (None,) if touch.columns is None or whole else touch.columns
            for column in columns:
                step = Step(one.target, column, "sql", evidence, touch.note)
                new_type = loss.new_type if column in touch.retyped else ""
                to = Loss(one.target, column, touch.effect, touch.narrows, new_type=new_type, gained=touch.gained)
                hops.append(Hop(to, step, doubt))
        for feature, output in () if touch.gained else one.features:
            if doubt is not None or touch.columns is None or output in {bare(c).lower() for c in touch.columns}:
                step = Step(feature, None, "config", evidence, touch.note)
                hops.append(Hop(FeatureLoss(feature, touch.effect), step, doubt))
        for feature, output in () if touch.gained or touch.columns is None else one.astray:
            why = f"`features:` in .tether.yml takes column {output} of {one.reader.path}, which gives no column of that name"
            unclear = Doubt("reader_is_unknown", self.nodes.title_of(loss), why, evidence[0] if evidence else None)
            step = Step(feature, None, "config", evidence, touch.note)
            hops.append(Hop(FeatureLoss(feature, touch.effect), step, unclear))
        return hops

    def _doubt(self, loss: Loss, touch: Touch, evidence: tuple[Evidence, ...], *, doubtful_name: bool) -> Doubt | None:
        what = self.nodes.title_of(loss)
        first = evidence[0] if evidence else None
        if doubtful_name:
            why = "a statement names a relation that may be this one; `catalog:` in .tether.yml settles which it is"
            return Doubt("reader_is_unknown", what, why, first)
        if not touch.certain and loss.gained:
            why = "it is new, and a statement may come to mean it by a name that it writes for another; write the table before it"
            return Doubt("column_is_ambiguous", what, why, first)
        if not touch.certain:
            why = "a statement reads a column of this name that may be this one; write the table before the column"
            return Doubt("column_is_ambiguous", what, why, first)
        return None


def _find_widths(marks: Mapping[str, Marks], building: Mapping[str, tuple[Bound, ...]], nodes: Nodes) -> Widths:
    def find_wide(node: str) -> list[str]:
        queries = (one.reader.statement for one in building.get(node, ()) if one.reader.statement.kind not in WRITES)
        return [nodes.of_relation(name) for statement in queries for name in statement.wide]

    return Widths({nodes.of_relation(relation): found for relation, found in marks.items()}, find_wide)


def _find_scratch(readers: Iterable[Reader]) -> dict[tuple[int, str, str], str]:
    """Temporary tables: nobody's relation, known in their own file alone. The number keeps those of two files apart."""
    found: dict[tuple[int, str, str], str] = {}
    for reader in readers:
        target = reader.statement.target
        if reader.statement.temporary and target:
            found.setdefault((reader.repo.id, reader.path, target), f"{target} (temporary {len(found) + 1})")
    return found


def _bind(reader: Reader, nodes: Nodes, scratch: Mapping[tuple[int, str, str], str], config: Config) -> Bound:
    statement = reader.statement

    def find_node(relation: str) -> str:
        return scratch.get((reader.repo.id, reader.path, relation)) or nodes.of_relation(relation)

    sources: dict[str, set[str]] = {}
    may_be: dict[str, set[str]] = {}
    written = dict.fromkeys((*statement.relations, *(read.relation for read in statement.reads)))
    for relation in written:
        sources.setdefault(find_node(relation), set()).add(relation)
        if (reader.repo.id, reader.path, relation) not in scratch:
            for node in nodes.may_be(relation):
                may_be.setdefault(node, set()).add(relation)
    features = tuple(
        (feature_urn(*split_name(name)), (entry.column or split_name(name)[1]).lower())
        for name, entry in config.features.items()
        if entry.sql is not None and same_path(entry.sql, reader.path)
    )
    target = find_node(statement.target) if statement.target else None
    return Bound(reader, target, _sets(sources), _sets(may_be), features)


def _find_astray(bound: list[Bound], nodes: Nodes) -> list[Bound]:
    """What `features:` takes from a file must be a column that some statement of it gives, as far as its columns are known."""
    given: dict[tuple[int, str], set[str]] = {}
    for one in bound:
        statement = one.reader.statement
        found = given.setdefault((one.reader.repo.id, one.reader.path), set())
        found |= {bare(output.name).lower() for output in statement.outputs}
        if statement.positional:  # the names are the target's
            found |= {bare(name).lower() for name in nodes.ordered(one.target or "") or ("*",)}
    return [
        replace(one, astray=tuple(pair for pair in one.features if not {pair[1], "*"} & columns))
        if one.features and (columns := given[one.reader.repo.id, one.reader.path])
        else one
        for one in bound
    ]


def split_name(name: str) -> tuple[str, str]:
    """`customer_features.discount_sensitivity` of `.tether.yml` -> (table, feature)."""
    table, _, feature = name.rpartition(".")
    return table, feature


def same_path(first: str, second: str) -> bool:
    return first.removeprefix("./") == second.removeprefix("./")


def _sets(found: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {key: frozenset(values) for key, values in found.items()}


def _frozen(found: Mapping[str, list[T]]) -> dict[str, tuple[T, ...]]:
    return {key: tuple(values) for key, values in found.items()}
