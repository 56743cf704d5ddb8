"""Time, as templates ask for it: one fixed moment that stands any arithmetic. The day a model runs never decides its columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.render.limits import MAX_NUMBER, RenderError
from app.render.stubs import Bag, Missing

_TEXT = "2024-01-01 00:00:00"


class Moment(str):
    """A date, a time or a span: always the same text, whatever is added to it or asked of it."""

    __slots__ = ()
    year, month, day, hour, minute, second, microsecond, days, seconds = 2024, 1, 1, 0, 0, 0, 0, 1, 0

    def __new__(cls, *_args: object, **_kwargs: object) -> Moment:
        return super().__new__(cls, _TEXT)

    def _same(self, *_args: object, **_kwargs: object) -> Moment:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _same
    astimezone = date = time = replace = localize = normalize = utcnow = now = today = combine = _same
    strptime = fromisoformat = fromtimestamp = utcfromtimestamp = total_seconds = isocalendar = timetuple = _same

    def __call__(self, *_args: object, **_kwargs: object) -> Moment:
        return self

    def isoformat(self, *_args: object) -> str:
        return "2024-01-01T00:00:00"

    def strftime(self, form: object) -> str:
        """The common directives; any other becomes 01."""
        text = str(form)[:200]
        for directive, value in (("%Y", "2024"), ("%y", "24"), ("%H", "00"), ("%M", "00"), ("%S", "00"), ("%%", "%")):
            text = text.replace(directive, value)
        parts = text.split("%")
        return parts[0] + "".join(f"01{part[1:]}" for part in parts[1:])

    def weekday(self) -> int:
        return 0

    isoweekday = weekday


def make_modules(unknown: Callable[[str], object]) -> Bag:
    """dbt's `modules`. `re` is left out: an expression of a stranger can run for ever."""
    moment = Moment()
    times = dict.fromkeys(("datetime", "date", "time", "timedelta", "timezone", "tzinfo"), moment)
    members: dict[str, Any] = {
        "datetime": Bag("modules.datetime", times, unknown),
        "pytz": Bag("modules.pytz", {"utc": moment, "timezone": moment, "UTC": moment}, unknown),
        "re": Missing("modules.re is not run on the templates of strangers"),
        "itertools": Bag("modules.itertools", {"product": product, "chain": chain}, unknown),
    }
    return Bag("modules", members, unknown)


def product(*values: Any) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = [()]
    for items in values:
        given = list(items)
        if len(found) * len(given) > MAX_NUMBER:
            raise RenderError(f"itertools.product() of more than {MAX_NUMBER:,} tuples")
        found = [(*head, item) for head in found for item in given]
    return found


def chain(*values: Any) -> list[Any]:
    return [item for items in values for item in items]
