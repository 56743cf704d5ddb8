"""`POST /api/graphql`: the GraphQL subset a client such as Tether sends, executed by graphql-core.

HTTP stays 200 for errors of the operation, as in GMS; a body that is no JSON object with a `query` is 400 with no body.
Limits are GMS's defaults, see `graphql_limits`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphql import ExecutionResult, GraphQLError, execute, parse, validate
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.catalog.graphql_limits import find_excess
from app.catalog.graphql_wiring import build_catalog_schema
from app.catalog.refusal import RequestRefused
from app.catalog.routing import endpoint
from app.catalog.store import CatalogStore

_TYPES = {400: "BAD_REQUEST", 403: "UNAUTHORIZED", 404: "NOT_FOUND", 409: "CONFLICT", 503: "SERVICE_UNAVAILABLE"}


class GraphQL:
    """The endpoint over one store."""

    def __init__(self, store: CatalogStore) -> None:
        self._store = store

    def routes(self) -> list[Route]:
        """GMS serves it under one path."""
        return [Route("/api/graphql", endpoint(self._execute), methods=["POST"])]

    def _execute(self, request: Request, body: Any) -> Response:  # noqa: ARG002 - everything stands in the body
        if not isinstance(body, Mapping) or not isinstance(body.get("query"), str):
            return Response(status_code=400)
        result = self._run(body)
        answer: dict[str, Any] = {"data": result.data}
        if result.errors:
            answer["errors"] = [_show_error(error) for error in result.errors]
        return JSONResponse(answer)

    def _run(self, body: Mapping[str, Any]) -> ExecutionResult:
        try:
            document = parse(body["query"])
        except GraphQLError as error:
            return ExecutionResult(None, [error])
        schema = build_catalog_schema()
        errors = validate(schema, document)
        if errors:
            return ExecutionResult(None, errors)
        excess = find_excess(document)
        if excess is not None:
            return ExecutionResult(None, [GraphQLError(excess, extensions={"classification": "ExecutionAborted"})])
        variables = body.get("variables")
        result = execute(
            schema,
            document,
            context_value=self._store,
            variable_values=dict(variables) if isinstance(variables, Mapping) else None,
            operation_name=body.get("operationName"),
        )
        if not isinstance(result, ExecutionResult):
            raise TypeError("no resolver of this schema is asynchronous")
        return result


def _show_error(error: GraphQLError) -> dict[str, Any]:
    shown: dict[str, Any] = dict(error.formatted)
    cause = error.original_error
    if cause is None:
        shown.setdefault("extensions", {"classification": "ValidationError"})
        return shown
    code = cause.status if isinstance(cause, RequestRefused) else 500
    code = 409 if code == 412 else 400 if code == 422 else code
    shown["extensions"] = {
        "code": code,
        "type": _TYPES.get(code, "SERVER_ERROR"),
        "classification": "DataFetchingException",
    }
    return shown
