"""GitHub's published description of its REST API, as a judge of our requests: path, query, body, lengths, unknown keys.

npm's @octokit/openapi holds it; 13 MB are not worth a place here. TETHER_GITHUB_OPENAPI names the unpacked package, its
`generated` folder or the file itself.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from jsonschema import Draft4Validator
from referencing import Registry
from referencing.jsonschema import DRAFT4

WHERE = "TETHER_GITHUB_OPENAPI"
FILE = "api.github.com.json"
#: parameters that may hold slashes
_WIDE = ("ref", "basehead", "branch", "tree_sha", "path")


def find_description() -> dict[str, Any]:
    """The description; skips the test where it is not here."""
    named = os.environ.get(WHERE)
    start = Path(named) if named else Path(__file__).parents[3] / "node_modules" / "@octokit" / "openapi"
    for place in (start, start / FILE, start / "generated" / FILE, start / "package" / "generated" / FILE):
        if place.is_file():
            found: dict[str, Any] = json.loads(place.read_text())
            return found
    pytest.skip(f"npm's @octokit/openapi is not here; unpack it and name its directory in {WHERE}")


@dataclass(frozen=True)
class Operation:
    method: str
    template: str
    pattern: re.Pattern[str]
    described: Mapping[str, Any]


class Judge:
    def __init__(self, spec: dict[str, Any]) -> None:
        self._spec = spec
        self._registry: Registry[Any] = Registry().with_resource("urn:github", DRAFT4.create_resource(spec))
        self._operations = [
            Operation(method.upper(), template, _pattern(template), described)
            for template, methods in spec["paths"].items()
            for method, described in methods.items()
            if method in ("get", "post", "patch", "put", "delete")
        ]

    def find_wrong(self, method: str, path: str, query: str, body: bytes) -> list[str]:
        """What GitHub's description says against the request; nothing when it fits."""
        fitting = [one for one in self._operations if one.method == method and one.pattern.fullmatch(path)]
        if not fitting:
            return [f"{method} {path}: no such operation"]
        operation = max(fitting, key=lambda one: (len(re.sub(r"\{\w+\}", "", one.template)), -one.template.count("{")))
        wrong = [*self._query(operation, query), *self._body(operation, body)]
        return [f"{method} {operation.template}: {problem}" for problem in wrong]

    def _query(self, operation: Operation, query: str) -> Iterator[str]:
        parameters = [self._resolve(one) for one in operation.described.get("parameters", ())]
        known = {one["name"]: one for one in parameters if one["in"] == "query"}
        for name, value in parse_qsl(query, keep_blank_values=True):
            if name not in known:
                yield f"unknown query parameter {name}"
                continue
            schema = self._resolve(known[name]["schema"])
            typed: Any = int(value) if schema.get("type") == "integer" and value.isdecimal() else value
            yield from (f"query {name}: {error.message}" for error in self._validator(schema).iter_errors(typed))
            if name == "per_page" and int(value) > 100:
                yield "more than 100 a page"

    def _body(self, operation: Operation, body: bytes) -> Iterator[str]:
        described = operation.described.get("requestBody")
        if described is None:
            if body.strip() not in (b"", b"{}"):
                yield "a body where none is described"
            return
        schema = self._resolve(described)["content"].get("application/json", {}).get("schema", {})
        value = json.loads(body or b"{}")
        for error in self._validator(schema).iter_errors(value):
            yield f"body {'.'.join(map(str, error.path))}: {error.message[:200]}"
        yield from self._unknown(schema, value, "body")

    def _unknown(self, schema: Mapping[str, Any], value: Any, at: str) -> Iterator[str]:
        """Keys that nothing describes: JSON Schema lets them pass."""
        schema = self._resolve(schema)
        if isinstance(value, list):
            for item in value:
                yield from self._unknown(schema.get("items", {}), item, f"{at}[]")
        if not isinstance(value, dict):
            return
        known = self._properties(schema)
        for name, inner in value.items() if known else ():
            if name not in known:
                yield f"unknown key {at}.{name}"
            else:
                yield from self._unknown(known[name], inner, f"{at}.{name}")

    def _properties(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        found = dict(schema.get("properties", {}))
        for part in (*schema.get("oneOf", ()), *schema.get("anyOf", ()), *schema.get("allOf", ())):
            found = {**self._properties(self._resolve(part)), **found}
        return found

    def _resolve(self, node: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in node:
            target: Any = self._spec
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part.replace("~1", "/").replace("~0", "~")]
            node = target
        return node

    def _validator(self, schema: Mapping[str, Any]) -> Draft4Validator:
        whole = json.loads(json.dumps(schema).replace('"#/', '"urn:github#/'))
        return Draft4Validator(whole, registry=self._registry)


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", template)
    made = [re.escape(p) if n % 2 == 0 else "(.+)" if p in _WIDE else "([^/]+)" for n, p in enumerate(parts)]
    return re.compile("".join(made))
