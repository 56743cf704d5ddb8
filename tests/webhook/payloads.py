"""Small payloads with exactly the fields that intake reads, and a few that it must overlook."""

from __future__ import annotations

import json
from hashlib import sha256
from hmac import new
from typing import Any

SECRET = "It's a Secret to Everybody"


def signature(body: bytes, secret: str = SECRET) -> str:
    return "sha256=" + new(secret.encode(), body, sha256).hexdigest()


def headers(body: bytes, event: str, *, delivery: str = "d-1", secret: str = SECRET) -> dict[str, str]:
    return {
        "X-GitHub-Event": event,
        "X-GitHub-Delivery": delivery,
        "X-Hub-Signature-256": signature(body, secret),
        "Content-Type": "application/json",
    }


def repository() -> dict[str, Any]:
    return {"id": 7, "full_name": "acme/warehouse", "default_branch": "main", "private": True}


def pull_request(action: str = "opened", **changes: Any) -> dict[str, Any]:
    pull = {
        "number": 12,
        "head": {"sha": "a" * 40, "ref": "drop", "repo": {"id": 7, "full_name": "acme/warehouse"}},
        "base": {"ref": "main", "sha": "b" * 40, "repo": repository()},
        "updated_at": "2026-11-01T10:00:00Z",
        "draft": False,
        "merged": False,
        "labels": [{"archived_at": None}],
    }
    return {
        "action": action,
        "number": 12,
        "pull_request": {**pull, **changes},
        "repository": repository(),
        "installation": {"id": 99, "node_id": "x"},
        "sender": {"login": "aman"},
    }


def encode(payload: Any) -> bytes:
    return json.dumps(payload).encode()
