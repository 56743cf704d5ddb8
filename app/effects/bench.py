"""What the bench measured: each breakage reviewed before and after a repair of the graph. Values, JSON and text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from app.effects.back_fill import BackFill, connection_json, place, refusal_json
from app.effects.names import find_name
from app.words import Evidence

#: "wrong model": blocked, and the model that breaks is not among those it names
Outcome: TypeAlias = Literal["caught", "wrong model", "unassessable", "warn", "pass"]


@dataclass(frozen=True, slots=True)
class BenchCase:
    """One change as it was reviewed. `expected` is the serving model that breaks, None where nothing does.

    `lost` is what the change takes away, `reason` why it was not caught, "" where it was.
    """

    id: str
    title: str
    expected: str | None
    verdict: str
    check_title: str
    models: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    trail: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    reason: str = ""

    @property
    def outcome(self) -> Outcome:
        match self.verdict:
            case "block":
                return "caught" if self.expected in self.models else "wrong model"
            case "unassessable" | "warn":
                return self.verdict
            case _:
                return "pass"

    @property
    def caught(self) -> bool:
        return self.outcome == "caught"


@dataclass(frozen=True, slots=True)
class Round:
    """All cases, once. `clean` are those in which nothing breaks."""

    cases: tuple[BenchCase, ...]

    @property
    def breakages(self) -> tuple[BenchCase, ...]:
        return tuple(case for case in self.cases if case.expected is not None)

    @property
    def clean(self) -> tuple[BenchCase, ...]:
        return tuple(case for case in self.cases if case.expected is None)

    @property
    def caught(self) -> int:
        return sum(case.caught for case in self.breakages)


@dataclass(frozen=True, slots=True)
class Bench:
    """`repair` None: the graph was left as it is between the two rounds."""

    cold: Round
    warm: Round
    repair: BackFill | None
    seconds: float = 0.0


def bench_json(bench: Bench) -> dict[str, Any]:
    """The keys are a contract with outside programs: add, never rename."""
    repair = bench.repair
    return {
        "cold": _round_json(bench.cold),
        "warm": _round_json(bench.warm),
        "edges": [connection_json(one) for one in repair.connected] if repair else [],
        "refusals": [refusal_json(refusal) for refusal in repair.refusals] if repair else [],
        "repaired": repair is not None,
        "seconds": round(bench.seconds, 1),
    }


def _round_json(one: Round) -> dict[str, Any]:
    return {
        "caught": one.caught,
        "total": len(one.breakages),
        "cases": [_case_json(case) for case in one.breakages],
        "clean": [_case_json(case) for case in one.clean],
    }


def _case_json(case: BenchCase) -> dict[str, Any]:
    return {
        "id": case.id,
        "title": case.title,
        "expected_model": case.expected,
        "verdict": case.verdict,
        "caught": case.caught,
        "outcome": case.outcome,
        "check_title": case.check_title,
        "models": list(case.models),
        "lost": list(case.lost),
        "trail": list(case.trail),
        "evidence": [{"repo": e.repo, "path": e.path, "line": e.line, "text": e.text} for e in case.evidence],
        "reason": case.reason,
    }


# --- text ----------------------------------------------------------------------------------------------------------


def bench_text(bench: Bench) -> str:
    """For people: the numbers, each case before and after, what was written and what was refused."""
    return "\n".join(_lines(bench)) + "\n"


def _lines(bench: Bench) -> Iterator[str]:
    total = len(bench.cold.breakages)
    yield f"caught: {bench.cold.caught}/{total} -> {bench.warm.caught}/{total}"
    yield ""
    rows = [("", "change", "breaks", "cold", "warm")]
    for cold, warm in zip(bench.cold.cases, bench.warm.cases, strict=True):
        rows.append((cold.id, cold.title, cold.expected or "nothing", _word(cold), _word(warm)))
    yield from table(rows)
    for title, one in (("cold", bench.cold), ("warm", bench.warm)):
        missed = [case for case in one.breakages if not case.caught]
        if missed:
            yield ""
            yield f"Not caught, {title}:"
        for case in missed:
            yield f"  {case.id} {case.outcome}: {case.reason}"
    yield ""
    yield from _repair_lines(bench.repair)


def _word(case: BenchCase) -> str:
    if case.expected is None:
        return "clean" if case.verdict == "pass" else case.verdict
    return case.outcome


def _repair_lines(repair: BackFill | None) -> Iterator[str]:
    if repair is None:
        yield "No repair between the two rounds."
        return
    refused = {refusal.feature for refusal in repair.refusals}
    yield f"Repaired in between: {len(repair.connected)} features reconnected, {len(refused)} refused."
    for one in repair.connected:
        yield f"  {find_name(one.feature)}"
        for row in one.rows:
            how = f" ({row.operation})" if row.operation else ""
            lines = ", ".join(place(line) for line in row.evidence)
            yield f"    <- {find_name(row.upstream)}{how}  {lines}"
    for refusal in repair.refusals:
        where = f"  {place(refusal.evidence)}" if refusal.evidence else ""
        yield f"  refused  {find_name(refusal.feature)}: {refusal.reason}{where}"
    for one_failed in repair.failed:
        yield f"  NOT WRITTEN  {one_failed.what}: {one_failed.detail}"


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns as wide as their widest cell."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


# --- many scenarios ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Judged:
    """One scenario: the verdict that is right and the one that came, the models that must be named and those that were."""

    name: str
    expected: str
    verdict: str
    expected_models: tuple[str, ...] = ()
    models: tuple[str, ...] = ()

    @property
    def is_caught(self) -> bool:
        return self.expected == "block" and self.verdict == "block" and set(self.expected_models) <= set(self.models)

    @property
    def is_false_alarm(self) -> bool:
        return self.expected in ("pass", "warn") and self.verdict == "block"


@dataclass(frozen=True, slots=True)
class Suite:
    """`edges`: how many were written between the two rounds, over all scenarios."""

    path: str
    cold: tuple[Judged, ...]
    warm: tuple[Judged, ...]
    edges: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `of`, with Wilson's 95% interval (both ends between 0 and 1; 0 and 1 where there is nothing to count)."""

    count: int
    of: int

    @property
    def interval(self) -> tuple[float, float]:
        if not self.of:
            return 0.0, 1.0
        z, n, p = 1.959964, self.of, self.count / self.of
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return max(0.0, centre - half), min(1.0, centre + half)


