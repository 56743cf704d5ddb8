"""The events of training runs, where the latest one does not tell when a run ended well.

A batch of entities answers each with its latest event alone. A run that failed last, or is under way again, has ended before:
that stands in its earlier events, which the server lists for one run at a time.
Deliberately absent: reasons. The events tell a day and decide nothing; what could not be read is `unread`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from app.edges.datahub.aspects import Aspects
from app.edges.datahub.gathering import gather_or_cancel
from app.edges.datahub.wire import DataHubWire, Tally, Unusable
from app.trail import RUN_EVENTS, is_success
from app.words import Permanent

MOST_RUNS: Final = 25  # of one review; each costs a request
MOST_EVENTS: Final = 100  # of one run, newest first


async def fetch_earlier(wire: DataHubWire, aspects: Aspects, tally: Tally) -> Aspects:
    """`aspects`, with all events of the runs whose latest one is no end: `{"events": [...]}`."""
    open_ended = sorted(urn for urn, held in aspects.items() if RUN_EVENTS in held and not is_success(held[RUN_EVENTS]))
    tally.unread.update(open_ended[MOST_RUNS:])
    asked = open_ended[:MOST_RUNS]
    found = await gather_or_cancel(_fetch_events(wire, urn, tally) for urn in asked)
    more = {urn: {RUN_EVENTS: {"events": list(events)}} for urn, events in zip(asked, found, strict=True)}
    return {urn: {**held, **more.get(urn, {})} for urn, held in aspects.items()}


async def _fetch_events(wire: DataHubWire, run: str, tally: Tally) -> tuple[Mapping[str, Any], ...]:
    body = {"urn": run, "entity": "dataProcessInstance", "aspect": RUN_EVENTS, "limit": MOST_EVENTS}
    try:
        answer = await wire.post("/aspects", body, params=[("action", "getTimeseriesAspectValues")], tally=tally)
        return tuple(_parse_events(answer))
    except (Unusable, Permanent):  # another right than the walk needs
        tally.unread.add(run)
        return ()


def _parse_events(answer: object) -> Iterable[Mapping[str, Any]]:
    """`{"value": {"values": [{"aspect": {"value": "<JSON>"}}]}}` -> events. Raises `Unusable` for another shape."""
    value = answer.get("value") if isinstance(answer, dict) else None
    rows = value.get("values") if isinstance(value, dict) else None
    if not isinstance(rows, list):
        raise Unusable("a list of events came without its values.")
    for row in rows:
        aspect = row.get("aspect") if isinstance(row, dict) else None
        text = aspect.get("value") if isinstance(aspect, dict) else None
        try:
            event = json.loads(text) if isinstance(text, str) else None
        except ValueError:
            event = None
        if not isinstance(event, dict):
            raise Unusable("an event came without its value.")
        yield event
