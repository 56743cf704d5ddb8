"""What the records come to: a table of verdicts, the two shares that are measured, and the reasons, ranked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

Record = Mapping[str, Any]
VERDICTS = ("pass", "warn", "unassessable", "block", "crash")
MOST_REASONS = 20
#: what differs from one commit to the next inside of the same reason
_SHAPES = (
    (re.compile(r"line \d+: "), ""),
    (re.compile(r"'[^']*'"), "'..'"),
    (re.compile(r"called \S+"), "called X"),
    (re.compile(r"^\S+ is not in the catalog; nearest.*"), "X is not in the catalog; nearest is .."),
    (re.compile(r"behind it.*"), ""),
    (re.compile(r"does not parse as (\w+).*"), r"does not parse as \1"),
    (re.compile(r"columns of \S+"), "columns of X"),
)


def render_table(records: Sequence[Record]) -> Iterator[str]:
    """A line for each repository, then all of them."""
    yield (
        f"{'repository':28} {'n':>4} "
        + " ".join(f"{verdict:>12}" for verdict in VERDICTS)
        + "  cpu s: median, 95 %, most"
    )
    for name in sorted({record["repository"] for record in records}):
        yield _render_row(name, [record for record in records if record["repository"] == name])
    yield _render_row("all", records)


def _render_row(name: str, records: Sequence[Record]) -> str:
    counts = count_verdicts(records)
    seconds = sorted(record["cpu_seconds"] for record in records) or [0.0]
    places = (len(seconds) // 2, int(0.95 * (len(seconds) - 1)), len(seconds) - 1)
    numbers = " ".join(f"{counts[verdict]:12}" for verdict in VERDICTS)
    return f"{name:28} {len(records):4} {numbers}  {', '.join(f'{seconds[place]:.1f}' for place in places)}"


def count_verdicts(records: Iterable[Record]) -> Counter[str]:
    """verdict -> how many commits."""
    return Counter(record["verdict"] for record in records)


def render_shares(records: Sequence[Record], labels: Mapping[str, str]) -> Iterator[str]:
    """`labels`: commit -> "right" or "wrong", as a person says who read the diff of a block."""
    unassessable = count_verdicts(records)["unassessable"]
    yield f"unassessable: {unassessable} of {len(records)} ({_percent(unassessable, len(records))})"
    blocks = [record["sha"] for record in records if record["verdict"] == "block"]
    read = [sha for sha in blocks if sha in labels]
    wrong = sum(labels[sha] == "wrong" for sha in read)
    yield f"false blocks: {wrong} of {len(read)} that somebody read ({_percent(wrong, len(read))})"
    if unread := [sha for sha in blocks if sha not in labels]:
        yield f"blocks that nobody has read: {', '.join(sha[:12] for sha in unread)}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def render_reasons(records: Iterable[Record]) -> Iterator[str]:
    """Why commits could not be assessed, the most frequent reason first; each counts once a commit."""
    counts = Counter(
        shape
        for record in records
        if record["verdict"] == "unassessable"
        for shape in {find_shape(unknown["why"]) for unknown in record["unknowns"]}
    )
    for shape, count in counts.most_common(MOST_REASONS):
        yield f"{count:5} {shape}"


def find_shape(why: str) -> str:
    """A reason without the names of its commit."""
    for pattern, said in _SHAPES:
        why = pattern.sub(said, why)
    return why[:95]
