"""A delivery's payload, read by the paths of the few fields that a request takes; everything else is ignored.

GitHub adds, drops and nulls fields without notice, and its published schema rejects real payloads; so nothing is required
here but what a job cannot do without. A payload that lacks such a field raises `MalformedDelivery`; the route answers 400 and
the failure stands in GitHub's delivery log.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, Final, TypeVar

from app.codec import Misfit, decode
from app.requests import JobRequest

R = TypeVar("R", bound=JobRequest)
Scalar = str | int | float | bool | None
#: half a character of UTF-16, which no encoding takes, and the character that Postgres refuses; JSON can escape both
NO_TEXT: Final = re.compile("[\ud800-\udfff\\0]")
#: an id or a number beyond it fits no row, and is none of GitHub's
LARGEST: Final = 2**63 - 1


class MalformedDelivery(Exception):  # noqa: N818 - says what the payload is, like the words of the house
    """A delivery we act on lacks a field we need; the message names it, and quotes nothing of what strangers wrote."""


@dataclass(frozen=True, slots=True)
class Payload:
    """`event` is what `X-GitHub-Event` says. Paths are dotted names."""

    event: str
    delivery: str
    body: Mapping[str, Any]

    def build(self, of: type[R], paths: Mapping[str, str], **given: object) -> R:
        """The request whose fields stand at `paths` or are `told`. What is absent or null gets the field's default."""
        found: dict[str, object] = {"delivery": self.delivery, **given}
        required = {field.name for field in fields(of) if field.default is MISSING}
        for name, path in paths.items():
            value = self.get(path)
            if value is not None:
                found[name] = value
            elif name in required:
                raise self.malformed(self._find_gap(path), "missing")
        try:
            return decode(of, found)
        except Misfit as error:
            first, *rest = map(str, error.where or ("",))
            raise self.malformed(".".join((paths.get(first, first), *rest)), error.kind) from None

    def get(self, path: str) -> Scalar:
        """None where the value, or something on the way to it, is absent or null."""
        node = self._walk(path)
        if not isinstance(node, str | int | float | bool | None):
            raise self.malformed(path, "not a plain value")
        if isinstance(node, str) and NO_TEXT.search(node):
            raise self.malformed(path, "not a text")
        if isinstance(node, int) and not 0 <= node <= LARGEST:
            raise self.malformed(path, "out of range")
        return node

    def has(self, path: str) -> bool:
        """Whether something stands there, however it looks."""
        return self._walk(path) is not None

    def get_each(self, path: str, names: Sequence[str]) -> list[list[Scalar]]:
        """Of each item of a list, what it has under `names`."""
        items = self._walk(path)
        if not isinstance(items, list | None):
            raise self.malformed(path, "not a list")
        rows = [Payload(f"{self.event}: {path}", self.delivery, {"item": item}) for item in items or ()]
        return [[row.get(f"item.{name}") for name in names] for row in rows]

    def malformed(self, path: str, what: str) -> MalformedDelivery:
        return MalformedDelivery(f"{self.event}: {path}: {what}")

    def _walk(self, path: str) -> Any:
        node: Any = self.body
        for name in path.split("."):
            if node is None:
                return None
            if not isinstance(node, Mapping):
                raise self.malformed(path, "not in an object")
            node = node.get(name)
        return node

    def _find_gap(self, path: str) -> str:
        """The first part of the path that is not there."""
        parts = path.split(".")
        steps = [".".join(parts[: n + 1]) for n in range(len(parts))]
        return next(step for step in steps if self._walk(step) is None)
