"""The smallest change of a blocked change that keeps every input, as edits of the head's lines. Candidates only: whoever offers
one has it judged first.

In the order of preference: the old name kept beside the new one, a view under the old name, the readers moved in the same
change, and what breaks left for a later change (expand, then contract).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal, TypeAlias

from app.change import Removal
from app.verdict.masking import mask
from app.verdict.verdict import Finding
from app.words import Schema

Kind: TypeAlias = Literal["alias", "view", "reader", "expand", "later"]
_ORDER: Final[tuple[Kind, ...]] = ("alias", "view", "reader", "expand", "later")
MOST_CANDIDATES: Final = 4
MOST_EDITS: Final = 20
_SAID: Final[dict[Kind, str]] = {
    "alias": "Keep the old name, beside the new one if there is one, until its readers have moved.",
    "view": "Leave a view under the old name, until its readers have moved.",
    "reader": "Move the readers in the same change.",
    "expand": "Expand first: add the new column, fill it and keep the old one; drop that later, once its readers have moved.",
    "later": "Leave this out for now: move the readers first, and take it away in a change of its own (expand, then contract).",
}
_STATEMENT: Final = re.compile(r"(?is)\s*(?:ALTER|DROP|EXEC|CREATE)\b[^;]*;\s*")
_LONGEST_STATEMENT: Final = 30


@dataclass(frozen=True, slots=True)
class Edit:
    """Lines `first` to `last` (1-based, at the head) become `text` (no line break at its end, "" for none at all). `last` is
    `first` - 1 where nothing is replaced: the text is put before line `first`."""

    path: str
    first: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class Advice:
    """`old` are the lines that each edit replaces, for those who show it."""

    kind: Kind
    said: str
    edits: tuple[Edit, ...]
    old: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """What advice is made from: texts of the own repository (`repo`) at base and head, and the columns that the base knows."""

    base: Mapping[str, str]
    head: Mapping[str, str]
    schema: Schema
    repo: str = ""


def find_candidates(removals: Iterable[Removal], findings: Sequence[Finding], draft: Draft) -> tuple[Advice, ...]:
    """The changes worth judging, the best first; each mends every removal that a blocking finding names."""
    blocking = [one for one in findings if one.level == "block" and one.disposition == "open"]
    lost = {(one.relation, one.column) for one in blocking}
    blamed = [one for one in dict.fromkeys(removals) if one.level == "block" and _is_lost(one, lost)]
    options = [dict(_options(one, blocking, draft)) for one in blamed]
    if not options or not all(options):
        return ()
    found: dict[tuple[Edit, ...], Advice] = {}
    for kind in _ORDER:
        chosen = [(kind, each[kind]) if kind in each else _first(each) for each in options]
        edits = tuple(dict.fromkeys(edit for _, edits in chosen for edit in edits))
        if any(one == kind for one, _ in chosen) and _fits(edits) and len(edits) <= MOST_EDITS:
            said = " ".join(dict.fromkeys(_SAID[one] for one, _ in chosen))
            found.setdefault(edits, Advice(kind, said, edits, tuple(_old(edit, draft) for edit in edits)))
    return tuple(found.values())[:MOST_CANDIDATES]


def apply_edits(files: Mapping[str, str], edits: Iterable[Edit]) -> dict[str, str]:
    """The texts of the paths that are edited, as they are afterwards."""
    changed: dict[str, list[str]] = {}
    for edit in sorted(edits, key=lambda one: (one.path, -one.first, -one.last)):
        lines = changed.setdefault(edit.path, files[edit.path].split("\n") if edit.path in files else [])
        lines[edit.first - 1 : edit.last] = edit.text.split("\n") if edit.text else []
    return {path: "\n".join(lines) for path, lines in changed.items()}


def _first(options: Mapping[Kind, tuple[Edit, ...]]) -> tuple[Kind, tuple[Edit, ...]]:
    kind = next(kind for kind in _ORDER if kind in options)
    return kind, options[kind]


def _is_lost(removal: Removal, lost: set[tuple[str, str | None]]) -> bool:
    return (removal.relation, removal.column) in lost


def _options(removal: Removal, findings: Sequence[Finding], draft: Draft) -> Iterator[tuple[Kind, tuple[Edit, ...]]]:
    made: dict[Kind, tuple[Edit, ...] | None] = {
        "alias": _alias(removal, draft),
        "view": _view(removal, draft),
        "reader": _readers(removal, findings, draft),
        "expand": _expand(removal, draft),
        "later": _later(removal, draft),
    }
    for kind, edits in made.items():
        if edits:
            yield kind, edits


# --- the old name ---------------------------------------------------------------------------------------------------


def _alias(removal: Removal, draft: Draft) -> tuple[Edit, ...] | None:
    """`expression AS new` stands there once more as `expression AS old`; or an output that was left out is put back."""
    old, where = removal.column, removal.evidence
    if old is None or removal.kind not in ("output_renamed", "output_removed"):
        return None
    if removal.kind == "output_removed":
        return _put_back(removal, draft)
    line = _line(draft.head, where.path, where.line)
    item = _item(line, removal.new_name or "") if line is not None and where.side == "head" else None
    if line is None or item is None:
        return None
    lead, expression, comma = item
    first = line.rstrip() if comma else line.rstrip() + ","
    same = expression.rpartition(".")[2].lower() == old.lower()
    kept = expression if same else f"{expression} AS {old}"
    return (Edit(where.path, where.line, where.line, f"{first}\n{' ' * len(lead)}{kept}{comma}"),)


def _item(line: str, name: str) -> tuple[str, str, str] | None:
    """(what stands before it, the expression, a comma or "") of a line that is one item of a SELECT, called `name`."""
    found = re.fullmatch(r"(?i)(\s*(?:SELECT\s+)?)(\S.*?)(?:\s+AS\s+([\w\"`]+))?\s*(,?)\s*", line)
    if found is None or "--" in line or not name:
        return None
    lead, expression, alias, comma = found.groups()
    called = (alias or expression.rpartition(".")[2]).strip('"`').lower()
    named = alias is not None or re.fullmatch(r"[\w.\"`]+", expression)
    fits = called == name.strip('"').lower() and named and _is_one(expression)
    return (lead, expression, comma) if fits else None


def _is_one(expression: str) -> bool:
    """No comma outside of brackets, brackets that close, no statement's end."""
    depth = 0
    for character in mask(expression):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0 or (depth == 0 and character == ",") or character == ";":
            return False
    return depth == 0


