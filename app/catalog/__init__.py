"""The embedded catalog: a DataHub-compatible subset of GMS over one SQLite file.

The real `acryl-datahub` SDK and `datahub ingest` write to it, Tether's one catalog client reads it over HTTP; there is no
second code path. It serves the demo, the bench, tests, `--catalog FILE.json`, and small teams without DataHub.
Flow: http -> restli | openapi | graphql -> store -> writing | reading | scrolling -> database.
Deliberately absent: search relevance, authorisation beyond one token, Kafka, retention.
"""

from app.catalog.database import UnusableFile
from app.catalog.proposal import Proposal, Stored, Written
from app.catalog.refusal import ConditionFailed, Existing, RequestRefused
from app.catalog.serve import ServingCatalog, run
from app.catalog.server import create_app
from app.catalog.store import MEMORY, CatalogStore

__all__ = [
    "MEMORY",
    "CatalogStore",
    "ConditionFailed",
    "Existing",
    "Proposal",
    "RequestRefused",
    "ServingCatalog",
    "Stored",
    "UnusableFile",
    "Written",
    "create_app",
    "run",
]
