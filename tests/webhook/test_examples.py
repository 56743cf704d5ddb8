"""Every example payload that is published passes through intake. They come through npm; none is kept here."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.codec import encode as to_stored
from app.requests import decode_request
from app.webhook import Ignored, find_request
from tests.more import EXAMPLES, npm_is_absent

INDEX = EXAMPLES / "api.github.com" / "index.json"
pytestmark = pytest.mark.skipif(not INDEX.exists(), reason=npm_is_absent(EXAMPLES))


def examples() -> list[tuple[str, dict[str, Any]]]:
    return [(event["name"], one) for event in json.loads(INDEX.read_text()) for one in event["examples"]]


def test_every_published_example_passes_through() -> None:
    found = [find_request(name, "d", {"installation": {"id": 1}, **example}) for name, example in examples()]
    requests = [one for one in found if not isinstance(one, Ignored)]

    assert len(examples()) >= 329
    assert {"review", "close", "rerequest", "push", "merge_group", "installation"} == {one.kind for one in requests}
    assert requests == [decode_request(json.loads(json.dumps(to_stored(one)))) for one in requests]
