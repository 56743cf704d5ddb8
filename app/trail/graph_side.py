"""The catalog witness: where declared lineage leads from a lost column, and where visible SQL says otherwise.

The table of two witnesses: SQL that can be seen decides, whatever the graph says; where it cannot, a column edge is proof
and a table edge is a doubt. Features, models and dashboards have rooms of their own (`features`, `models`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from app.trail.aspects import FineEdge, find_job_edges, read_edges, read_open_edges
from app.trail.graph import LineageGraph
from app.trail.hop import NOWHERE, Contradiction, Doubt, Hop, Hops, Loss
from app.trail.nodes import Nodes
from app.trail.proof import find_proofs
from app.trail.spelling import BySpelling
from app.trail.sql_side import SqlSide
from app.trail.trail import Step, Witness
from app.trail.urns import bare, field_urn, field_urns, find_type, fold_path, parse_field, spells
from app.words import Evidence

JOB_READS = ("Consumes", "DataProcessInstanceConsumes")
JOB_WRITES = ("Produces", "DataProcessInstanceProduces")
JOBS = ("dataJob", "dataProcessInstance")


@dataclass(frozen=True, slots=True)
class _Edges:
    """The column edges between two relations, and the same by the upstream column."""

    rows: tuple[FineEdge, ...]
    by_column: BySpelling[FineEdge]
    open: tuple[FineEdge, ...] = ()  # see `read_open_edges`

    @staticmethod
    def of(rows: Iterable[FineEdge], open_ended: Iterable[FineEdge] = ()) -> _Edges:
        kept = tuple(rows)
        return _Edges(kept, BySpelling.of((edge.upstream[1], edge) for edge in kept), tuple(open_ended))

    def of_column(self, column: str) -> tuple[FineEdge, ...]:
        return self.by_column.find(column)

    def open_to(self, column: str) -> tuple[str, ...]:
        """Columns that the upstream column may flow into, "" for nobody knows which."""
        return tuple(
            dict.fromkeys(e.downstream[1] for e in self.open if not e.upstream[1] or spells(column, e.upstream[1]))
        )


def _by_upstream(aspects: Mapping[str, Any]) -> Mapping[str, _Edges]:
    """A dataset's own column edges by the dataset that they come from."""
    rows: dict[str, list[FineEdge]] = {}
    open_ended: dict[str, list[FineEdge]] = {}
    for edge in read_edges(aspects):
        kind = rows if edge.upstream[1] and edge.downstream[1] else open_ended
        kind.setdefault(edge.upstream[0], []).append(edge)
    names = dict.fromkeys((*rows, *open_ended))
    return {upstream: _Edges.of(rows.get(upstream, ()), open_ended.get(upstream, ())) for upstream in names}


NO_EDGES: Final = _Edges.of(())


