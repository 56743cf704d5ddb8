"""Everything that could not be told, with the rule it falls under: the change itself, the catalog, the readers."""

from __future__ import annotations

from collections.abc import Iterator

from app.change import RemovalReport
from app.trail import Naming, Walk, find_title
from app.verdict.findings import describe, find_lost
from app.verdict.impacts import may_block
from app.verdict.rule import Impact, Question
from app.words import Config, Unknown


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
    """A removal from a relation that the catalog does not know, unless the same change made the relation."""
    seen: set[str] = set()
    for removal in report.removals:
        named = naming.resolve(removal.relation)
        if named.urn is not None or removal.relation in seen or removal.relation in report.created:
            continue
        seen.add(removal.relation)
        where = removal.evidence
        why = f"{named.why}, so nobody can tell who reads it"
        unknown = Unknown(find_lost(removal), why, where.path, where.line, where.repo)
        yield Question("relation_is_unknown", unknown, removal)


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
