"""GitHub at the other end: `GitHubForges` fulfils `app.ports.Forges` with githubkit. Decides nothing, retries nothing."""

from app.edges.github.app import AppClient, Credentials, FailedDelivery, InstallationEntry, WebhookSettings
from app.edges.github.forge import InstallationForge
from app.edges.github.forges import GitHubForges
from app.edges.github.wire import RateBudget

__all__ = [
    "AppClient",
    "Credentials",
    "FailedDelivery",
    "GitHubForges",
    "InstallationEntry",
    "InstallationForge",
    "RateBudget",
    "WebhookSettings",
]
