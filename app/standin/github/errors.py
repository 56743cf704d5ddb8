"""GitHub's errors as exceptions: status, message, `errors`, headers. `routing` turns them into responses.

The shapes follow docs.github.com, "Troubleshooting the REST API": 422 carries `errors: [{resource, field, code}]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DOCUMENTATION = "https://docs.github.com/rest"


class GitHubError(Exception):
    """An error response. `headers` are added to it."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        errors: tuple[Any, ...] = (),
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(f"{status} {message}")
        self.status = status
        self.message = message
        self.errors = errors
        self.headers = dict(headers or {})
        self.extra = dict(extra or {})

    def body(self) -> dict[str, Any]:
        errors = {"errors": list(self.errors)} if self.errors else {}
        return {
            "message": self.message,
            **errors,
            "documentation_url": DOCUMENTATION,
            "status": str(self.status),
            **self.extra,
        }


def not_found() -> GitHubError:
    """Also what a private repository outside of one's reach looks like."""
    return GitHubError(404, "Not Found")


def bad_credentials() -> GitHubError:
    return GitHubError(401, "Bad credentials")


def requires_authentication() -> GitHubError:
    return GitHubError(401, "Requires authentication")


def not_accessible(*accepted: str) -> GitHubError:
    """403 for a missing permission; `accepted` like "checks=write" goes into the header GitHub answers with."""
    headers = {"X-Accepted-GitHub-Permissions": "; ".join(accepted)} if accepted else {}
    return GitHubError(403, "Resource not accessible by integration", headers=headers)


def invalid(resource: str, field: str, code: str, message: str | None = None) -> GitHubError:
    """422 of a failed validation with one machine-readable error."""
    error: dict[str, Any] = {"resource": resource, "field": field, "code": code}
    if message is not None:
        error["message"] = message
    return GitHubError(422, "Validation Failed", errors=(error,))


def malformed(message: str) -> GitHubError:
    """422 of a body that does not have the described shape."""
    return GitHubError(422, f"Invalid request.\n\n{message}")
