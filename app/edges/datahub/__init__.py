"""DataHub at the other end: what Tether asks of it and says to it. Fulfils `CatalogReads` and `CatalogWrites`."""

from app.edges.datahub.reads import DataHubReads, Server
from app.edges.datahub.writes import DataHubWrites

__all__ = ["DataHubReads", "DataHubWrites", "Server"]