def _put_back(removal: Removal, draft: Draft) -> tuple[Edit, ...] | None:
    """The base's own line, where it stood."""
    where = removal.evidence
    line = _line(draft.base, where.path, where.line)
    if (
        where.side != "base"
        or line is None
        or where.path not in draft.head
        or _item(line, removal.column or "") is None
    ):
        return None
    at = _find_place(draft.base[where.path], draft.head[where.path], where.line)
    if line.rstrip().endswith(","):
        return (Edit(where.path, at, at - 1, line.rstrip()),)
    before = _line(draft.head, where.path, at - 1)
    if before is None or before.rstrip().endswith((",", ";")) or not before.strip():
        return None
    return (Edit(where.path, at - 1, at - 1, f"{before.rstrip()},\n{line.rstrip()}"),)


def _find_place(before: str, after: str, line: int) -> int:
    """The line of `after` before which the line of `before` would stand."""
    matcher = SequenceMatcher(None, before.split("\n"), after.split("\n"), autojunk=False)
    for _, first, last, there, _ in matcher.get_opcodes():
        if first <= line - 1 < last:
            return there + 1
    return len(after.split("\n")) + 1


def _view(removal: Removal, draft: Draft) -> tuple[Edit, ...] | None:
    if removal.kind != "relation_renamed" or not removal.new_name:
        return None
    lines = _statement(removal, draft)
    if lines is None:
        return None
    path, first, last = lines
    text = "\n".join(draft.head[path].split("\n")[first - 1 : last])
    view = f"CREATE VIEW {removal.relation} AS SELECT * FROM {removal.new_name};"  # noqa: S608 - text for people; the judge parses it
    return (Edit(path, first, last, f"{text}\n{view}"),)


# --- the readers ----------------------------------------------------------------------------------------------------


