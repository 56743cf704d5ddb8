"""GitHub at the other end: `GitHubForges` fulfils `app.ports.Forges` with githubkit. Decides nothing, retries nothing."""

from app.edges.github.app import App, Credentials, FailedDelivery, Hook, Installation
from app.edges.github.forge import InstallationForge
from app.edges.github.forges import GitHubForges
from app.edges.github.wire import Budget

__all__ = [
    "App",
    "Budget",
    "Credentials",
    "FailedDelivery",
    "GitHubForges",
    "Hook",
    "Installation",
    "InstallationForge",
]
