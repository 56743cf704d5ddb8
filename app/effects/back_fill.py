"""What a repair of the graph came to: model by model, edge by edge, and everything that was refused. Values, JSON and text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.effects.kinds import Performed
from app.effects.names import find_name
from app.repair import AspectRow, ProvenEdge, Refusal
from app.words import Evidence

MOST_NAMES = 10
MOST_EDGES = 20


@dataclass(frozen=True, slots=True)
class ModelInputs:
    """A model that serves or may. `undeclared`: those of its inputs whose columns the catalog does not tell."""

    model: str
    name: str
    inputs: tuple[str, ...]
    undeclared_before: tuple[str, ...]
    undeclared_after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Connection:
    """A feature whose columns the catalog tells now and did not before; `rows` as the catalog holds them."""

    feature: str
    rows: tuple[AspectRow, ...]


@dataclass(frozen=True, slots=True)
class BackFill:
    """`edges` are those that the catalog lacked. `mode` "dry run": nothing was written, and after is what would be.

    `unknown`: names of serving models that declare no inputs at all.
    """

    run_id: str
    mode: Literal["written", "dry run"]
    models: tuple[ModelInputs, ...] = ()
    unknown: tuple[str, ...] = ()
    features: int = 0
    edges: tuple[ProvenEdge, ...] = ()
    performed: tuple[Performed, ...] = ()
    connected: tuple[Connection, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> tuple[Performed, ...]:
        return tuple(one for one in self.performed if one.outcome in ("failed", "not allowed"))


def find_refused(refusals: Iterable[Refusal]) -> tuple[tuple[str, int, tuple[str, ...]], ...]:
    """(reason, how many features, their urns), the most frequent first; a feature counts once for each reason."""
    found: dict[str, dict[str, None]] = {}
    for refusal in refusals:
        found.setdefault(refusal.reason, {})[refusal.feature] = None
    ordered = sorted(found.items(), key=lambda item: -len(item[1]))
    return tuple((reason, len(features), tuple(features)) for reason, features in ordered)


# --- JSON ----------------------------------------------------------------------------------------------------------


def back_fill_json(done: BackFill) -> dict[str, Any]:
    """For programs; keys are only ever added."""
    return {
        "run_id": done.run_id,
        "mode": done.mode,
        "models": [
            {
                "model": one.model,
                "name": one.name,
                "inputs": list(one.inputs),
                "undeclared_before": list(one.undeclared_before),
                "undeclared_after": list(one.undeclared_after),
            }
            for one in done.models
        ],
        "models_nothing_is_known_of": list(done.unknown),
        "features": done.features,
        "edges": [edge_json(edge) for edge in done.edges],
        "performed": [{"what": one.what, "outcome": one.outcome, "detail": one.detail} for one in done.performed],
        "connected": [connection_json(one) for one in done.connected],
        "refused": [
            {"reason": reason, "count": count, "features": list(features)}
            for reason, count, features in find_refused(done.refusals)
        ],
        "refusals": [refusal_json(refusal) for refusal in done.refusals],
        "notes": list(done.notes),
    }


def edge_json(edge: ProvenEdge) -> dict[str, Any]:
    """One edge with all its lines."""
    return {
        "kind": edge.kind,
        "upstream": edge.upstream,
        "downstream": edge.downstream,
        "columns": list(edge.columns),
        "direct": edge.direct,
        "operation": edge.operation,
        "evidence": [line_json(line) for line in edge.evidence],
    }


def connection_json(one: Connection) -> dict[str, Any]:
    """A feature and the rows of aspects that connect it."""
    return {
        "feature": one.feature,
        "rows": [
            {
                "entity": row.entity,
                "aspect": row.aspect,
                "upstream": row.upstream,
                "downstream": row.downstream,
                "columns": list(row.columns),
                "transformOperation": row.operation or None,
                "evidence": [line_json(line) for line in row.evidence],
            }
            for row in one.rows
        ],
    }


def refusal_json(refusal: Refusal) -> dict[str, Any]:
    """A refusal with the place that it speaks of."""
    where = refusal.evidence
    return {
        "feature": refusal.feature,
        "reason": refusal.reason,
        "path": where.path if where else None,
        "line": where.line if where else None,
    }


def line_json(line: Evidence) -> dict[str, Any]:
    """One proving line."""
    return {"repo": line.repo, "commit": line.commit, "path": line.path, "line": line.line, "text": line.text}


# --- text ----------------------------------------------------------------------------------------------------------


def back_fill_text(done: BackFill) -> str:
    """For people; what is left to do comes last."""
    return "\n".join(_lines(done)) + "\n"


def _lines(done: BackFill) -> Iterator[str]:
    before = [one for one in done.models if one.undeclared_before]
    after = [one for one in done.models if one.undeclared_after]
    would = "would have" if done.mode == "dry run" else "have"
    yield f"{count(len(done.models), 'model')} serve or may serve; {count(done.features, 'feature')} looked at"
    yield f"{len(before)} of these models had inputs whose columns the catalog does not tell; {len(after)} {would} any now"
    for one in done.models:
        if one.undeclared_before:
            left = ", ".join(map(find_name, one.undeclared_after)) or "none"
            yield f"  {one.name}: {len(one.undeclared_before)} -> {len(one.undeclared_after)} undeclared (left: {left})"
    yield from _edge_lines(done)
    yield from _refused_lines(done)
    if done.unknown:
        yield f"Nothing is known of {count(len(done.unknown), 'serving model')} without declared inputs: {some(done.unknown)}"
    for note in done.notes:
        yield f"not looked at: {note}"
    if done.mode == "written" and any(one.outcome == "written" for one in done.performed):
        yield f"Take this run back with: tether repair --revert {done.run_id}"


def _edge_lines(done: BackFill) -> Iterator[str]:
    if done.mode == "dry run":
        yield (
            f"{count(len(done.edges), 'edge')} would be written:"
            if done.edges
            else "No edge is missing that SQL proves."
        )
    else:
        counts = Counter(one.outcome for one in done.performed)
        said = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
        yield f"Edges: {said}:" if done.performed else "No edge is missing that SQL proves."
    ordered = sorted(done.edges, key=lambda edge: not edge.direct)
    for edge in ordered[:MOST_EDGES]:
        line = edge.evidence[0]
        how = "" if edge.direct else f" ({edge.operation or 'indirect'})"
        yield f"  {find_name(edge.upstream)} -> {find_name(edge.downstream)}{how}  {place(line)}"
    if len(ordered) > MOST_EDGES:
        yield f"  and {len(ordered) - MOST_EDGES} more (--format json lists them all)"
    for one in done.failed:
        yield f"  NOT WRITTEN  {one.what}: {one.detail}"


def _refused_lines(done: BackFill) -> Iterator[str]:
    refused = find_refused(done.refusals)
    if refused:
        yield f"{count(len({one.feature for one in done.refusals}), 'feature')} with a connection that was refused:"
    for reason, _, features in refused[:MOST_EDGES]:
        yield f"  {some([find_name(feature) for feature in features])}: {reason}"
    if len(refused) > MOST_EDGES:
        yield f"  and {len(refused) - MOST_EDGES} more reasons (--format json lists them all)"


def place(line: Evidence) -> str:
    """Where a line stands, as people write it."""
    where = f"{line.repo} " if line.repo else ""
    return f"{where}{line.path}:{line.line}"


def count(number: int, one: str, many: str = "") -> str:
    """`1 edge`, `2 edges`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def some(names: Sequence[str]) -> str:
    """The first few names, and how many more."""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more
