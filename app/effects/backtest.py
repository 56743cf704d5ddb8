"""What a replay of merged history found, as JSON for programs and text for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

from app.effects.markdown import plain
from app.verdict import Word

#: what would have kept a merge from happening
RED: Final = ("block", "unassessable")
_SHA: Final = 12


@dataclass(frozen=True, slots=True)
class Replayed:
    """One merged change. `verdict` None: it touches nothing that is judged. `date` is the day of the commit, `author` its
    author's name; `models` are (name, owner) of what the red findings name; `seconds` is how long judging took."""

    commit: str
    date: str
    author: str
    subject: str
    verdict: Word | None
    title: str = ""
    rules: tuple[str, ...] = ()
    models: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Backtest:
    """`changes` are newest first; `since` is the first day looked at; `notes` say what the replay could not see."""

    since: str
    changes: tuple[Replayed, ...]
    seconds: float
    notes: tuple[str, ...] = ()


def backtest_json(found: Backtest) -> dict[str, Any]:
    """Totals, and every change that was judged; what touches no SQL is only counted."""
    judged = [one for one in found.changes if one.verdict is not None]
    red = [one for one in judged if one.verdict in RED]
    seconds = sorted(one.seconds for one in judged)
    return {
        "since": found.since,
        "merged": len(found.changes),
        "judged": len(judged),
        "verdicts": {
            word: sum(one.verdict == word for one in judged) for word in ("block", "unassessable", "warn", "pass")
        },
        "rules": dict(Counter(rule for one in red for rule in one.rules).most_common()),
        "owners": dict(Counter(owner for one in red for owner in {owner for _, owner in one.models}).most_common()),
        "seconds": {
            "total": round(found.seconds, 2),
            "median": round(seconds[len(seconds) // 2], 2) if seconds else 0.0,
            "longest": round(seconds[-1], 2) if seconds else 0.0,
        },
        "changes": [
            {
                **asdict(one),
                "seconds": round(one.seconds, 2),
                "models": [{"model": m, "owner": o} for m, o in one.models],
            }
            for one in judged
        ],
        "notes": list(found.notes),
    }


def backtest_text(found: Backtest) -> str:
    """What would have been red first, then the totals."""
    return "\n".join(_lines(found, backtest_json(found))) + "\n"


def progress(number: int, total: int, one: Replayed) -> str:
    """One line while it runs."""
    said = one.verdict or "no SQL"
    place = f"[{number:{len(str(total))}}/{total}]"
    return f"{place} {one.commit[:_SHA]} {one.date} {said:12} {one.seconds:5.1f} s  {plain(one.subject, limit=80)}"


def _lines(found: Backtest, told: dict[str, Any]) -> Iterator[str]:
    red = [one for one in found.changes if one.verdict in RED]
    yield f"{told['merged']} merged changes since {found.since}, {told['judged']} of them touch what is judged"
    counts = ", ".join(f"{count} {word}" for word, count in told["verdicts"].items())
    yield f"  {counts}" if told["judged"] else "  nothing to judge"
    for one in red:
        yield ""
        yield from _red(one)
    yield ""
    if red:
        yield "Rules:  " + _tally(told["rules"])
        if told["owners"]:
            yield "Owners: " + _tally(told["owners"])
    times = told["seconds"]
    yield f"It took {times['total']} s; a change {times['median']} s in the middle, {times['longest']} s at most."
    for note in found.notes:
        yield f"Note: {note}"


def _red(one: Replayed) -> Iterator[str]:
    yield f"{one.commit[:_SHA]}  {one.date}  {plain(one.author, limit=60)}: {plain(one.subject, limit=120)}"
    yield f"  {one.title}"
    yield f"  rules: {', '.join(one.rules) or 'none'}; judged in {one.seconds:.1f} s"
    for model, owner in one.models:
        yield f"  model {model}, owner {owner}"


def _tally(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
