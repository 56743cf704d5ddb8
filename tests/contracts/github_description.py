"""GitHub's own description of its REST API, reduced, as a judge of requests and of answers.

`Description.find_wrong_request` and `find_wrong_answer` say what does not fit; `Watched` wraps the stand-in and keeps what
they say of everything that passes. A body whose shape was judged before is not judged again.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from jsonschema import Draft4Validator
from referencing import Registry
from referencing.jsonschema import DRAFT4
from starlette.types import ASGIApp, Message, Receive, Scope, Send

FILE = Path(__file__).with_name("github_openapi.json")
#: parameters that may hold slashes
_WIDE = ("ref", "basehead", "branch", "tree_sha", "path")
_URN = "urn:github"
#: what every operation may answer, described or not: an error, and that nothing has changed
_ERROR = {
    "type": "object",
    "required": ["message"],
    "properties": {"message": {"type": "string"}, "documentation_url": {"type": "string"}, "errors": {"type": "array"}},
}
#: errors that the description leaves out of most operations, and moves to another name
_EVERYWHERE = {"301", "304", "307", "400", "401", "403", "404", "422", "429"}


@dataclass(frozen=True)
class Operation:
    method: str
    template: str
    pattern: re.Pattern[str]
    described: Mapping[str, Any]


class Description:
    def __init__(self, reduced: Mapping[str, Any]) -> None:
        self._reduced = reduced
        self._registry: Registry[Any] = Registry().with_resource(_URN, DRAFT4.create_resource(dict(reduced)))
        self._operations = [
            Operation(method.upper(), template, _pattern(template), described)
            for template, methods in reduced["paths"].items()
            for method, described in methods.items()
        ]
        self._validators: dict[tuple[str, str, str], Draft4Validator] = {}
        self._chosen = frozenset(_find_chosen(reduced))
        self._judged: set[tuple[str, str, str, object]] = set()

    def find_operation(self, method: str, path: str) -> Operation | None:
        """The narrowest one that the path fits."""
        fitting = [one for one in self._operations if one.method == method and one.pattern.fullmatch(path)]
        return max(fitting, key=_narrowness, default=None)

    def find_wrong_request(self, method: str, path: str, query: str, body: bytes) -> list[str]:
        """What the description says against the request; nothing when it fits."""
        operation = self.find_operation(method, path)
        if operation is None:
            return [f"{method} {path}: no such operation"]
        wrong = [*self._query(operation, query), *self._body(operation, body)]
        return [f"{method} {operation.template}: {problem}" for problem in wrong]

    def find_wrong_answer(self, method: str, path: str, status: int, media: str, body: bytes) -> list[str]:
        """What the description says against the answer; one of 500 and above is a planned failure and says nothing."""
        operation = self.find_operation(method, path)
        if operation is None:
            return [] if status == 404 else [f"{method} {path}: answered {status} where GitHub has no operation"]
        if status >= 500:
            return []
        answers: Mapping[str, Any] = operation.described["answers"]
        if str(status) not in answers and str(status) not in _EVERYWHERE:
            return [f"{method} {operation.template}: GitHub never answers {status}"]
        schema = answers.get(str(status), _ERROR)
        wrong = self._answer(operation, str(status), schema if schema or status < 400 else _ERROR, media, body)
        return [f"{method} {operation.template} answered {status}: {problem}" for problem in wrong]

    def _answer(self, operation: Operation, status: str, schema: Any, media: str, body: bytes) -> Iterator[str]:
        if schema is None or status == "304":
            if body.strip() and status[0] != "3":
                yield "a body where none is described"
            return
        if "json" not in media:
            yield f"{media or 'nothing'} instead of JSON"
            return
        value = json.loads(body)
        shape = (operation.method, operation.template, status, _shape(value, self._chosen))
        if shape not in self._judged:
            validator = self._validator((operation.method, operation.template, status), schema)
            wrong = [
                f"{'.'.join(map(str, error.absolute_path))}: {_say(error)}" for error in validator.iter_errors(value)
            ]
            yield from wrong
            if not wrong:
                self._judged.add(shape)

    def _query(self, operation: Operation, query: str) -> Iterator[str]:
        known = operation.described["query"]
        for name, value in parse_qsl(query, keep_blank_values=True):
            if name not in known:
                yield f"unknown query parameter {name}"
                continue
            schema = known[name]
            typed: Any = int(value) if "integer" in self._types(schema) and value.isdecimal() else value
            validator = self._validator((operation.method, operation.template, f"?{name}"), schema)
            yield from (f"query {name}: {error.message}" for error in validator.iter_errors(typed))
            if name == "per_page" and not 1 <= int(value) <= 100:
                yield "more than 100 a page"

    def _body(self, operation: Operation, body: bytes) -> Iterator[str]:
        if "body" not in operation.described:
            if body.strip() not in (b"", b"{}"):
                yield "a body where none is described"
            return
        schema = operation.described["body"]
        if not body.strip() and not operation.described["body_required"]:
            return
        value = json.loads(body or b"{}")
        validator = self._validator((operation.method, operation.template, "body"), schema)
        for error in validator.iter_errors(value):
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

    def _types(self, schema: Mapping[str, Any]) -> list[str]:
        found = self._resolve(schema).get("type", [])
        return [found] if isinstance(found, str) else list(found)

    def _resolve(self, node: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in node:
            node = self._reduced["schemas"][node["$ref"].removeprefix("#/schemas/")]
        return node

    def _validator(self, key: tuple[str, str, str], schema: Mapping[str, Any]) -> Draft4Validator:
        if key not in self._validators:
            absolute = json.loads(json.dumps(schema).replace('"#/', f'"{_URN}#/'))
            self._validators[key] = Draft4Validator(absolute, registry=self._registry)
        return self._validators[key]


@cache
def read_description() -> Description:
    """The committed one."""
    return Description(_correct(json.loads(FILE.read_text())))


def _correct(fixed: dict[str, Any]) -> dict[str, Any]:
    """Where the description is known to be wrong about GitHub."""
    for name in ("pull-request", "pull-request-simple"):  # a fork that was deleted leaves no repository
        head = fixed["schemas"][name]["properties"]["head"]["properties"]
        head["repo"] = {"anyOf": [{"type": "null"}, head["repo"]]}
    account = fixed["paths"]["/app/installations"]["get"]["answers"]["200"]["items"]["properties"]["account"]
    for part in account["anyOf"]:  # a user or an enterprise, never both at once
        if "allOf" in part:
            part["anyOf"] = part.pop("allOf")
    return fixed


def _narrowness(operation: Operation) -> tuple[int, int]:
    return len(re.sub(r"\{\w+\}", "", operation.template)), -operation.template.count("{")


def _pattern(template: str) -> re.Pattern[str]:
    """A last parameter may be left out where the path says so (`contents`, `tarball`)."""
    parts = re.split(r"\{(\w+)\}", template.rstrip("/") or "/")
    made = [re.escape(p) if n % 2 == 0 else "(.+)" if p in _WIDE else "([^/]+)" for n, p in enumerate(parts)]
    text = "".join(made)
    whole = re.sub(r"^(.*/(?:contents|tarball))/\(\.\+\)$", r"\1(?:/.*)?", text)
    return re.compile(whole)


def _find_chosen(node: Any, name: str = "") -> Iterator[str]:
    """Fields whose values are a choice: their values are part of a shape."""
    if isinstance(node, Mapping):
        if isinstance(node.get("enum"), list) and name:
            yield name
        for key, inner in node.items():
            yield from _find_chosen(inner, name if key in ("items", "anyOf", "oneOf", "allOf") else key)
    elif isinstance(node, list):
        for inner in node:
            yield from _find_chosen(inner, name)


def _shape(value: Any, chosen: frozenset[str], name: str = "") -> object:
    """Fields and types, without what they hold; of a list the shapes that occur in it."""
    if isinstance(value, dict):
        return tuple((key, _shape(inner, chosen, key)) for key, inner in sorted(value.items()))
    if isinstance(value, list):
        return frozenset(_shape(inner, chosen, name) for inner in value)
    return (type(value).__name__, value) if name in chosen else type(value).__name__


def _say(error: Any) -> str:
    """An `anyOf` that nothing fits says why its best part did not."""
    while error.context:
        error = min(error.context, key=lambda one: len(one.context))
    return str(error.message)[:300]


@dataclass
class Watched:
    """The stand-in behind a judge. Its pages for people and its buttons are none of GitHub's operations.

    A request that does not fit may be refused (tests ask for nonsense to see that), but not taken; Tether's own must fit.
    """

    app: ASGIApp
    description: Description = field(default_factory=read_description)
    wrong: list[str] = field(default_factory=list)
    judged: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or is_page(_path_of(scope)):
            await self.app(scope, receive, send)
            return
        visit = _Visit(receive, send)
        await self.app(scope, visit.receive, visit.send)
        with self._lock:
            self.judged += 1
            self.wrong += self._judge(scope, visit)

    def _judge(self, scope: Scope, visit: _Visit) -> list[str]:
        headers = {name.decode().lower(): value.decode("latin-1") for name, value in scope["headers"]}
        method, path, query = scope["method"], _path_of(scope), scope["query_string"].decode("latin-1")
        wrong: list[str] = []
        if visit.is_read and (visit.status < 300 or headers.get("user-agent") == "tether"):
            wrong += self.description.find_wrong_request(method, path, query, visit.body)
        asked_raw = "raw" in visit.media and "raw" in headers.get("accept", "")
        if not visit.dropped and not asked_raw:  # only the JSON of an operation is described here
            wrong += self.description.find_wrong_answer(method, path, visit.status, visit.media, visit.answer)
        return wrong


class _Visit:
    """What came and what was answered, as it passes."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self.status, self.media, self.body, self.answer = 0, "", b"", b""
        self.is_read = False  # the whole of the body was; a planned failure answers without

    @property
    def dropped(self) -> bool:
        """The connection was cut on purpose: what is sent then reaches nobody."""
        return self.status in (0, 500)

    async def receive(self) -> Message:
        message = await self._receive()
        self.body += message.get("body", b"")
        self.is_read |= not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            named = {name.lower(): value for name, value in message.get("headers", ())}
            self.media = named.get(b"content-type", b"").decode("latin-1")
        self.answer += message.get("body", b"")
        await self._send(message)


def _path_of(scope: Scope) -> str:
    """As a client names it, without the prefix of GitHub Enterprise; an id instead of a name is the same operation."""
    path = str(scope["path"]).removeprefix("/api/v3") or "/"
    return re.sub(r"^/repositories/\d+(?=/|$)", "/repos/o/r", path)


def is_page(path: str) -> bool:
    """Where people and downloads go: no operation of the API."""
    return re.match(r"/(codeload|settings|organizations)/|/[^/]+/[^/]+/(pull|runs|blob)/", path) is not None