def measure(judged: Iterable[Judged]) -> dict[str, Share]:
    """caught of those that must block, false alarms among those that must not, unassessable among all that can be told."""
    found = tuple(judged)
    must = [one for one in found if one.expected == "block"]
    must_not = [one for one in found if one.expected in ("pass", "warn")]
    tellable = [one for one in found if one.expected != "unassessable"]
    return {
        "caught": Share(sum(one.is_caught for one in must), len(must)),
        "false_alarms": Share(sum(one.is_false_alarm for one in must_not), len(must_not)),
        "unassessable": Share(sum(one.verdict == "unassessable" for one in tellable), len(tellable)),
    }


def suite_json(suite: Suite) -> dict[str, Any]:
    """For programs; keys are only ever added."""
    return {
        "suite": suite.path,
        **{name: _measured_json(found) for name, found in (("cold", suite.cold), ("warm", suite.warm))},
        "edges": suite.edges,
        "seconds": round(suite.seconds, 1),
    }


def _measured_json(found: Sequence[Judged]) -> dict[str, Any]:
    shares = {
        name: {"count": share.count, "of": share.of, "interval": [round(end, 4) for end in share.interval]}
        for name, share in measure(found).items()
    }
    wrong = [{"name": j.name, "expected": j.expected, "verdict": j.verdict} for j in _find_wrong(found)]
    return {**shares, "scenarios": len(found), "wrong": wrong}


def _find_wrong(found: Iterable[Judged]) -> list[Judged]:
    return [j for j in found if j.verdict != j.expected or (j.expected == "block" and not j.is_caught)]


def suite_text(suite: Suite) -> str:
    """For people."""
    return "\n".join(_suite_lines(suite)) + "\n"


def _suite_lines(suite: Suite) -> Iterator[str]:
    yield f"{len(suite.cold)} scenarios of {suite.path}; {suite.edges} edges written in between"
    yield ""
    cold, warm = measure(suite.cold), measure(suite.warm)
    rows: list[Sequence[str]] = [("", "cold", "95%", "warm", "95%")]
    for name in cold:
        cells = [cell for share in (cold[name], warm[name]) for cell in (f"{share.count}/{share.of}", _span(share))]
        rows.append((name.replace("_", " "), *cells))
    yield from table(rows)
    for title, found in (("cold", suite.cold), ("warm", suite.warm)):
        for one in _find_wrong(found):
            yield f"{title}: {one.name} came out {one.verdict}, not {one.expected}"


def _span(share: Share) -> str:
    low, high = share.interval
    return f"{low:.1%} to {high:.1%}"
