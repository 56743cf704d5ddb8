"""DataHub's own GraphQL schema, reduced to the types that Tether touches: `datahub.graphql`, without a sentence.

Made from a server's answer to an introspection query (DataHub is licensed under Apache-2.0):

    python -m tests.contracts.datahub_schema introspection.json tests/contracts/datahub.graphql
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

from graphql import GraphQLSchema, build_client_schema, build_schema, print_schema

FILE = Path(__file__).with_name("datahub.graphql")
#: the whole answer lies beside some checkouts
INTROSPECTION = Path(__file__).parents[3] / "shared" / "contracts" / "datahub_graphql_introspection.json"
_HEAD = "# DataHub's GraphQL schema (Apache-2.0, acryldata), reduced to what Tether touches; see datahub_schema.py\n"


@cache
def read_schema() -> GraphQLSchema:
    """The committed one."""
    return build_schema(FILE.read_text(), assume_valid=True)


def render(answer: Any) -> str:
    """An introspection's answer in GraphQL's own notation."""
    return _HEAD + print_schema(build_client_schema(answer.get("data", answer))) + "\n"


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(render(json.loads(Path(sys.argv[1]).read_text())))
