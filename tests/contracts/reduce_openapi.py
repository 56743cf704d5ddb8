"""Makes `github_openapi.json` out of npm's @octokit/openapi: the operations that the stand-in has, and what can be checked.

Paths, methods, parameters, bodies, answers; of schemas the types, fields, choices and limits. No sentence, no example, no
address. Run by `make openapi` after npm has fetched the locked package:

    python -m tests.contracts.reduce_openapi tests/more/node_modules/@octokit/openapi tests/contracts/github_openapi.json
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from app.standin.github.asgi import ENDPOINTS

FILE: Final = "generated/api.github.com.json"
#: of a schema
_KEPT: Final = (
    *("enum", "required", "pattern", "uniqueItems"),
    *("minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum"),
)
_LISTS: Final = ("oneOf", "anyOf", "allOf")
_REF: Final = "#/components/schemas/"


def reduce_description(whole: Mapping[str, Any], version: str) -> dict[str, Any]:
    """The reduced form; its schemas are JSON Schema, whose references lead to `schemas`."""
    paths: dict[str, dict[str, Any]] = {}
    for template, method in sorted(_find_operations(whole)):
        operation = whole["paths"][template][method]
        paths.setdefault(template, {})[method] = _reduce_operation(whole, operation)
    source = f"GitHub's REST API description, by @octokit/openapi {version} (MIT), reduced by reduce_openapi.py"
    return {"source": source, "paths": paths, "schemas": _find_schemas(whole, paths)}


def _find_operations(whole: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Those that the stand-in has as well. What a parameter is called does not matter."""
    known = {
        (method, _anonymous(template)): template for template, methods in whole["paths"].items() for method in methods
    }
    for endpoint in ENDPOINTS:
        key = (endpoint.method.lower(), _anonymous(endpoint.path))
        if key in known:
            yield known[key], key[0]


def _anonymous(template: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", template)


def _reduce_operation(whole: Mapping[str, Any], operation: Mapping[str, Any]) -> dict[str, Any]:
    parameters = [_resolve(whole, one) for one in operation.get("parameters", ())]
    queries = {one["name"]: _reduce(one["schema"]) for one in parameters if one["in"] == "query"}
    found: dict[str, Any] = {"query": queries}
    if "requestBody" in operation:
        body = _resolve(whole, operation["requestBody"])
        found["body"] = _content(body) or {}
        found["body_required"] = bool(body.get("required"))
    found["answers"] = {
        status: _content(_resolve(whole, answer)) for status, answer in sorted(operation["responses"].items())
    }
    return found


def _content(described: Mapping[str, Any]) -> dict[str, Any] | None:
    """The schema of the JSON in a body, None where there is none."""
    content = described.get("content", {}).get("application/json", {})
    return _reduce(content["schema"]) if "schema" in content else None


def _resolve(whole: Mapping[str, Any], node: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in node:
        target: Any = whole
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def _reduce(schema: Mapping[str, Any]) -> dict[str, Any]:
    """OpenAPI 3.0's `nullable` becomes JSON Schema's type "null"."""
    if "$ref" in schema:
        assert schema["$ref"].startswith(_REF), schema["$ref"]
        return {"$ref": "#/schemas/" + schema["$ref"].removeprefix(_REF)}
    found: dict[str, Any] = {key: schema[key] for key in _KEPT if key in schema}
    if "type" in schema:
        found["type"] = schema["type"]
    if "properties" in schema:
        found["properties"] = {name: _reduce(inner) for name, inner in schema["properties"].items()}
    for key in _LISTS:
        if key in schema:
            found[key] = [_reduce(inner) for inner in schema[key]]
    for key in ("items", "not", "additionalProperties"):
        if isinstance(schema.get(key), Mapping):
            found[key] = _reduce(schema[key])
        elif key in schema:
            found[key] = schema[key]
    return _nullable(found) if schema.get("nullable") else found


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    if "type" not in schema:
        return {"anyOf": [{"type": "null"}, schema]}
    choices = {"enum": [*schema["enum"], None]} if "enum" in schema and None not in schema["enum"] else {}
    return {**schema, "type": [schema["type"], "null"], **choices}


def _find_schemas(whole: Mapping[str, Any], paths: Mapping[str, Any]) -> dict[str, Any]:
    """Every schema that the operations refer to, and those that these refer to."""
    found: dict[str, Any] = {}
    left = list(_find_references(paths))
    while left:
        name = left.pop()
        if name not in found:
            found[name] = _reduce(whole["components"]["schemas"][name])
            left += _find_references(found[name])
    return dict(sorted(found.items()))


def _find_references(node: Any) -> Iterator[str]:
    if isinstance(node, Mapping):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"].removeprefix("#/schemas/")
        for inner in node.values():
            yield from _find_references(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _find_references(inner)


def render(reduced: Mapping[str, Any]) -> str:
    """One operation and one schema a line, so that a later version is a readable difference."""

    def rows(values: Mapping[str, Any]) -> str:
        return ",\n".join(
            f"{json.dumps(name)}:{json.dumps(one, separators=(',', ':'))}" for name, one in values.items()
        )

    source = json.dumps(reduced["source"])
    return (
        f'{{"source":{source},\n"paths":{{\n{rows(reduced["paths"])}}},\n"schemas":{{\n{rows(reduced["schemas"])}}}}}\n'
    )


def read_package(package: Path) -> str:
    """The reduced form of an unpacked package, as it is committed."""
    version = json.loads((package / "package.json").read_text())["version"]
    return render(reduce_description(json.loads((package / FILE).read_text()), version))


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(read_package(Path(sys.argv[1])))
