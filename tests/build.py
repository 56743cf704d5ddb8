"""Small builders of test inputs: SQL text -> readers, a few words -> a catalog, and the loop that fetches from it.

`World` answers like DataHub: the aspects and edges of a frontier and its neighbours, never more than was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from app.change import Removal, RemovalReport
from app.effects import find_dataset
from app.reads import read_statements
from app.trail import (
    Edge,
    GraphSlice,
    LineageGraph,
    ModelListing,
    Naming,
    OpaqueFile,
    Reader,
    SqlIndex,
    Walk,
    next_frontier,
    walk,
)
from app.words import Config, Evidence, Repo, Schema

REPO = Repo(7, "shop/features")
SNOWFLAKE = "snowflake"
MOST_FETCHES = 60  # a walk that wants more than this never ends

Aspects = dict[str, Any]


# --- urns ----------------------------------------------------------------------------------------------------------


def dataset(name: str, platform: str = SNOWFLAKE, env: str = "PROD") -> str:
    return f"urn:li:dataset:(urn:li:dataPlatform:{platform},{name},{env})"


def column(name: str, platform: str = SNOWFLAKE) -> str:
    """`shop.raw.orders.discount_pct` -> its schemaField urn."""
    table, _, path = name.rpartition(".")
    return f"urn:li:schemaField:({dataset(table, platform)},{path})"


def feature(name: str) -> str:
    """`customer_features.discount_sensitivity` -> its urn."""
    table, _, path = name.rpartition(".")
    return f"urn:li:mlFeature:({table},{path})"


def model(name: str, platform: str = "mlflow") -> str:
    return f"urn:li:mlModel:(urn:li:dataPlatform:{platform},{name},PROD)"


def deployment(name: str, platform: str = "sagemaker") -> str:
    return f"urn:li:mlModelDeployment:(urn:li:dataPlatform:{platform},{name},PROD)"


# --- entities: (urn, aspects) --------------------------------------------------------------------------------------


def table(
    name: str,
    columns: str = "",
    *,
    upstream: Mapping[str, str] | None = None,
    tables: Iterable[str] = (),
    platform: str = SNOWFLAKE,
    **aspects: Any,
) -> tuple[str, Aspects]:
    """`columns`: names in one text. `upstream`: own column -> upstream column; `tables`: table-level upstreams."""
    held: Aspects = {"datasetKey": {"name": name}, **aspects}
    if columns:
        held["schemaMetadata"] = {"fields": [{"fieldPath": path} for path in columns.split()]}
    fine = [
        {"upstreams": [column(up, platform)], "downstreams": [column(f"{name}.{own}", platform)]}
        for own, up in (upstream or {}).items()
    ]
    ups = [*tables, *(up.rpartition(".")[0] for up in (upstream or {}).values())]
    if ups:
        held["upstreamLineage"] = {
            "upstreams": [{"dataset": dataset(up, platform)} for up in dict.fromkeys(ups)],
            "fineGrainedLineages": fine,
        }
    return dataset(name, platform), held


def feature_entity(name: str, *sources: str, platform: str = SNOWFLAKE, **aspects: Any) -> tuple[str, Aspects]:
    urns = [source if source.startswith("urn:") else dataset(source, platform) for source in sources]
    return feature(name), {
        "mlFeatureKey": {},
        "mlFeatureProperties": {"sources": urns, "customProperties": {}},
        **aspects,
    }


def model_entity(
    name: str,
    *features: str,
    serving: bool | None = True,
    platform: str = "mlflow",
    owner: str | None = None,
    properties: Mapping[str, Any] | None = None,
    **aspects: Any,
) -> tuple[str, Aspects]:
    """`serving` becomes a custom property, as people write it; None leaves it out. `properties` go to mlModelProperties."""
    custom = {} if serving is None else {"serving": str(serving).lower()}
    held: Aspects = {
        "mlModelKey": {"name": name},
        "mlModelProperties": {
            "name": name,
            "customProperties": custom,
            "mlFeatures": [feature(item) for item in features],
            **(properties or {}),
        },
        **aspects,
    }
    if owner:
        held["ownership"] = {"owners": [{"owner": f"urn:li:corpGroup:{owner}"}]}
    return model(name, platform), held


# --- the catalog ---------------------------------------------------------------------------------------------------


#: aspect -> (field, member, edge type): where DataHub's relationships come from
_EDGES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "upstreamLineage": (("upstreams", "dataset", "DownstreamOf"),),
    "mlFeatureProperties": (("sources", "", "DerivedFrom"),),
    "mlPrimaryKeyProperties": (("sources", "", "DerivedFrom"),),
    "mlFeatureTableProperties": (("mlFeatures", "", "Contains"), ("mlPrimaryKeys", "", "KeyedBy")),
    "mlModelProperties": (
        ("mlFeatures", "", "Consumes"),
        ("deployments", "", "DeployedTo"),
        ("groups", "", "MemberOf"),
        ("trainingJobs", "", "TrainedBy"),
        ("downstreamJobs", "", "UsedBy"),
    ),
    "mlModelTrainingData": (("trainingData", "dataset", "TrainedOn"),),
    "mlModelGroupProperties": (("trainingJobs", "", "TrainedBy"), ("downstreamJobs", "", "UsedBy")),
    "versionProperties": (("versionSet", "", "VersionOf"),),
    "siblings": (("siblings", "", "SiblingOf"),),
    "dashboardInfo": (("datasets", "", "Consumes"), ("charts", "", "Contains")),
    "chartInfo": (("inputs", "", "Consumes"),),
    "dataJobInputOutput": (
        ("inputDatasets", "", "Consumes"),
        ("inputDatasetFields", "", "Consumes"),
        ("outputDatasets", "", "Produces"),
        ("outputDatasetEdges", "destinationUrn", "Produces"),
    ),
    "dataProcessInstanceInput": (
        ("inputs", "", "Consumes"),
        ("inputEdges", "destinationUrn", "DataProcessInstanceConsumes"),
    ),
    "dataProcessInstanceOutput": (
        ("outputs", "", "Produces"),
        ("outputEdges", "destinationUrn", "DataProcessInstanceProduces"),
    ),
}


#: edges that an entity's own aspects tell
OUTWARDS = (
    *("TrainedOn", "DeployedTo", "MemberOf", "VersionOf", "TrainedBy", "UsedBy", "SiblingOf"),
    *("Produces", "DataProcessInstanceProduces", "DataProcessInstanceConsumes"),
)


@dataclass(slots=True)
class World:
    """A whole catalog. `reasons` and `unread` come with every fetch; `fetches` remembers the frontiers."""

    entities: dict[str, Aspects]
    reasons: tuple[str, ...] = ()
    unread: frozenset[str] = frozenset()
    fetches: list[frozenset[str]] = field(default_factory=list)

    @staticmethod
    def of(
        *entities: tuple[str, Aspects], reasons: tuple[str, ...] = (), unread: frozenset[str] = frozenset()
    ) -> World:
        return World(dict(entities), reasons, unread)

    def edges(self) -> frozenset[Edge]:
        return frozenset(edge for urn, aspects in self.entities.items() for edge in _edges(urn, aspects))

    def datasets(self) -> tuple[str, ...]:
        return tuple(urn for urn in self.entities if urn.startswith("urn:li:dataset:"))

    def fetch(
        self,
        frontier: frozenset[str],
        *,
        known: frozenset[str] = frozenset(),
        guesses: frozenset[str] = frozenset(),
    ) -> GraphSlice:
        """As `CatalogReads.fetch_neighbours`: edges outwards come with the aspects that draw them."""
        self.fetches.append(frontier)
        into = {edge for edge in self.edges() if edge.destination in frontier and edge.type != "TrainedOn"}
        unseen = guesses - {edge.destination for edge in into}
        urns = (frontier - unseen) | {urn for edge in into for urn in (edge.source, edge.destination)}
        part = self.look_up(urns, known=known)
        edges = tuple(sorted(into | set(part.edges)))
        return replace(part, asked=frontier, edges=edges, guessed=unseen)

    def look_up(self, urns: frozenset[str], *, known: frozenset[str] = frozenset()) -> GraphSlice:
        """The aspects of these urns, a column's dataset for the column, and the edges that they draw."""
        entities = {find_dataset(urn) or urn if urn.startswith("urn:li:schemaField:") else urn for urn in urns}
        held = {urn: self.entities.get(urn, {}) for urn in entities - known}
        drawn = {edge for urn, aspects in held.items() for edge in _edges(urn, aspects) if _is_outward(edge)}
        return GraphSlice(urns, tuple(sorted(drawn)), held, self.reasons, unread=self.unread)

    def models(self) -> ModelListing:
        held = {urn: held for urn, held in self.entities.items() if urn.startswith("urn:li:mlModel:")}
        listing = ModelListing.of(held)
        taken = frozenset(edge.destination for edge in listing.consumed)
        return replace(listing, features=self.look_up(taken).aspects)

    def graph(self) -> LineageGraph:
        """Everything at once."""
        named = {urn for edge in self.edges() for urn in (edge.source, edge.destination)}
        return LineageGraph().extend(self.fetch(frozenset(self.entities) | named))


