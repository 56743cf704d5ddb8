"""The GraphQL schema: the part of DataHub's that this catalog answers."""

from __future__ import annotations

from typing import Any

from graphql import GraphQLSchema, build_schema

_SDL = """
type Query { me: AuthenticatedUser appConfig: AppConfig }
type AuthenticatedUser { corpUser: CorpUser! }
type CorpUser { urn: String! }
type AppConfig { appVersion: String }
"""


def build_catalog_schema() -> GraphQLSchema:
    """The executable schema; the context value of an operation is the `CatalogStore`."""
    schema = build_schema(_SDL)
    query: Any = schema.query_type
    query.fields["me"].resolve = lambda *_: {"corpUser": {"urn": "urn:li:corpuser:datahub"}}
    query.fields["appConfig"].resolve = lambda *_: {"appVersion": "v1.7.0.1"}
    return schema
