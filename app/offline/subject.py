"""What a person means who types `RELATION` or `RELATION.COLUMN`: found among the names that SQL and the catalog know. Pure.

A person may leave out leading parts; a name is taken only if one relation fits. What fits nothing, or too much, is a
`Permanent` whose message lists the names that are near.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from app.trail import Naming, bare, split_relation
from app.words import Permanent

#: `--column` with this: the relation as a whole; among columns: there may be others
WHOLE = "*"
MOST_NAMES = 5  # in a sentence


@dataclass(frozen=True, slots=True)
class Subject:
    """`column` None: the whole relation. The relation is named as SQL or the catalog names it."""

    relation: str
    column: str | None

    @property
    def title(self) -> str:
        return f"{self.relation}.{self.column}" if self.column else f"{self.relation} as a whole"


def find_subjects(text: str, column: str | None, names: Iterable[str], naming: Naming) -> tuple[Subject, ...]:
    """The one or two things that the text may mean. `column` is what `--column` says. Raises `Permanent`."""
    parts = split_relation(text.strip())
    known = sorted(set(names))
    whole = find_fitting(parts, known, naming)
    if column is not None:
        if not whole:
            raise Permanent(_render_missing(text, known))
        return (Subject(_only(text, whole), None if column == WHOLE else column),)
    owners = find_fitting(parts[:-1], known, naming)
    found = [Subject(_only(text, whole), None)] if whole else []
    if owners:
        found.append(Subject(_only(".".join(parts[:-1]), owners), parts[-1]))
    if not found:
        raise Permanent(_render_missing(text, known))
    return tuple(found)


def choose_subject(text: str, subjects: Sequence[Subject], columns_of: Callable[[str], frozenset[str]]) -> Subject:
    """The one that is meant, its column as SQL folds it.

    `columns_of`: all columns that anything names of a relation, and "*" where it may have others. Raises `Permanent` where
    both stay possible, or where there can be no such column.
    """
    settled = [(subject, _spell(subject, columns_of(subject.relation))) for subject in subjects]
    possible = [Subject(s.relation, column) for s, column in settled if s.column is None or column is not None]
    if len(possible) > 1:
        first, second = possible
        raise Permanent(
            f"{text} may be {first.title} or the column {second.title}; say which: "
            f"{first.relation} --column '{WHOLE}', or {second.relation} --column {second.column}"
        )
    if possible:
        return possible[0]
    subject = subjects[0]
    columns = sorted(columns_of(subject.relation))
    near = _near(subject.column or "", columns) or columns[:MOST_NAMES]
    raise Permanent(f"{subject.relation} has no column {subject.column} that anything names; there is {_list(near)}")


def find_fitting(parts: Sequence[str], names: Iterable[str], naming: Naming) -> tuple[str, ...]:
    """Relations that the name fits: the whole name, else the end of it, else with leading parts that nobody else writes."""
    wanted = [bare(part).lower() for part in parts]
    ranks: dict[int, dict[str, str]] = {}
    for name in names if wanted else ():
        stored = [bare(part).lower() for part in split_relation(name)]
        size = min(len(wanted), len(stored))
        if size and wanted[-size:] == stored[-size:]:
            rank = 0 if len(wanted) == len(stored) else 1 if size == len(wanted) else 2
            if rank < 2 or size > 1:  # the last part alone says too little about a longer name
                ranks.setdefault(rank, {}).setdefault(naming.key(name), name)
    return tuple(ranks[min(ranks)].values()) if ranks else ()


def _only(text: str, names: Sequence[str]) -> str:
    if len(names) > 1:
        raise Permanent(f"{text} may be {_list(names)}; write more of the name")
    return names[0]


def _spell(subject: Subject, columns: frozenset[str]) -> str | None:
    """The column as it is known: exactly, else in another case where that is one column; None where there is none."""
    if subject.column is None or subject.column in columns:
        return subject.column
    wanted = bare(subject.column).lower()
    same = sorted(column for column in columns if bare(column).lower() == wanted)
    if wanted in same or (not same and WHOLE in columns):
        return wanted
    return same[0] if len(same) == 1 else None


def _render_missing(text: str, names: Sequence[str]) -> str:
    near = _near(text.lower(), names)
    hint = f"near are {_list(near)}" if near else f"{len(names)} relations are known"
    return f"nothing in the repository or the catalog names a relation {text}, or one that it is a column of; {hint}"


def _near(text: str, names: Sequence[str]) -> list[str]:
    """Names that look like the text, whole or by their last part; a text with a column is tried without it too."""
    head = text.rpartition(".")[0]
    lasts: dict[str, list[str]] = {}
    for name in names:
        lasts.setdefault(split_relation(name)[-1], []).append(name)
    found: dict[str, None] = {}
    for tried in filter(None, (text, head)):
        found |= dict.fromkeys(difflib.get_close_matches(tried, names, n=MOST_NAMES))
        for last in difflib.get_close_matches(tried.rpartition(".")[2], list(lasts), n=MOST_NAMES):
            found |= dict.fromkeys(lasts[last])
    return list(found)


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return (", ".join(names[:MOST_NAMES]) or "nothing known of it") + more
