"""What `CatalogWrites` promises: written once, ours alone, taken back exactly; refusals are outcomes, an outage is none."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from app.effects import CatalogOutcome, EdgeWrite, Incident, Performed, TakenBack, incident_urn
from app.effects.incident import render_pulls
from app.ports import CatalogWrites
from app.repair import ProvenEdge
from app.words import Evidence, Transient
from tests.contracts.catalog_world import WRITES, CatalogWorld
from tests.edges.datahub.world import FEATURE, FEATURES, MODEL, ORDERS, STAGING, field

LINE = Evidence("features/c.sql", 12, "AVG(discount_pct) AS discount", "base", "acme/features", "c0ffee")
SOURCE = ProvenEdge("source", ORDERS, FEATURE, FEATURE, (LINE,), ("discount_pct",))
COLUMN = ProvenEdge("column", field(ORDERS, "qty"), field(STAGING, "units"), STAGING, (LINE,), ("qty",))
INPUT = ProvenEdge("model", "urn:li:mlFeature:(customer_features,tenure)", MODEL, MODEL, (LINE,))
DECLARED = replace(SOURCE, upstream=FEATURES)
FIRST, SECOND = (f"https://github.com/acme/warehouse/pull/{number}" for number in (7, 8))
URN = incident_urn(ORDERS, "qty", MODEL)


def incident(pull: str = FIRST) -> Incident:
    text = render_pulls([(pull, None)]) + "\n\nMerging breaks it."
    return Incident(URN, ORDERS, "qty", MODEL, "Schema change blocks churn_v4 (orders.qty)", text, (pull,))


def raised(world: CatalogWorld, pull: str = FIRST) -> str:
    done = world.write(lambda writes: writes.raise_incident(incident(pull)))
    assert (done.what, done.kind) == (URN, "incident")
    return done.outcome


def resolved(world: CatalogWorld, pull: str = FIRST, urn: str = URN) -> str:
    done = world.write(lambda writes: writes.resolve_incident(urn, pull, "closed"))
    assert (done.what, done.kind) == (urn, "incident")
    return done.outcome


def written(world: CatalogWorld, *edges: ProvenEdge, run: str = "run-1") -> list[str]:
    async def work(writes: CatalogWrites) -> list[Performed]:
        return list(await asyncio.gather(*(writes.write_edge(EdgeWrite(edge, run)) for edge in edges)))

    done = world.write(work)
    assert [(one.what, one.kind) for one in done] == [(name(edge), "edge") for edge in edges]
    return [one.outcome for one in done]


def taken_back(world: CatalogWorld, *edges: ProvenEdge, why: TakenBack = "stale") -> dict[str, CatalogOutcome]:
    done = world.write(lambda writes: writes.retract_edges(edges, why=why, run_id="run-2"))
    assert len(done) == len(edges)
    assert {one.kind for one in done} <= {"edge"}
    return {one.what: one.outcome for one in done}


def name(edge: ProvenEdge) -> str:
    return f"{edge.upstream} -> {edge.downstream}"


# --- incidents -------------------------------------------------------------------------------------------------------


def test_an_incident_is_raised_once_for_each_pull_request(catalog_world: CatalogWorld) -> None:
    assert not catalog_world.is_active(URN)
    assert [raised(catalog_world, pull) for pull in (FIRST, FIRST, SECOND, FIRST)] == [
        "written",
        "already there",
        "written",
        "already there",
    ]
    assert catalog_world.is_active(URN)


def test_an_incident_is_over_with_the_last_pull_request(catalog_world: CatalogWorld) -> None:
    raised(catalog_world, FIRST)
    raised(catalog_world, SECOND)

    assert resolved(catalog_world, FIRST) == "withdrawn"
    assert catalog_world.is_active(URN)
    assert resolved(catalog_world, FIRST) == "already there"
    assert resolved(catalog_world, SECOND) == "withdrawn"
    assert not catalog_world.is_active(URN)


def test_an_incident_that_comes_again_is_open_again(catalog_world: CatalogWorld) -> None:
    raised(catalog_world)
    resolved(catalog_world)

    assert raised(catalog_world) == "written"
    assert catalog_world.is_active(URN)


def test_an_incident_that_is_not_there_needs_no_end(catalog_world: CatalogWorld) -> None:
    other = incident_urn(ORDERS, None, MODEL)

    assert resolved(catalog_world, FIRST, other) == "already there"
    raised(catalog_world)
    assert resolved(catalog_world, SECOND) == "already there"
    assert catalog_world.is_active(URN)


# --- edges -----------------------------------------------------------------------------------------------------------


def test_edges_of_every_kind_are_written_once(catalog_world: CatalogWorld) -> None:
    assert written(catalog_world, SOURCE, COLUMN, INPUT) == ["written"] * 3
    assert all(catalog_world.has_edge(edge) for edge in (SOURCE, COLUMN, INPUT))
    assert written(catalog_world, SOURCE, COLUMN, INPUT, run="run-2") == ["already there"] * 3
    assert all(catalog_world.has_edge(edge) for edge in (SOURCE, COLUMN, INPUT))


def test_edges_of_one_entity_are_written_together(catalog_world: CatalogWorld) -> None:
    edges = [replace(COLUMN, upstream=field(ORDERS, f"c{n}"), columns=(f"c{n}",)) for n in range(20)]

    assert written(catalog_world, *edges, edges[0]) == ["written"] * 20 + ["already there"]
    assert all(catalog_world.has_edge(edge) for edge in edges)


def test_an_edge_that_somebody_declared_is_theirs(catalog_world: CatalogWorld) -> None:
    assert written(catalog_world, DECLARED, SOURCE) == ["declared", "written"]
    assert taken_back(catalog_world, DECLARED) == {name(DECLARED): "already there"}
    assert catalog_world.has_edge(DECLARED)


def test_an_entity_that_is_deleted_takes_no_edge(catalog_world: CatalogWorld) -> None:
    catalog_world.lose(FEATURE)

    assert written(catalog_world, SOURCE, COLUMN) == ["failed", "written"]
    assert not catalog_world.has_edge(SOURCE)


def test_an_entity_that_people_rejected_takes_no_edge(catalog_world: CatalogWorld) -> None:
    catalog_world.reject(FEATURE)

    assert written(catalog_world, SOURCE, COLUMN) == ["rejected", "written"]
    assert not catalog_world.has_edge(SOURCE)


def test_exactly_the_named_edges_are_taken_back(catalog_world: CatalogWorld) -> None:
    other = replace(SOURCE, upstream=STAGING)
    written(catalog_world, SOURCE, other, COLUMN)

    assert taken_back(catalog_world, SOURCE, COLUMN, INPUT) == {
        name(SOURCE): "taken back",
        name(COLUMN): "taken back",
        name(INPUT): "already there",
    }
    assert [catalog_world.has_edge(edge) for edge in (SOURCE, COLUMN, other)] == [False, False, True]
    assert taken_back(catalog_world, SOURCE) == {name(SOURCE): "already there"}
    assert written(catalog_world, SOURCE) == ["written"]


def test_each_edge_of_one_entity_has_an_outcome_of_its_own(catalog_world: CatalogWorld) -> None:
    written(catalog_world, SOURCE)

    absent = replace(SOURCE, upstream=STAGING)
    assert taken_back(catalog_world, SOURCE, absent) == {name(SOURCE): "taken back", name(absent): "already there"}


def test_a_rejection_keeps_later_edges_out(catalog_world: CatalogWorld) -> None:
    written(catalog_world, SOURCE)

    assert taken_back(catalog_world, SOURCE, why="rejected") == {name(SOURCE): "taken back"}
    assert written(catalog_world, SOURCE, replace(SOURCE, upstream=STAGING)) == ["rejected"] * 2
    assert not catalog_world.has_edge(SOURCE)


def test_a_rejection_of_what_is_not_there_is_remembered_as_well(catalog_world: CatalogWorld) -> None:
    assert taken_back(catalog_world, SOURCE, why="rejected") == {name(SOURCE): "already there"}
    assert written(catalog_world, SOURCE) == ["rejected"]


def test_nothing_to_take_back_is_no_work(catalog_world: CatalogWorld) -> None:
    assert taken_back(catalog_world) == {}


# --- refusals and outages --------------------------------------------------------------------------------------------


EVERY: dict[str, Callable[[CatalogWrites], Awaitable[Performed | tuple[Performed, ...]]]] = {
    "raise_incident": lambda writes: writes.raise_incident(incident()),
    "resolve_incident": lambda writes: writes.resolve_incident(URN, FIRST, "closed"),
    "write_edge": lambda writes: writes.write_edge(EdgeWrite(SOURCE, "run-1")),
    "retract_edges": lambda writes: writes.retract_edges([SOURCE], why="stale", run_id="run-2"),
}


def test_every_method_of_the_port_is_among_those_asked() -> None:
    assert EVERY.keys() == set(WRITES) == {name for name in vars(CatalogWrites) if not name.startswith("_")}


def test_a_token_that_may_not_write_is_an_outcome(catalog_world: CatalogWorld) -> None:
    written(catalog_world, SOURCE)
    catalog_world.refuse()

    for ask in EVERY.values():
        done = catalog_world.write(ask)
        assert [one.outcome for one in (done if isinstance(done, tuple) else (done,))] == ["not allowed"]
    assert catalog_world.has_edge(SOURCE)
    assert not catalog_world.is_active(URN)


def test_a_catalog_that_is_away_is_transient(catalog_world: CatalogWorld) -> None:
    catalog_world.go_away()

    for ask in EVERY.values():
        with pytest.raises(Transient):
            catalog_world.write(ask)
    assert not catalog_world.has_edge(SOURCE)
    assert not catalog_world.is_active(URN)
