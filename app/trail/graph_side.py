"""The catalog witness: where declared lineage leads from a lost column, and where visible SQL says otherwise.

The table of two witnesses: SQL that can be seen decides, whatever the graph says; where it cannot, a column edge is proof
and a table edge is a doubt. Features, models and dashboards have rooms of their own (`features`, `models`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.trail.aspects import FineEdge, find_job_edges
from app.trail.graph import LineageGraph
from app.trail.hop import Contradiction, Doubt, Hop, Hops, Loss
from app.trail.nodes import Nodes
from app.trail.proof import find_proofs
from app.trail.sql_side import SqlSide
from app.trail.trail import Step, Witness
from app.trail.urns import bare, field_urn, find_type, fold_path, spells
from app.words import Evidence

JOB_READS = ("Consumes", "DataProcessInstanceConsumes")
JOB_WRITES = ("Produces", "DataProcessInstanceProduces")


@dataclass(frozen=True, slots=True)
class GraphSide:
    """`changed` are paths of the pull request: an edge that contradicts SQL which it changes is only out of date."""

    graph: LineageGraph
    nodes: Nodes
    sql: SqlSide
    changed: frozenset[str]

    def hops(self, loss: Loss) -> Hops:
        urns = self.nodes.urns(loss.node)
        if not urns:
            return Hops()
        hops: list[Hop] = []
        contradictions: list[Contradiction] = []
        for node in self._downstream(loss, urns):
            edges = self._edges(urns, node)
            if self.sql.shows(node):
                hop, contradiction = self._seen(loss, node, edges)
                hops += [hop] if hop else []
                contradictions += [contradiction] if contradiction else []
            else:
                hops += self._unseen(loss, node, edges)
        return Hops(tuple(hops), tuple(contradictions), wanted=self._wanted(loss, urns))

    def _wanted(self, loss: Loss, urns: tuple[str, ...]) -> frozenset[str]:
        """The node itself, its jobs, and its columns: some datasets declare their lineage on columns alone."""
        wanted = set(urns)
        for urn in urns:
            wanted.update(self.graph.sources(urn, *JOB_READS))
        paths = [path for path in self.nodes.paths(loss.node) if loss.column is None or spells(loss.column, path)]
        if loss.column is not None and not paths:
            paths = [bare(loss.column)]
        wanted.update(field_urn(urn, path) for urn in urns for path in paths)
        return frozenset(
            urn for urn in wanted if find_type(urn) in ("dataset", "schemaField", "dataJob", "dataProcessInstance")
        )

    def _downstream(self, loss: Loss, urns: tuple[str, ...]) -> Iterator[str]:
        """Nodes with a declared edge from this one, by lineage or through a job."""
        found: dict[str, None] = {}
        for urn in urns:
            direct = list(self.graph.sources(urn, "DownstreamOf"))
            for path in self.nodes.paths(loss.node):
                direct += self.graph.sources(field_urn(urn, path), "DownstreamOf")
            if loss.column is not None:
                direct += self.graph.sources(field_urn(urn, bare(loss.column)), "DownstreamOf")
            for job in self._jobs(urn):
                direct += self.graph.destinations(job, *JOB_WRITES)
            for other in direct:
                if find_type(other) == "dataset" and not self.graph.removed(other):
                    found.setdefault(self.nodes.of_urn(other))
        yield from (node for node in found if node != loss.node)

    def _jobs(self, urn: str) -> Iterator[str]:
        for job in self.graph.sources(urn, *JOB_READS):
            if find_type(job) in ("dataJob", "dataProcessInstance") and not self.graph.removed(job):
                yield job

    def _edges(self, urns: tuple[str, ...], node: str) -> list[FineEdge]:
        """The declared column edges between two nodes."""
        downstream = set(self.nodes.urns(node))
        rows = list(self.nodes.fine_edges(node))
        for urn in urns:
            rows += [edge for job in self._jobs(urn) for edge in find_job_edges(self.graph, job)]
        return [edge for edge in rows if edge.upstream[0] in urns and edge.downstream[0] in downstream]

    def _seen(self, loss: Loss, node: str, edges: list[FineEdge]) -> tuple[Hop | None, Contradiction | None]:
        """Visible SQL decides. A declared edge still helps where SQL alone could not tell whose column it reads."""
        if loss.by_position or loss.effect != "stops":
            return None, None
        declared = [edge for edge in edges if loss.column is not None and spells(loss.column, edge.upstream[1])]
        if self.sql.reads(node, loss):
            if declared and not self.sql.reads_surely(node, loss):
                return next(iter(self._declared(loss, node, declared)), None), None
            return None, None
        if declared or (not edges and not self.sql.names(node, loss.node)):
            return None, self._contradiction(loss, node, declared)
        return None, None

    def _contradiction(self, loss: Loss, node: str, declared: list[FineEdge]) -> Contradiction | None:
        defining = self.sql.building[node]
        if any(one.reader.path in self.changed for one in defining):
            return None
        upstream, downstream = self.nodes.title(loss.node), self.nodes.title(node)
        if declared and loss.column:
            upstream, downstream = f"{upstream}.{bare(loss.column)}", f"{downstream}.{declared[0].downstream[1]}"
        reader = defining[0].reader
        text = f"the catalog says that {downstream} comes from {upstream}, and its SQL does not read it"
        return Contradiction(text, reader.evidence(reader.statement.line))

    def _unseen(self, loss: Loss, node: str, edges: list[FineEdge]) -> Iterator[Hop]:
        if loss.by_position:
            yield self._doubt(loss, node, "nobody can see whether its SQL takes columns by their place")
        elif loss.column is None and loss.effect == "stops":
            yield Hop(Loss(node, None, "stops"), Step(node, None, "declared"))
        elif loss.column is None:
            columns = tuple(dict.fromkeys(name for edge in edges for name in fold_path(edge.downstream[1])))
            for column in columns or (None,):
                yield Hop(Loss(node, column, "values"), Step(node, column, "declared"))
        elif matching := [edge for edge in edges if spells(loss.column, edge.upstream[1])]:
            yield from self._declared(loss, node, matching)
            if loss.effect == "stops":
                why = "its SQL is not visible and names the lost column, so that it may fail as a whole"
                yield self._doubt(loss, node, why)
        elif not edges:
            yield self._doubt(
                loss,
                node,
                f"the catalog has only a table-level edge from {self.nodes.title(loss.node)} and its SQL is not visible, so that "
                f"nobody can tell whether it reads {bare(loss.column)}; its SQL or column-level lineage would settle it",
            )

    def _declared(self, loss: Loss, node: str, edges: list[FineEdge]) -> Iterator[Hop]:
        for edge in edges:
            evidence = self._proof(edge)
            witness: Witness = "inferred" if evidence else "declared"
            for column in fold_path(edge.downstream[1]):
                yield Hop(Loss(node, column, loss.effect), Step(node, column, witness, evidence, edge.operation))

    def _proof(self, edge: FineEdge) -> tuple[Evidence, ...]:
        for proof in find_proofs(self.graph, edge.downstream[0]):
            if proof.upstream == field_urn(*edge.upstream) and proof.downstream == field_urn(*edge.downstream):
                return proof.evidence
        return ()

    def _doubt(self, loss: Loss, node: str, why: str) -> Hop:
        doubt = Doubt("lineage_is_incomplete", self.nodes.title(node), why)
        return Hop(Loss(node, None, loss.effect), Step(node, None, "declared"), doubt)
