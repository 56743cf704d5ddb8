"""GitHub over local git repositories: the REST API, checks and signed webhooks that a GitHub App meets.

A stand-in that ships, for the demo and the tests. `GitHubWorld` makes and looks at things in Python, `ServingGitHub` puts it
on a port; a client sees only another base URL. Git content is real (bare repositories), everything else lives in memory.
Deliberately absent: GraphQL, issues that are no pull requests, reviews, teams, git over HTTP.
"""

from app.standin.github.errors import GitHubError
from app.standin.github.faults import Request
from app.standin.github.git_write import FileContent
from app.standin.github.records import (
    Account,
    AppRecord,
    CheckRun,
    Comment,
    Delivery,
    InstallationRecord,
    PullRecord,
    RepoRecord,
    Status,
)
from app.standin.github.serving import ServingGitHub, create_app
from app.standin.github.state import ApiLimits
from app.standin.github.world import GitHubWorld

__all__ = [
    "Account",
    "ApiLimits",
    "AppRecord",
    "CheckRun",
    "Comment",
    "Delivery",
    "FileContent",
    "GitHubError",
    "GitHubWorld",
    "InstallationRecord",
    "PullRecord",
    "RepoRecord",
    "Request",
    "ServingGitHub",
    "Status",
    "create_app",
]
