"""When a model was last trained, as an ISO day; "unknown" rather than the time somebody ingested its metadata."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from app.trail.aspects import find_properties, find_rows, find_texts
from app.trail.graph import LineageGraph
from app.trail.urns import find_type

UNKNOWN: Final = "unknown"
_DAY_MS: Final = 86_400_000
_ISO_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


def find_last_trained(model: str, graph: LineageGraph) -> str:
    """The end of the newest completed training run, else when the model's version was made. Exposures have neither."""
    if find_type(model) != "mlModel":
        return UNKNOWN
    listed = find_texts(graph.aspect(model, "mlModelProperties"), "trainingJobs")
    jobs = dict.fromkeys((*listed, *graph.destinations(model, "TrainedBy")))
    ends = sorted(end for job in jobs for end in _ends(job, graph))
    return ends[-1] if ends else _made(graph.aspect(model, "mlModelProperties"))


def find_training_runs(models: Iterable[str], graph: LineageGraph) -> frozenset[str]:
    """The runs whose last event tells when one of these models was trained: a time series, which no walk fetches."""
    return frozenset(
        run
        for model in models
        for run in graph.destinations(model, "TrainedBy")
        if find_type(run) == "dataProcessInstance" and not graph.removed(run)
    )


def _ends(job: str, graph: LineageGraph) -> Iterator[str]:
    """Days on which the run or job ended. A run's event carries its time; SageMaker writes it among the job's properties."""
    event = graph.aspect(job, "dataProcessInstanceRunEvent")
    for row in (event, *find_rows(event, "events")):
        if row.get("status") == "COMPLETE" and (day := find_day(row.get("timestampMillis"))):
            yield day
    text = find_properties(graph.aspect(job, "dataJobInfo")).get("TrainingEndTime", "")
    if found := _ISO_DAY.search(text):
        yield found.group()


def _made(properties: Mapping[str, Any]) -> str:
    """`created` is when the version was registered; `date` is its older name. A time of 0 is nobody's."""
    for field in ("created", "lastModified"):
        stamp = properties.get(field)
        if isinstance(stamp, Mapping) and (day := find_day(stamp.get("time"))):
            return day
    return find_day(properties.get("date")) or UNKNOWN


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