def _readers(removal: Removal, findings: Sequence[Finding], draft: Draft) -> tuple[Edit, ...] | None:
    """Every line of the own repository that reads the old name, with the new one. None where some are elsewhere."""
    if not removal.new_name:
        return None
    old, new = (name.rpartition(".")[2].strip('"') for name in (removal.column or removal.relation, removal.new_name))
    taken = (removal.evidence.path, removal.evidence.line)
    edits = {}
    for line in (line for one in findings for line in one.evidence):
        text = _line(draft.head, line.path, line.line)
        if line.repo not in ("", draft.repo) or line.side == "catalog":
            return None
        if (
            (line.path, line.line) == taken
            or text is None
            or not re.search(rf"(?i)(?<!\w){re.escape(old)}(?!\w)", text)
        ):
            continue
        edits[line.path, line.line] = Edit(line.path, line.line, line.line, _renamed(text, old, new))
    return tuple(edits.values()) or None


def _renamed(text: str, old: str, new: str) -> str:
    """The name where it is read; where the line only hands the column on, its own name stays the old one."""
    handed = re.fullmatch(rf"(?i)(\s*(?:SELECT\s+)?(?:\w+\.)*){re.escape(old)}(\s*,?\s*)", text)
    if handed:
        return f"{handed[1]}{new} AS {old}{handed[2]}"
    return re.sub(rf"(?i)(?<!\bAS\s)(?<!\w){re.escape(old)}(?!\w)", new, text)


# --- later ----------------------------------------------------------------------------------------------------------


def _expand(removal: Removal, draft: Draft) -> tuple[Edit, ...] | None:
    """A renamed column: added under its new name and filled, the old one stays."""
    lines = _statement(removal, draft) if removal.kind == "column_renamed" else None
    native = draft.schema.get(removal.relation, {}).get(removal.column or "", "")
    if lines is None or not native or not removal.new_name:
        return None
    path, first, last = lines
    table, new = removal.relation, removal.new_name
    text = f"ALTER TABLE {table} ADD COLUMN {new} {native};\nUPDATE {table} SET {new} = {removal.column};"
    return (Edit(path, first, last, text),)


def _later(removal: Removal, draft: Draft) -> tuple[Edit, ...] | None:
    """Without the statement that takes it away; a deleted file is kept."""
    where = removal.evidence
    if removal.kind == "definition_deleted":
        gone = where.side == "base" and where.path in draft.base and where.path not in draft.head
        return (Edit(where.path, 1, 0, draft.base[where.path]),) if gone else None
    lines = _statement(removal, draft)
    return None if lines is None else (Edit(*lines, ""),)


def _statement(removal: Removal, draft: Draft) -> tuple[str, int, int] | None:
    """(path, first line, last line) of the statement that the removal stands in, if it fills whole lines and does one thing."""
    where = removal.evidence
    text = draft.head.get(where.path)
    if where.side != "head" or text is None or where.repo not in ("", draft.repo):
        return None
    lines = mask(text).split("\n")
    for last in range(where.line, min(len(lines), where.line + _LONGEST_STATEMENT) + 1):
        part = "\n".join(lines[where.line - 1 : last])
        if ";" in part:
            one = _STATEMENT.fullmatch(part) is not None and _is_one(part.strip().rstrip(";"))
            return (where.path, where.line, last) if one else None
    return None


# --- lines ----------------------------------------------------------------------------------------------------------


def _line(files: Mapping[str, str], path: str, number: int) -> str | None:
    lines = files[path].split("\n") if path in files else []
    return lines[number - 1] if 0 < number <= len(lines) else None


def _old(edit: Edit, draft: Draft) -> str:
    lines = draft.head[edit.path].split("\n") if edit.path in draft.head else []
    return "\n".join(lines[edit.first - 1 : edit.last])


def _fits(edits: Sequence[Edit]) -> bool:
    """No two touch one line."""
    taken: set[tuple[str, int]] = set()
    for edit in edits:
        lines = {(edit.path, number) for number in range(edit.first, max(edit.first, edit.last) + 1)}
        if taken & lines:
            return False
        taken |= lines
    return bool(edits)
