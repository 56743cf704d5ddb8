"""DataHub's write side in memory, as `app.ports.CatalogWrites`: incidents with their pull requests, and edges.

It knows no entities: every edge can be written but on those that a test names as `absent`, as `rejected` by people, or as
`declared` by somebody else. `tests/contracts` runs the same assertions over it and over the embedded catalog.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from app.effects import CatalogOutcome, EdgeWrite, Incident, Performed, TakenBack
from app.repair import ProvenEdge


class FakeCatalogWrites:
    def __init__(self) -> None:
        self.incidents: dict[str, set[str]] = {}  # urn -> pull requests that are open on it
        self.raised: list[Incident] = []
        self.edges: dict[tuple[str, str], EdgeWrite] = {}
        self.declared: set[tuple[str, str]] = set()
        self.absent: set[str] = set()
        self.rejected: set[str] = set()
        self.refused = ""  # why the token may write nothing
        self.calls: Counter[str] = Counter()
        self.fail: defaultdict[str, list[Exception | None]] = defaultdict(list)
        self.on_call: Callable[[str], None] = lambda _: None

    def _called(self, name: str) -> None:
        self.calls[name] += 1
        self.on_call(name)
        if self.fail[name] and (error := self.fail[name].pop(0)) is not None:
            raise error

    @property
    def active(self) -> set[str]:
        return {urn for urn, pulls in self.incidents.items() if pulls}

    async def raise_incident(self, incident: Incident) -> Performed:
        self._called("raise_incident")
        if self.refused:
            return Performed(incident.urn, "incident", "not allowed", self.refused)
        known = self.incidents.setdefault(incident.urn, set())
        known.discard(incident.formerly)
        there = known >= set(incident.pulls)
        known.update(incident.pulls)
        self.raised.append(incident)
        self._called("raise_incident_answer")
        return Performed(incident.urn, "incident", "already there" if there else "written")

    async def resolve_incident(self, urn: str, pull_url: str, message: str) -> Performed:
        assert message
        self._called("resolve_incident")
        if self.refused:
            return Performed(urn, "incident", "not allowed", self.refused)
        there = pull_url in self.incidents.get(urn, set())
        self.incidents.get(urn, set()).discard(pull_url)
        return Performed(urn, "incident", "withdrawn" if there else "already there")

    async def write_edge(self, write: EdgeWrite) -> Performed:
        self._called("write_edge")
        outcome = self._write(write)
        self._called("write_edge_answer")
        return Performed(_name(write.edge), "edge", outcome)

    def _write(self, write: EdgeWrite) -> CatalogOutcome:
        key, entity = (write.edge.upstream, write.edge.downstream), write.edge.entity
        if self.refused:
            return "not allowed"
        if entity in self.rejected:
            return "rejected"
        if entity in self.absent:
            return "failed"
        if key in self.declared:
            return "declared"
        there = key in self.edges
        self.edges[key] = write
        return "already there" if there else "written"

    async def retract_edges(self, edges: Sequence[ProvenEdge], *, why: TakenBack, run_id: str) -> tuple[Performed, ...]:
        assert why
        assert run_id
        self._called("retract_edges")
        done = []
        for edge in edges:
            there = None if self.refused else self.edges.pop((edge.upstream, edge.downstream), None)
            outcome: CatalogOutcome = "not allowed" if self.refused else "taken back" if there else "already there"
            done.append(Performed(_name(edge), "edge", outcome))
        if why == "rejected" and not self.refused:
            self.rejected |= {edge.entity for edge in edges}
        return tuple(done)


def _name(edge: ProvenEdge) -> str:
    return f"{edge.upstream} -> {edge.downstream}"