@dataclass(frozen=True, slots=True)
class GraphSide:
    """`changed` are paths of the pull request: an edge that contradicts SQL which it changes is only out of date.

    What begins with an underscore only remembers answers: every column of a relation asks for the same edges.
    """

    graph: LineageGraph
    nodes: Nodes
    sql: SqlSide
    changed: frozenset[str]
    _below: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    _readers: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    _between: dict[tuple[str, str], _Edges] = field(default_factory=dict, compare=False, repr=False)

    def hops(self, loss: Loss) -> Hops:
        urns = self.nodes.urns(loss.node)
        if not urns:
            return NOWHERE
        hops: list[Hop] = []
        contradictions: list[Contradiction] = []
        notes: list[str] = []
        for node in self._downstream(loss, urns):
            edges = self._edges(loss.node, node)
            if self.sql.shows(node):
                declared, contradiction = self._seen(loss, node, edges)
                hops += declared
                contradictions += [contradiction] if contradiction else []
            elif loss.at_end:  # nothing moved: only who counts columns could notice, and nothing says that anybody does
                upstream, what = self.nodes.title(loss.node), self.nodes.title(node)
                notes.append(
                    f"{what} is made from {upstream}, which gets columns behind its last one; its SQL is not visible"
                )
            else:
                hops += [self._settle(hop, loss, node) for hop in self._unseen(loss, node, edges)]
        spellings = frozenset(other for urn in urns for other in self.nodes.naming.spellings(urn))
        return Hops(
            tuple(hops), tuple(contradictions), tuple(notes), wanted=self._wanted(loss, urns), guesses=spellings
        )

    def neighbours(self, loss: Loss) -> frozenset[str]:
        """What has to be fetched to see the SQL that the catalog holds of whatever stands directly behind the node."""
        urns = self.nodes.urns(loss.node)
        if not urns:
            return frozenset()
        below = (urn for node in self._downstream(loss, urns) for urn in self.nodes.urns(node))
        return self._wanted(loss, urns) | frozenset(below)

    def _wanted(self, loss: Loss, urns: tuple[str, ...]) -> frozenset[str]:
        """The node itself, its jobs, and its columns: some datasets declare their lineage on columns alone."""
        paths = self.nodes.paths(loss.node)
        if loss.column is not None:
            paths = self.nodes.spelled(loss.node, loss.column) or (bare(loss.column),)
        fields = (field for urn in urns for path in paths for field in field_urns(urn, path))
        return frozenset((*urns, *self._all_jobs(loss.node), *fields))

    def _downstream(self, loss: Loss, urns: tuple[str, ...]) -> Iterator[str]:
        """Nodes with a declared edge from this one: by lineage, by the lineage of any of its columns, or through a job."""
        found = self._below.get(loss.node)
        if found is None:
            direct = [other for urn in urns for other in self.graph.sources(urn, "DownstreamOf")]
            direct += [other for urn in urns for path in self.nodes.paths(loss.node) for other in self._fed(urn, path)]
            direct += [other for job in self.jobs(loss.node) for other in self.graph.destinations(job, *JOB_WRITES)]
            found = self._below[loss.node] = self._datasets(direct)
        if loss.column is None or self.nodes.spelled(loss.node, loss.column):
            below = found
        else:  # a column that the catalog's schema does not have may still be named by lineage
            more = self._datasets([other for urn in urns for other in self._fed(urn, bare(loss.column))])
            below = tuple(dict.fromkeys((*found, *more)))
        yield from (node for node in below if node != loss.node)

    def _fed(self, urn: str, path: str) -> Iterator[str]:
        for column in field_urns(urn, path):
            yield from self.graph.sources(column, "DownstreamOf")

    def _datasets(self, urns: list[str]) -> tuple[str, ...]:
        """The nodes of datasets, and of the datasets whose columns these are. A server may keep either kind of edge alone."""
        owners = ((parse_field(urn) or (urn, ""))[0] for urn in dict.fromkeys(urns))
        kept = (urn for urn in dict.fromkeys(owners) if find_type(urn) == "dataset")
        return tuple(dict.fromkeys(self.nodes.of_urn(urn) for urn in kept))

    def _is_deleted(self, node: str) -> bool:
        return all(self.graph.removed(urn) for urn in self.nodes.urns(node))

    def _settle(self, hop: Hop, loss: Loss, node: str) -> Hop:
        """What is deleted may still be named by something alive: then its old lineage is not nothing, and no proof either. And
        a column that is merely hidden is there for whoever names it.
        """
        if loss.hidden:
            why = f"it comes from {self.nodes.title_of(loss)}, which stays for those who name it and leaves every star"
        elif self._is_deleted(node):
            why = (
                "the catalog marks it as deleted, and what follows still names it; delete that too, or ingest it again"
            )
        else:
            return hop
        return replace(hop, doubt=hop.doubt or Doubt("lineage_is_incomplete", self.nodes.title(node), why))

    def jobs(self, node: str) -> tuple[str, ...]:
        """Jobs and runs that read the relation, or declare that they read columns of it.

        Not the jobs that come after them: schedulers declare the order of tasks as lineage, whatever data they share.
        """
        return tuple(job for job in self._all_jobs(node) if not self.graph.removed(job))

    def former_jobs(self, node: str) -> tuple[str, ...]:
        """Those that the catalog marks as deleted: runs are cleaned up, and the models that they trained still name them."""
        return tuple(job for job in self._all_jobs(node) if self.graph.removed(job))

    def _all_jobs(self, node: str) -> tuple[str, ...]:
        found = self._readers.get(node)
        if found is None:
            urns = [job for urn in self.nodes.urns(node) for job in self.graph.sources(urn, *JOB_READS)]
            for column in (
                c for urn in self.nodes.urns(node) for p in self.nodes.paths(node) for c in field_urns(urn, p)
            ):
                urns += self.graph.sources(column, "Consumes", "DownstreamOf")
            found = self._readers[node] = tuple(urn for urn in dict.fromkeys(urns) if find_type(urn) in JOBS)
        return found

    def _edges(self, upstream: str, node: str) -> _Edges:
        """The declared column edges between two nodes."""
        found = self._between.get((upstream, node))
        if found is None:
            found = self._between[upstream, node] = self._find_edges(upstream, node)
        return found

    def _find_edges(self, upstream: str, node: str) -> _Edges:
        urns, downstream, jobs = self.nodes.urns(upstream), self.nodes.urns(node), self.jobs(upstream)
        if len(urns) == len(downstream) == 1 and not jobs:  # nearly always: what the dataset itself says, read once
            found = self.graph.read(downstream[0], _by_upstream).get(urns[0], NO_EDGES)
            if all(edge.downstream[0] == downstream[0] for edge in found.rows):
                return found
        rows = [*self.nodes.fine_edges(node), *(edge for job in jobs for edge in find_job_edges(self.graph, job))]
        written = [job for job in jobs if set(downstream) & set(self.graph.destinations(job, *JOB_WRITES))]
        open_ended = [edge for urn in (*downstream, *written) for edge in self.graph.read(urn, read_open_edges)]
        return _Edges.of(
            (edge for edge in rows if edge.upstream[0] in urns and edge.downstream[0] in downstream),
            (edge for edge in open_ended if edge.upstream[0] in urns and edge.downstream[0] in ("", *downstream)),
        )

    def _seen(self, loss: Loss, node: str, edges: _Edges) -> tuple[tuple[Hop, ...], Contradiction | None]:
        """Visible SQL decides. A declared edge still helps where SQL alone could not tell whose column it reads."""
        if loss.by_position or loss.effect != "stops":
            return (), None
        declared = edges.of_column(loss.column) if loss.column is not None else ()
        if self.sql.reads(node, loss) or self.sql.may_read(node, loss):
            sure = not declared or self.sql.reads_surely(node, loss)
            return () if sure else tuple(self._declared(loss, node, declared)), None
        if loss.hidden:  # SQL that names it does not notice, and reads it all the same
            return (), None
        unread = declared or (not edges.rows and not self.sql.names(node, loss.node))
        if not unread or self.sql.reads_through(node, loss):
            return (), None
        if declared and self.sql.takes_unplaced(node, declared[0].upstream[1]):
            return tuple(self._declared(loss, node, declared)), None
        return (), self._contradiction(loss, node, declared)

    def _contradiction(self, loss: Loss, node: str, declared: Sequence[FineEdge]) -> Contradiction | None:
        defining = self.sql.building[node]
        if any(one.reader.path in self.changed for one in defining):
            return None
        upstream, downstream = self.nodes.title(loss.node), self.nodes.title(node)
        if declared and loss.column:
            upstream, downstream = f"{upstream}.{bare(loss.column)}", f"{downstream}.{declared[0].downstream[1]}"
        reader = defining[0].reader
        text = f"the catalog says that {downstream} comes from {upstream}, and its SQL does not read it"
        return Contradiction(text, reader.evidence(reader.statement.line))

    def _unseen(self, loss: Loss, node: str, edges: _Edges) -> Iterator[Hop]:
        if loss.by_position:
            yield self._doubt(loss, node, "nobody can see whether its SQL takes columns by their place")
        elif loss.column is None and loss.effect == "stops":
            yield Hop(Loss(node, None, "stops"), Step(node, None, "declared"))
        elif loss.column is None:
            named = (edge.downstream[1] for edge in (*edges.rows, *edges.open))
            columns = tuple(dict.fromkeys(name for path in named for name in (fold_path(path) if path else (None,))))
            for column in columns or (None,):
                yield Hop(Loss(node, column, "values"), Step(node, column, "declared"))
        else:
            yield from self._unseen_column(loss, loss.column, node, edges)

    def _unseen_column(self, loss: Loss, column: str, node: str, edges: _Edges) -> Iterator[Hop]:
        """One lost column, and a relation whose SQL nobody can see."""
        upstream, lost = self.nodes.title(loss.node), bare(column)
        matching, unread = edges.of_column(column), self.sql.find_unread(node)
        yield from self._declared(loss, node, matching)
        if matching and loss.effect == "stops":
            why = "its SQL is not visible and names the lost column, so that it may fail as a whole"
            yield self._doubt(loss, node, why)
        for path in edges.open_to(column):
            why = (
                f"the catalog's lineage says that it comes from {upstream} and not by which columns, so that nobody can tell "
                f"whether it reads {lost}"
            )
            for name in fold_path(path) if path else (None,):
                yield self._doubt(loss, node, why, name)
        if matching:
            return
        if unread is not None and not (edges.rows and unread.whole):
            why = f"the catalog says that it comes from {upstream}, and whether it reads {lost} cannot be told: {unread.why}"
            yield self._doubt(loss, node, why)
        elif not edges.rows and not edges.open:
            why = (
                f"the catalog has only a table-level edge from {upstream} and its SQL is not visible, so that nobody can tell "
                f"whether it reads {lost}; its SQL or column-level lineage would settle it"
            )
            yield self._doubt(loss, node, why)

    def _declared(self, loss: Loss, node: str, edges: Sequence[FineEdge]) -> Iterator[Hop]:
        for edge in edges:
            evidence = self._proof(edge)
            witness: Witness = "inferred" if evidence else "declared"
            for column in fold_path(edge.downstream[1]):
                yield Hop(Loss(node, column, loss.effect), Step(node, column, witness, evidence, edge.operation))

    def _proof(self, edge: FineEdge) -> tuple[Evidence, ...]:
        proofs = find_proofs(self.graph, edge.downstream[0])
        for proof in proofs:
            if proof.upstream == field_urn(*edge.upstream) and proof.downstream == field_urn(*edge.downstream):
                return proof.evidence
        return ()

    def _doubt(self, loss: Loss, node: str, why: str, column: str | None = None) -> Hop:
        doubt = Doubt("lineage_is_incomplete", self.nodes.title(node), why)
        return Hop(Loss(node, column, loss.effect), Step(node, column, "declared"), doubt)
