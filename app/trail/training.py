"""When a model was last trained, as an ISO day, and what says so; "unknown" rather than the time somebody ingested its metadata.

Runs come first: the newest event that says a run ended well, whatever came after it (a later attempt that failed, one that is
still under way) and in whichever order they were written. Failing that, a job's own property, a metric with a time, and the day
on which the model's version was made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.trail.aspects import find_properties, find_rows, find_texts
from app.trail.graph import LineageGraph
from app.trail.urns import find_title, find_type

UNKNOWN: Final = "unknown"
#: a time series, which no walk fetches; its value is the latest event, or `{"events": [...]}` where that one is no end
RUN_EVENTS: Final = "dataProcessInstanceRunEvent"
_DAY_MS: Final = 86_400_000
_ISO_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Trained:
    """`day` is an ISO day or "unknown"; `rule` names what decided it."""

    day: str
    rule: str


def find_last_trained(model: str, graph: LineageGraph) -> Trained:
    """By the first rule that knows a day. Exposures have none."""
    if find_type(model) != "mlModel":
        return Trained(UNKNOWN, "an exposure tells no training")
    runs = _find_runs(model, graph)
    ended = max(((day, run) for run in runs for day in _ends(run, graph)), default=None)
    if ended is not None:
        return Trained(ended[0], f"training run {find_title(ended[1])} completed")
    unread = next((run for run in runs if run in graph.unread), None)
    if unread is not None:
        return Trained(UNKNOWN, f"the events of training run {find_title(unread)} could not be read")
    jobs = max(((day, job) for job in runs if (day := _stated(job, graph))), default=None)
    if jobs is not None:
        return Trained(jobs[0], f"TrainingEndTime of {find_title(jobs[1])}")
    properties = graph.aspect(model, "mlModelProperties")
    measured = max((day for held in (properties, *_run_properties(runs, graph)) for day in _measured(held)), default="")
    return Trained(measured, "its newest training metric") if measured else _made(properties)


def find_training_runs(models: Iterable[str], graph: LineageGraph) -> frozenset[str]:
    """The runs whose events tell when one of these models was trained."""
    return frozenset(
        run
        for model in models
        for run in _find_runs(model, graph)
        if find_type(run) == "dataProcessInstance" and not graph.removed(run)
    )


def is_success(event: Mapping[str, Any]) -> bool:
    """An event that says the run ended well. A result that was not told is none that failed."""
    result = event.get("result")
    kind = result.get("type") if isinstance(result, Mapping) else None
    return event.get("status") == "COMPLETE" and kind in (None, "SUCCESS")


def _find_runs(model: str, graph: LineageGraph) -> tuple[str, ...]:
    """Jobs and runs that the model names, and runs that name the model among what they made."""
    listed = find_texts(graph.aspect(model, "mlModelProperties"), "trainingJobs")
    made = graph.sources(model, "Produces", "DataProcessInstanceProduces")
    return tuple(dict.fromkeys((*listed, *graph.destinations(model, "TrainedBy"), *made)))


def _ends(run: str, graph: LineageGraph) -> Iterator[str]:
    event = graph.aspect(run, RUN_EVENTS)
    for row in (event, *find_rows(event, "events")):
        if is_success(row) and (day := find_day(row.get("timestampMillis"))):
            yield day


def _stated(job: str, graph: LineageGraph) -> str:
    """SageMaker writes the end of a job among its properties."""
    found = _ISO_DAY.search(find_properties(graph.aspect(job, "dataJobInfo")).get("TrainingEndTime", ""))
    return found.group() if found else ""


def _run_properties(runs: Iterable[str], graph: LineageGraph) -> Iterator[Mapping[str, Any]]:
    yield from (graph.aspect(run, "mlTrainingRunProperties") for run in runs)


def _measured(properties: Mapping[str, Any]) -> Iterator[str]:
    yield from filter(None, (find_day(row.get("createdAt")) for row in find_rows(properties, "trainingMetrics")))


def _made(properties: Mapping[str, Any]) -> Trained:
    """`created` is when the version was registered; `date` is its older name. A time of 0 is nobody's."""
    version = properties.get("version")
    tag = version.get("versionTag") if isinstance(version, Mapping) else None
    name = f"version {tag}" if tag else "its version"
    for field, did in (("created", "was registered"), ("lastModified", "was last changed")):
        stamp = properties.get(field)
        if isinstance(stamp, Mapping) and (day := find_day(stamp.get("time"))):
            return Trained(day, f"{name} {did}; no training run tells more")
    day = find_day(properties.get("date"))
    if day:
        return Trained(day, f"{name} was made; no training run tells more")
    return Trained(UNKNOWN, "neither a training run nor the model's properties tell it")


def find_day(millis: object) -> str:
    """Milliseconds since 1970 in UTC -> ISO day; "" for anything that is no such time. (Civil calendar, proleptic Gregorian.)"""
    if not isinstance(millis, int) or isinstance(millis, bool) or millis <= 0:
        return ""
    days = millis // _DAY_MS + 719_468  # from 0000-03-01, so that leap days end their year
    era, day_of_era = divmod(days, 146_097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    year = year_of_era + era * 400 + (month <= 2)
    return f"{year:04d}-{month:02d}-{day:02d}"
