"""What `make test-more` adds: data from npm, and connectors whose dependencies cannot stand beside ours."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
PACKAGES = HERE / "node_modules" / "@octokit"
OPENAPI, EXAMPLES = PACKAGES / "openapi", PACKAGES / "webhooks-examples"


def npm_is_absent(package: Path) -> str:
    """The reason for a skip."""
    return f"npm: @octokit/{package.name} is not here (make test-more fetches it)"
