"""DataHub's write side in memory, as `app.ports.CatalogWrites`: incidents with their pull requests, and edges."""

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
        known = self.incidents.setdefault(incident.urn, set())
        there = known >= set(incident.pulls)
        known.update(incident.pulls)
        self.raised.append(incident)
        self._called("raise_incident_answer")
        return Performed(incident.urn, "incident", "already there" if there else "written")

    async def resolve_incident(self, urn: str, pull_url: str, message: str) -> Performed:
        assert message
        self._called("resolve_incident")
        there = pull_url in self.incidents.get(urn, set())
        self.incidents.get(urn, set()).discard(pull_url)
        return Performed(urn, "incident", "withdrawn" if there else "already there")

    async def write_edge(self, write: EdgeWrite) -> Performed:
        self._called("write_edge")
        key = (write.edge.upstream, write.edge.downstream)
        there = key in self.edges
        self.edges[key] = write
        self._called("write_edge_answer")
        return Performed(f"{key[0]} -> {key[1]}", "edge", "already there" if there else "written")

    async def retract_edges(self, edges: Sequence[ProvenEdge], *, why: TakenBack, run_id: str) -> tuple[Performed, ...]:
        assert why
        assert run_id
        self._called("retract_edges")
        done = []
        for edge in edges:
            there = self.edges.pop((edge.upstream, edge.downstream), None)
            outcome: CatalogOutcome = "taken back" if there else "already there"
            done.append(Performed(f"{edge.upstream} -> {edge.downstream}", "edge", outcome))
        return tuple(done)
