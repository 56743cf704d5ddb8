"""What would break if a column went: the answer as JSON with fixed keys for programs, and as text for people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from app.trail import Found, find_title
from app.words import Unknown


@dataclass(frozen=True, slots=True)
class ReachedModel:
    """A model that would lose an input. `trail` are urns, the column's own relation first; dates are ISO days."""

    model: str
    name: str
    features: tuple[str, ...]
    owner: str
    last_trained: str
    last_trained_rule: str
    serving: str
    serving_rule: str
    trail: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WhatIf:
    """`column` None: the whole relation. `readers` are sure; who may be one is among the `unknown`.

    `with_catalog` False: nobody was asked for models. `files_read` counts the files that were looked at.
    """

    relation: str
    column: str | None
    readers: tuple[Found, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    models: tuple[ReachedModel, ...] = ()
    with_catalog: bool = True
    files_read: int = 0


def what_if_json(answer: WhatIf) -> dict[str, Any]:
    """The keys are a contract with outside programs: add, never rename."""
    return {
        "relation": answer.relation,
        "column": answer.column,
        "readers": [
            {
                "path": found.path,
                "line": found.line,
                "clause": found.clause,
                "direct": found.direct,
                "through": list(found.through),
            }
            for found in answer.readers
        ],
        "unknown": [{"path": unknown.path, "why": _why(unknown)} for unknown in answer.unknown],
        "models": [asdict(model) for model in answer.models],
        "models_known": answer.with_catalog,
    }


def what_if_text(answer: WhatIf) -> str:
    """What a person needs, readers first, no colour."""
    return "\n".join(_lines(answer)) + "\n"


def _lines(answer: WhatIf) -> Iterable[str]:
    title = f"{answer.relation}.{answer.column}" if answer.column else answer.relation
    models = _count(len(answer.models), "model") if answer.with_catalog else "models not known"
    yield f"If {title} were dropped: {_count(len(answer.readers), 'reader')}, {models}"
    direct = [found for found in answer.readers if found.direct]
    if direct:
        yield from ("", "Readers:", *map(_reader, direct))
    if further := [found for found in answer.readers if not found.direct]:
        yield from ("", "Readers of what is computed from it:", *map(_reader, further))
    for model in answer.models:
        yield from ("", f"MODEL  {model.name}", *_model(model))
    if not answer.with_catalog:
        yield from ("", "Models are not known without a catalog: give --catalog, or set TETHER_DATAHUB_URL.")
    for unknown in answer.unknown:
        yield from ("", f"UNKNOWN  {_why(unknown)}")
        if unknown.path:
            yield f"  {unknown.path}:{unknown.line or 1}"
    yield from ("", f"Looked at: {_count(answer.files_read, 'file')}.")


def _reader(found: Found) -> str:
    through = f"  (through {', '.join(found.through)})" if found.through else ""
    return f"  {found.path}:{found.line}  {found.clause}: {found.evidence.text}{through}"


def _model(model: ReachedModel) -> Iterable[str]:
    yield f"  owner         {model.owner}"
    yield f"  last trained  {model.last_trained} ({model.last_trained_rule})"
    yield f"  serving       {model.serving} ({model.serving_rule})"
    yield f"  trail         {' -> '.join(map(find_title, model.trail))}"


def _why(unknown: Unknown) -> str:
    return f"{unknown.what}: {unknown.why}" if unknown.what else unknown.why


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