def _is_outward(edge: Edge) -> bool:
    return edge.type in OUTWARDS or (edge.type == "Consumes" and edge.source.startswith("urn:li:dataProcessInstance:"))


def _edges(urn: str, aspects: Aspects) -> Iterator[Edge]:
    for name, fields in _EDGES.items():
        for list_name, member, kind in fields:
            held = aspects.get(name, {}).get(list_name) or ()
            rows: Iterable[Any] = (held,) if isinstance(held, str) else held
            for row in rows:
                destination = row[member] if member else row
                if isinstance(destination, str):
                    yield Edge(urn, kind, destination)
    for row in aspects.get("upstreamLineage", {}).get("fineGrainedLineages") or ():
        if isinstance(row, dict):
            yield from (Edge(urn, "DownstreamOf", up) for up in row.get("upstreams", ()))


# --- SQL -----------------------------------------------------------------------------------------------------------


def readers(
    sql: str,
    *,
    path: str = "features/customer_features.sql",
    dialect: str = SNOWFLAKE,
    schema: Schema | None = None,
    relation: str | None = None,
    repo: Repo = REPO,
    source: str | None = None,
) -> tuple[Reader, ...]:
    """Every statement of one file. `source`: the file's text where it is not the SQL itself (a query in Python)."""
    text = source if source is not None else sql
    shift = text[: text.index(sql)].count("\n") if source is not None else 0
    found = read_statements("\n" * shift + sql, dialect=dialect, schema=schema, relation=relation)
    lines = tuple(text.splitlines())
    return tuple(Reader(repo, "c0ffee", path, dialect, statement, lines) for statement in found)


