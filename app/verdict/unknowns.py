"""Everything that could not be told, with the rule it falls under: the change itself, the catalog, the readers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from app.change import Removal, RemovalReport
from app.trail import Naming, Walk, find_title
from app.verdict.findings import describe, find_lost
from app.verdict.impacts import may_block
from app.verdict.rule import Impact, Question
from app.words import Config, Level, Unknown

#: relations without a dataset that are asked about one by one: more of them are one matter of naming
MOST_ASKED: Final = 3


def find_questions(
    report: RemovalReport,
    walk: Walk,
    naming: Naming,
    config: Config,
    impacts: tuple[Impact, ...],
    extra: tuple[Unknown, ...],
) -> tuple[Question, ...]:
    """In the order in which a person would settle them."""
    found = [
        *(Question("review_is_incomplete", unknown) for unknown in extra),
        *(Question("changed_sql_is_unreadable", unknown) for unknown in report.unknowns),
        *_unknown_relations(report, naming),
        *_walked(walk),
        *_unread(impacts),
        *_uncertain(impacts, config),
    ]
    return tuple(dict.fromkeys(found))


def _unknown_relations(report: RemovalReport, naming: Naming) -> Iterator[Question]:
    """Removals from relations that the catalog does not know and would: what is asked first, with how many more like it.

    A removal that may only warn leaves nothing to decide about.
    """
    lost: dict[str, list[Removal]] = {}
    for removal in report.removals:
        if removal.relation not in report.created and naming.resolve(removal.relation).urn is None:
            lost.setdefault(removal.relation, []).append(removal)
    for level in ("block", "warn"):
        firsts = [removals[0] for removals in lost.values() if _find_level(removals) == level]
        if len(firsts) > MOST_ASKED:
            yield _ask(firsts[0], naming, len(firsts) - 1, decides=level == "block")
        else:
            yield from (_ask(removal, naming, 0, decides=level == "block") for removal in firsts)


def _find_level(removals: Sequence[Removal]) -> Level:
    return "block" if any(removal.level == "block" for removal in removals) else "warn"


def _ask(removal: Removal, naming: Naming, more: int, *, decides: bool) -> Question:
    what = f"{more + 1} relations without a dataset, the first {find_lost(removal)}" if more else find_lost(removal)
    why = f"{naming.resolve(removal.relation).why}, so nobody can tell who reads {'them' if more else 'it'}"
    where = removal.evidence
    unknown = Unknown(what, why, where.path, where.line, where.repo)
    return Question("relation_is_unknown", unknown, removal, decides=decides)


def _walked(walk: Walk) -> Iterator[Question]:
    asked = {question.unknown for question in walk.questions}
    for unknown in walk.unknowns:
        if unknown not in asked:
            yield Question("lineage_is_incomplete", unknown)
    for question in walk.questions:
        decides = question.removal.level == "block" or question.unknown in walk.unknowns
        yield Question(question.rule, question.unknown, question.removal, decides=decides)
    if walk.wanted:
        why = f"{len(walk.wanted)} entities of the catalog were not looked at"
        yield Question("lineage_is_incomplete", Unknown("the walk was not finished", why))


def _unread(impacts: tuple[Impact, ...]) -> Iterator[Question]:
    """A model that loses an input, and the catalog did not tell whether it serves."""
    for impact in impacts:
        serving, removal = impact.serving, impact.removal
        if serving is None or serving.state != "unread":
            continue
        where = removal.evidence
        why = f"whether {find_title(impact.trail.model or '')}, which loses an input, serves cannot be told: {serving.rule}"
        unknown = Unknown(describe(removal), why, where.path, where.line, where.repo)
        yield Question("lineage_is_incomplete", unknown, removal, decides=removal.level == "block")


def _uncertain(impacts: tuple[Impact, ...], config: Config) -> Iterator[Question]:
    """A proven reader of something that may not be lost at all. A type that nobody could decide about only warns."""
    unsure = (i for i in impacts if not i.removal.certain and i.removal.kind != "type_changed")
    for removal in dict.fromkeys(impact.removal for impact in unsure if may_block(impact, config)):
        where = removal.evidence
        why = "whether the change takes it away depends on something that could not be told"
        unknown = Unknown(describe(removal), why, where.path, where.line, where.repo)
        yield Question("change_is_uncertain", unknown, removal, decides=removal.level == "block")
