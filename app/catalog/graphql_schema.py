"""The GraphQL schema: the part of DataHub's that this catalog answers, with DataHub's own names and types.

mlModelDeployment has no type here, exactly as on the real server: an entity without a type comes back as null.
`MLModel.incidents`, `MLFeature.incidents` and `RaiseIncidentInput.id` came after v1.7.0; clients find out by introspection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.catalog.graphql_sdl import SDL
from app.catalog.refusal import RequestRefused


@dataclass(frozen=True, slots=True)
class Kind:
    """How GraphQL names one entity type of the registry."""

    registry: str
    enum: str  # member of EntityType
    type: str  # object type
    root: str | None = None  # field of Query that reads one
    fields: str = ""  # beyond those every entity has


_NAMED = "name: String!"
_ON_PLATFORM = "name: String! platform: DataPlatform!"
_INCIDENTS = (
    "incidents(state: IncidentState, stage: IncidentStage, priority: IncidentPriority, assigneeUrns: [String!], "
    "start: Int, count: Int): EntityIncidentsResult"
)

KINDS: tuple[Kind, ...] = (
    Kind(
        "dataset",
        "DATASET",
        "Dataset",
        "dataset",
        f"{_ON_PLATFORM} properties: DatasetProperties subTypes: SubTypes {_INCIDENTS} "
        "fineGrainedLineages: [FineGrainedLineage!]",
    ),
    Kind(
        "mlFeature",
        "MLFEATURE",
        "MLFeature",
        "mlFeature",
        f"{_NAMED} featureNamespace: String! properties: MLFeatureProperties {_INCIDENTS}",
    ),
    Kind("mlPrimaryKey", "MLPRIMARY_KEY", "MLPrimaryKey", "mlPrimaryKey", f"{_NAMED} featureNamespace: String!"),
    Kind("mlFeatureTable", "MLFEATURE_TABLE", "MLFeatureTable", "mlFeatureTable", f"{_ON_PLATFORM} {_INCIDENTS}"),
    Kind("mlModel", "MLMODEL", "MLModel", "mlModel", f"{_ON_PLATFORM} properties: MLModelProperties {_INCIDENTS}"),
    Kind("mlModelGroup", "MLMODEL_GROUP", "MLModelGroup", "mlModelGroup", _ON_PLATFORM),
    Kind("schemaField", "SCHEMA_FIELD", "SchemaFieldEntity", None, f"fieldPath: String! parent: Entity! {_INCIDENTS}"),
    Kind(
        "dataJob",
        "DATA_JOB",
        "DataJob",
        "dataJob",
        f"jobId: String! properties: DataJobProperties dataPlatformInstance: DataPlatformInstance {_INCIDENTS}",
    ),
    Kind("dataFlow", "DATA_FLOW", "DataFlow", None, f"flowId: String! orchestrator: String! {_INCIDENTS}"),
    Kind("dataProcessInstance", "DATA_PROCESS_INSTANCE", "DataProcessInstance", "dataProcessInstance"),
    Kind("dashboard", "DASHBOARD", "Dashboard", "dashboard", f"dashboardId: String! subTypes: SubTypes {_INCIDENTS}"),
    Kind("chart", "CHART", "Chart", None, f"chartId: String! {_INCIDENTS}"),
    Kind(
        "incident",
        "INCIDENT",
        "Incident",
        None,
        "incidentType: IncidentType! customType: String title: String "
        "description: String incidentStatus: IncidentStatus! status: IncidentStatus! priority: IncidentPriority "
        "assignees: [OwnerType!] entity: Entity! source: IncidentSource startedAt: Long created: AuditStamp!",
    ),
    Kind("tag", "TAG", "Tag", "tag", f"{_NAMED} description: String"),
    Kind("corpuser", "CORP_USER", "CorpUser", None, "username: String!"),
    Kind("corpGroup", "CORP_GROUP", "CorpGroup", None, _NAMED),
    Kind("dataPlatform", "DATA_PLATFORM", "DataPlatform", None, _NAMED),
    Kind("dataPlatformInstance", "DATA_PLATFORM_INSTANCE", "DataPlatformInstance", None, "platform: DataPlatform!"),
    Kind("container", "CONTAINER", "Container"),
    Kind("domain", "DOMAIN", "Domain"),
    Kind("dataProduct", "DATA_PRODUCT", "DataProduct"),
    Kind("glossaryTerm", "GLOSSARY_TERM", "GlossaryTerm"),
    Kind("glossaryNode", "GLOSSARY_NODE", "GlossaryNode"),
    Kind("assertion", "ASSERTION", "Assertion"),
    Kind("versionSet", "VERSION_SET", "VersionSet"),
    Kind("structuredProperty", "STRUCTURED_PROPERTY", "StructuredPropertyEntity"),
    Kind("ownershipType", "CUSTOM_OWNERSHIP_TYPE", "OwnershipTypeEntity"),
    Kind("query", "QUERY", "QueryEntity"),
    Kind("notebook", "NOTEBOOK", "Notebook"),
    Kind("application", "APPLICATION", "Application"),
)

BY_REGISTRY: Mapping[str, Kind] = {kind.registry: kind for kind in KINDS}
BY_ENUM: Mapping[str, Kind] = {kind.enum: kind for kind in KINDS}

#: which of them the real server gives a status, an `exists` and raw aspects (read off its introspection)
_NO_STATUS = frozenset({"Incident", "Tag", "CorpUser", "CorpGroup", "DataPlatform", "StructuredPropertyEntity"})
_NO_EXISTS = frozenset(
    {"Incident", "Tag", "SchemaFieldEntity", "DataPlatform", "DataPlatformInstance", "OwnershipTypeEntity"}
)
_NO_ASPECTS = frozenset(
    {
        "Incident",
        "SchemaFieldEntity",
        "DataProcessInstance",
        "DataPlatform",
        "DataPlatformInstance",
        "OwnershipTypeEntity",
        "StructuredPropertyEntity",
    }
)
_WALKABLE = frozenset(
    {
        "Dataset",
        "SchemaFieldEntity",
        "Dashboard",
        "Chart",
        "DataFlow",
        "DataJob",
        "DataProcessInstance",
        "MLModel",
        "MLModelGroup",
        "MLFeature",
        "MLPrimaryKey",
        "MLFeatureTable",
    }
)


def render_sdl() -> str:
    """The whole schema as text."""
    roots = " ".join(f"{kind.root}(urn: String!): {kind.type}" for kind in KINDS if kind.root)
    query = (
        "type Query { me: AuthenticatedUser appConfig: AppConfig entity(urn: String!): Entity "
        "entityExists(urn: String!): Boolean "
        "entities(urns: [String!]!, checkForExistence: Boolean): [Entity] "
        "searchAcrossEntities(input: SearchAcrossEntitiesInput!): SearchResults "
        "scrollAcrossEntities(input: ScrollAcrossEntitiesInput!): ScrollResults "
        f"scrollAcrossLineage(input: ScrollAcrossLineageInput!): ScrollAcrossLineageResults {roots} }}"
    )
    members = f"enum EntityType {{ {' '.join(kind.enum for kind in KINDS)} }}"
    return "\n".join([SDL, members, query, *map(_render_kind, KINDS)])


def _render_kind(kind: Kind) -> str:
    interfaces = "Entity & EntityWithRelationships" if kind.type in _WALKABLE else "Entity"
    fields = "urn: String! type: EntityType! relationships(input: RelationshipsInput!): EntityRelationshipsResult"
    fields += "" if kind.type in _NO_STATUS else " status: Status"
    fields += "" if kind.type in _NO_EXISTS else " exists: Boolean"
    fields += "" if kind.type in _NO_ASPECTS else " aspects(input: AspectParams): [RawAspect!]"
    return f"type {kind.type} implements {interfaces} {{ {fields} {kind.fields} }}"


def require_kind(enum: str) -> Kind:
    """The kind of an EntityType member; raises `RequestRefused` (400)."""
    kind = BY_ENUM.get(enum)
    if kind is None:
        raise RequestRefused(400, f"This catalog has no entities of type {enum} in GraphQL")
    return kind