def index(*parts: Iterable[Reader], opaque: Iterable[OpaqueFile] = ()) -> SqlIndex:
    return SqlIndex(tuple(reader for part in parts for reader in part), tuple(opaque))


def opaque(path: str, words: str, *, star: bool = False, relation: str | None = None, repo: Repo = REPO) -> OpaqueFile:
    return OpaqueFile(repo, path, "it is Python", frozenset(words.split()), star, 1, relation)


# --- the change ----------------------------------------------------------------------------------------------------


def drop(name: str, kind: str = "column_dropped", **fields: Any) -> Removal:
    """`shop.raw.orders.discount_pct` is dropped; whole relations with a `kind` that says so."""
    relation, _, lost = name.rpartition(".")
    whole = kind in (
        "relation_dropped",
        "relation_renamed",
        "definition_deleted",
        "view_invalidated",
        "position_changed",
    )
    evidence = Evidence("migrations/0002_change.sql", 1, f"ALTER TABLE {relation} DROP COLUMN {lost};", "head")
    values: dict[str, Any] = {"effect": "values" if kind in _VALUES else "stops", **fields}
    return Removal(kind, name if whole else relation, None if whole else lost, evidence, **values)  # type: ignore[arg-type]


_VALUES: frozenset[Literal["type_changed", "values_lost", "meaning_changed", "position_changed"]] = frozenset(
    ("type_changed", "values_lost", "meaning_changed", "position_changed")
)


def report(*removals: Removal, schema: Schema | None = None, **fields: Any) -> RemovalReport:
    files = fields.pop("files", ("migrations/0002_change.sql",))
    return RemovalReport(removals, base_schema=schema or {}, head_schema=schema or {}, files=files, **fields)


def follow(
    change: RemovalReport, sql: SqlIndex, world: World, config: Config | None = None
) -> tuple[Walk, LineageGraph, Naming]:
    """Walk, fetch what the walk wants, walk again: the loop of a review, without the network."""
    settings = config or Config()
    naming = Naming.of(world.datasets(), settings)
    graph = LineageGraph().extend(world.models().slice())
    walked = walk(change, sql, graph, naming, settings)
    for _ in range(MOST_FETCHES):
        frontier = next_frontier(walked)
        if not frontier:
            return walked, graph, naming
        known = frozenset(graph.aspects)
        graph = graph.extend(world.fetch(frontier, known=known, guesses=walked.guesses))
        walked = walk(change, sql, graph, naming, settings)
    raise AssertionError(f"the walk did not end; it still wants {sorted(next_frontier(walked))[:5]}")
