"""Every GraphQL document that Tether sends. A test validates each against DataHub's own schema.

Paging and types come as variables, so that one document serves every hop; nothing is ever formatted into a document.
"""

from __future__ import annotations

from typing import Final

#: Who the token is. `/config` answers without a token and therefore proves nothing about it.
IDENTITY: Final = """
query tetherIdentity {
  me {
    corpUser {
      urn
    }
  }
}
"""

#: Older servers have no relationship scroll. The relationships of each entity are an index query of their own.
RELATIONSHIPS: Final = """
query tetherRelationships($urns: [String!]!, $incoming: [String!]!, $start: Int!, $count: Int!) {
  entities(urns: $urns) {
    urn
    incoming: relationships(input: {types: $incoming, direction: INCOMING, start: $start, count: $count}) {
      total
      relationships {
        type
        entity {
          urn
        }
      }
    }
  }
}
"""

#: Every entity of one type, for servers without the OpenAPI entity scroll. Answers are cached unless told otherwise.
ENTITIES: Final = """
query tetherEntities($types: [EntityType!]!, $count: Int!, $scrollId: String) {
  scrollAcrossEntities(
    input: {types: $types, query: "*", count: $count, scrollId: $scrollId, searchFlags: {skipCache: true}}
  ) {
    nextScrollId
    total
    searchResults {
      entity {
        urn
      }
    }
  }
}
"""

_INCIDENTS: Final = """
query tetherIncidents($urn: String!, $state: IncidentState, $start: Int!, $count: Int!) {
  KIND(urn: $urn) {
    incidents(state: $state, start: $start, count: $count) {
      total
      incidents {
        urn
      }
    }
  }
}
"""

#: The incidents of an entity, newest first, by its type: those that GraphQL has a field for whose `incidents` some server
#: answers. Served from the search index: a new one may show a little later.
INCIDENTS: Final = {
    kind: _INCIDENTS.replace("KIND", kind)
    for kind in ("dataset", "chart", "dashboard", "dataFlow", "dataJob", "mlModel", "mlFeature")
}

ALL: Final = {
    "IDENTITY": IDENTITY,
    "RELATIONSHIPS": RELATIONSHIPS,
    "ENTITIES": ENTITIES,
    **{f"INCIDENTS of {kind}": document for kind, document in INCIDENTS.items()},
}
