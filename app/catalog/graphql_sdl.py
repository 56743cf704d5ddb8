"""The fixed part of the GraphQL schema, in SDL; `graphql_schema` adds the entity types and the roots that read them."""

from __future__ import annotations

SDL = """
scalar Long
interface Entity { urn: String! type: EntityType! relationships(input: RelationshipsInput!): EntityRelationshipsResult }
interface EntityWithRelationships implements Entity {
  urn: String! type: EntityType! relationships(input: RelationshipsInput!): EntityRelationshipsResult
}
union OwnerType = CorpUser | CorpGroup
enum RelationshipDirection { INCOMING OUTGOING }
enum LineageDirection { UPSTREAM DOWNSTREAM }
enum IncidentType { FRESHNESS VOLUME FIELD SQL DATA_SCHEMA OPERATIONAL CUSTOM }
enum IncidentState { ACTIVE RESOLVED }
enum IncidentStage { TRIAGE INVESTIGATION WORK_IN_PROGRESS FIXED NO_ACTION_REQUIRED }
enum IncidentPriority { LOW MEDIUM HIGH CRITICAL }
enum IncidentSourceType { MANUAL ASSERTION_FAILURE }
enum FilterOperator {
  CONTAIN EQUAL IEQUAL IN EXISTS GREATER_THAN GREATER_THAN_OR_EQUAL_TO LESS_THAN LESS_THAN_OR_EQUAL_TO START_WITH END_WITH
  DESCENDANTS_INCL ANCESTORS_INCL RELATED_INCL
}
enum SortOrder { ASCENDING DESCENDING }

type AuthenticatedUser { corpUser: CorpUser! }
type AppConfig { appVersion: String }
type AuditStamp { time: Long! actor: String }
type Status { removed: Boolean! }
type RawAspect { aspectName: String! payload: String }
type SubTypes { typeNames: [String!] }
type CustomPropertiesEntry { key: String! value: String associatedUrn: String! }
type DatasetProperties { name: String! description: String externalUrl: String customProperties: [CustomPropertiesEntry!] }
type DataJobProperties { name: String! description: String externalUrl: String customProperties: [CustomPropertiesEntry!] }
type MLModelProperties {
  name: String description: String externalUrl: String mlFeatures: [String!] tags: [String!] groups: [MLModelGroup]
  customProperties: [CustomPropertiesEntry!]
}
type MLFeatureProperties { description: String sources: [Dataset] customProperties: [CustomPropertiesEntry!] }
type SchemaFieldRef { urn: String! path: String! }
type FineGrainedLineage {
  upstreams: [SchemaFieldRef!] downstreams: [SchemaFieldRef!] query: String transformOperation: String
}
type EntityRelationshipsResult { start: Int count: Int total: Int relationships: [EntityRelationship!]! }
type EntityRelationship { type: String! direction: RelationshipDirection! entity: Entity created: AuditStamp }
type IncidentStatus { state: IncidentState! stage: IncidentStage message: String lastUpdated: AuditStamp! }
type IncidentSource { type: IncidentSourceType! source: Entity }
type EntityIncidentsResult { start: Int! count: Int! total: Int! incidents: [Incident!]! }
type ExtraProperty { name: String! value: String! }
type SearchResult { entity: Entity! extraProperties: [ExtraProperty!] }
type SearchResults { start: Int! count: Int! total: Int! searchResults: [SearchResult!]! }
type ScrollResults { nextScrollId: String count: Int! total: Int! searchResults: [SearchResult!]! }
type EntityPath { path: [Entity]! }
type SearchAcrossLineageResult { entity: Entity! paths: [EntityPath] degree: Int! degrees: [Int!] }
type ScrollAcrossLineageResults {
  nextScrollId: String count: Int! total: Int! searchResults: [SearchAcrossLineageResult!]! isPartial: Boolean
}

input RelationshipsInput {
  types: [String!]! direction: RelationshipDirection! start: Int count: Int includeSoftDelete: Boolean = true
  relatedEntityTypes: [String!]
}
input AspectParams { autoRenderOnly: Boolean aspectNames: [String!] }
input FacetFilterInput { field: String! values: [String!] negated: Boolean condition: FilterOperator }
input AndFilterInput { and: [FacetFilterInput!] }
input SortCriterion { field: String! sortOrder: SortOrder! }
input SearchSortInput { sortCriterion: SortCriterion sortCriteria: [SortCriterion!] }
input SearchFlags {
  skipCache: Boolean maxAggValues: Int fulltext: Boolean skipHighlighting: Boolean skipAggregates: Boolean
  getSuggestions: Boolean includeSoftDeleted: Boolean includeRestricted: Boolean
}
input SearchAcrossEntitiesInput {
  types: [EntityType!] query: String! start: Int count: Int filters: [FacetFilterInput!] orFilters: [AndFilterInput!]
  viewUrn: String searchFlags: SearchFlags sortInput: SearchSortInput
}
input ScrollAcrossEntitiesInput {
  types: [EntityType!] query: String! scrollId: String keepAlive: String count: Int orFilters: [AndFilterInput!]
  viewUrn: String searchFlags: SearchFlags sortInput: SearchSortInput
}
input ScrollAcrossLineageInput {
  urn: String direction: LineageDirection! types: [EntityType!] query: String scrollId: String keepAlive: String count: Int
  orFilters: [AndFilterInput!] startTimeMillis: Long endTimeMillis: Long searchFlags: SearchFlags
}
input IncidentStatusInput { state: IncidentState! stage: IncidentStage message: String }
input IncidentSourceInput { type: IncidentSourceType! }
input RaiseIncidentInput {
  id: String type: IncidentType! customType: String title: String description: String resourceUrn: String
  resourceUrns: [String!] startedAt: Long source: IncidentSourceInput status: IncidentStatusInput
  priority: IncidentPriority assigneeUrns: [String!]
}
input UpdateIncidentInput {
  title: String description: String startedAt: Long status: IncidentStatusInput priority: IncidentPriority
  resourceUrns: [String!] assigneeUrns: [String!]
}
input CreateTagInput { id: String name: String! description: String }
input TagAssociationInput { tagUrn: String! resourceUrn: String! }

type Mutation {
  raiseIncident(input: RaiseIncidentInput!): String
  updateIncidentStatus(urn: String!, input: IncidentStatusInput!): Boolean
  updateIncident(urn: String!, input: UpdateIncidentInput!): Boolean
  createTag(input: CreateTagInput!): String
  addTag(input: TagAssociationInput!): Boolean
  removeTag(input: TagAssociationInput!): Boolean
}
"""
