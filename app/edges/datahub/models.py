"""Every model of the catalog with the few aspects that say what it takes, and the features that they do: a request for
thousands of either.

Served from DataHub's search index, so that a model registered seconds ago may be missing. What it adds to a walk (training
data) is told nowhere else. A listing that does not come whole is an exception, never a short answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from app.edges.datahub.aspects import AspectReader, parse_rows
from app.edges.datahub.listing import fetch_listing, fetch_scrolled, find_failure
from app.edges.datahub.wire import DataHubWire, Tally, Unusable
from app.trail import ModelListing

ASPECTS: Final = ("status", "deprecation", "globalTags", "mlModelProperties", "mlModelTrainingData")

#: beyond this, a walk asks for those alone whose names it meets
MOST_FEATURES: Final = 1500


async def fetch_models(wire: DataHubWire, reader: AspectReader, *, most: int) -> ModelListing:
    """Raises `Transient` for a listing cut short, `Permanent` above `most`."""
    tally = Tally()
    try:
        found = await _scroll(wire, tally, most)
    except Unusable as exc:
        if exc.status not in (404, 405):
            raise find_failure(wire, "mlModel", exc) from None
        found = ModelListing.of(await reader.fetch(await fetch_listing(wire, "mlModel", most=most, tally=tally), tally))
    taken = {edge.destination for edge in found.consumed}
    features = await reader.fetch(taken, tally) if len(taken) <= MOST_FEATURES else {}
    return replace(found, features=features, reasons=tuple(dict.fromkeys(tally.reasons)), requests=tally.requests)


async def _scroll(wire: DataHubWire, tally: Tally, most: int) -> ModelListing:
    found = ModelListing()
    async for rows in fetch_scrolled(wire, "mlModel", ASPECTS, tally, most=most):
        urns = [str(row["urn"]) for row in rows]
        found = found.joined(ModelListing.of(parse_rows(list(rows), "mlModel", urns, tally)))
    return found
