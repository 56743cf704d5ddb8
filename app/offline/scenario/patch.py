"""A unified diff, applied exactly or refused. Pure.

As `git diff` prints it: new, deleted and renamed files, `\\ No newline at end of file`. Written by hand, a hunk may begin with a
bare `@@`: what it keeps and removes has to stand in the file once. Nothing is ever moved, guessed or ignored to make a hunk fit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.offline.scenario.values import ExpectedLine, Files, ScenarioText

_HUNK: Final = re.compile(r"@@(?: -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@.*)?$")
_NO_NEWLINE: Final = "\\ No newline at end of file"
_IGNORED: Final = (
    "index ",
    "similarity index ",
    "dissimilarity index ",
    "new file mode 100644",
    "deleted file mode 100644",
)
_ENDS: Final = ("diff --git ", "@@")


@dataclass(frozen=True, slots=True)
class _Hunk:
    """`at` and `to` are line numbers from 1, None of a bare hunk; `old` and `new` are lines with their ends."""

    head: ExpectedLine
    at: int | None
    to: int | None
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Change:
    """Of one file; None: it is not there on that side."""

    head: ExpectedLine
    old: str | None
    new: str | None
    hunks: tuple[_Hunk, ...]


def apply_patch(lines: Sequence[ExpectedLine], files: Files) -> dict[str, ScenarioText]:
    """The files after the diff. Raises `MalformedScenario` at the line that does not fit."""
    found = dict(files)
    seen: set[str | None] = set()
    for change in _Reader(lines).read():
        if change.old in seen - {None} or change.new in seen - {None}:
            raise change.head.refuse("this file stands in the diff twice: put its hunks together, in their order")
        seen |= {change.old, change.new}
        _apply(change, files, found)
    return found


def _apply(change: _Change, files: Mapping[str, ScenarioText], found: dict[str, ScenarioText]) -> None:
    old, new = change.old, change.new
    if old is not None and (old not in files or old not in found):
        raise change.head.refuse(
            f"{old} is not there to be changed: check the path, or begin with --- /dev/null for a new file"
        )
    if new is not None and new != old and new in found:
        raise change.head.refuse(f"{new} is there already: begin with --- a/{new} to change it")
    before = files[old].data if old is not None else b""
    after = _patch(change, before)
    if old is not None and old != new:
        del found[old]
    if new is None:
        if after:
            raise change.head.refuse(
                f"{old} is deleted, but lines of it are left: remove every line of it, or name it after +++"
            )
        return
    if new == old and after == before:
        raise change.head.refuse(f"nothing of {new} changes: leave it out of the diff")
    found[new] = ScenarioText(after)


def _patch(change: _Change, before: bytes) -> bytes:
    try:
        text = before.decode()
    except UnicodeDecodeError:
        raise change.head.refuse(
            f"{change.old} is not UTF-8: write the whole new file under its path instead"
        ) from None
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    out: list[str] = []
    position = 0
    for hunk in change.hunks:
        start = _find_place(hunk, lines, position)
        out += lines[position:start]
        if hunk.to is not None and hunk.to != len(out) + (1 if hunk.new else 0):
            raise hunk.head.refuse(
                f"this hunk comes to stand at line {len(out) + 1}, not {hunk.to}: correct its +, or write @@ alone"
            )
        out += hunk.new
        position = start + len(hunk.old)
    return "".join([*out, *lines[position:]]).encode()


def _find_place(hunk: _Hunk, lines: Sequence[str], earliest: int) -> int:
    """The index of its first line. Raises where it does not fit exactly there, or bare and not exactly once."""
    size = len(hunk.old)
    if hunk.at is not None:
        start = hunk.at - 1 if size else hunk.at
        if start < earliest or tuple(lines[start : start + size]) != hunk.old:
            raise hunk.head.refuse(f"this hunk does not fit at line {hunk.at}{_differ(hunk, lines, start)}")
        return start
    if not size:
        if lines:
            raise hunk.head.refuse(
                "a bare @@ that only adds fits anywhere: give a line above or below it, with a space in front"
            )
        return 0
    places = [
        start for start in range(earliest, len(lines) - size + 1) if tuple(lines[start : start + size]) == hunk.old
    ]
    if not places:
        raise hunk.head.refuse("this hunk does not fit: no place of the file says what its lines with a space or - say")
    if len(places) > 1:
        raise hunk.head.refuse(
            f"this hunk fits in {len(places)} places: add lines around it, or line numbers (@@ -3 +3 @@)"
        )
    return places[0]


def _differ(hunk: _Hunk, lines: Sequence[str], start: int) -> str:
    for offset, old in enumerate(hunk.old):
        index = start + offset
        if index >= len(lines) or index < 0:
            return f": the file has {len(lines)} lines"
        if lines[index] != old:
            return f": line {index + 1} is {lines[index]!r}, and the hunk says {old!r}"
    return ": the hunk before it reaches further"


class _Reader:
    """Goes through the lines once."""

    def __init__(self, lines: Sequence[ExpectedLine]) -> None:
        self._lines = lines
        self._at = 0

    def read(self) -> list[_Change]:
        changes = []
        while self._at < len(self._lines):
            changes.append(self._read_change())
        return changes

    def _peek(self) -> ExpectedLine | None:
        return self._lines[self._at] if self._at < len(self._lines) else None

    def _read_change(self) -> _Change:
        first = self._lines[self._at]
        sides: dict[str, str] = {}
        while (line := self._peek()) is not None and not line.text.startswith("@@"):
            if line.text.startswith("diff --git ") and line is not first:
                break
            if line.text.startswith("--- ") and not _may_follow(line.text, sides):
                break
            self._at += 1
            key = next(
                (key for key in ("--- ", "+++ ", "rename from ", "rename to ") if line.text.startswith(key)), None
            )
            if key is not None:
                sides[key] = line.text.removeprefix(key).split("\t")[0]
            elif not line.text.startswith(("diff --git ", *_IGNORED)):
                raise line.refuse(
                    "this is no line of a diff: a file begins with --- a/path and +++ b/path, a hunk with @@"
                )
        old, new = _find_sides(first, sides)
        hunks = []
        while (line := self._peek()) is not None and line.text.startswith("@@"):
            hunks.append(self._read_hunk())
        if not hunks and "rename from " not in sides:
            raise first.refuse("no hunk follows: write @@, then the lines with a space, - or + in front")
        return _Change(first, old, new, tuple(hunks))

    def _read_hunk(self) -> _Hunk:
        head = self._lines[self._at]
        match = _HUNK.match(head.text)
        if match is None:
            raise head.refuse("a hunk begins with @@ alone or @@ -start,count +start,count @@")
        self._at += 1
        counts = None if match[1] is None else (int(match[2] or 1), int(match[4] or 1))
        old: list[str] = []
        new: list[str] = []
        while (line := self._peek()) is not None and not self._is_end(line, counts, old, new):
            self._at += 1
            self._take(line, old, new)
        if counts is not None and counts != (len(old), len(new)):
            sentence = f"this hunk has {len(old)} old and {len(new)} new lines, not {counts[0]} and {counts[1]}"
            raise head.refuse(f"{sentence}: correct the numbers, or write @@ alone")
        at, to = (None, None) if match[1] is None else (int(match[1]), int(match[3]))
        return _Hunk(head, at, to, tuple(old), tuple(new))

    def _is_end(
        self, line: ExpectedLine, counts: tuple[int, int] | None, old: Sequence[str], new: Sequence[str]
    ) -> bool:
        if counts is not None:  # a removed comment looks like the head of a file: the numbers tell which it is
            return (len(old), len(new)) == counts and line.text != _NO_NEWLINE
        following = self._lines[self._at + 1].text if self._at + 1 < len(self._lines) else ""
        return line.text.startswith(_ENDS) or (line.text.startswith("--- ") and following.startswith("+++ "))

    def _take(self, line: ExpectedLine, old: list[str], new: list[str]) -> None:
        mark, text = line.text[:1], line.text[1:] + "\n"
        if line.text == _NO_NEWLINE:
            last = self._lines[self._at - 2].text[:1]
            for side in [*([old] if last != "+" else []), *([new] if last != "-" else [])]:
                side[-1:] = [one.removesuffix("\n") for one in side[-1:]]
        elif mark in ("", " "):
            old.append(text)
            new.append(text)
        elif mark == "-":
            old.append(text)
        elif mark == "+":
            new.append(text)
        else:
            raise line.refuse("a line of a hunk begins with a space, - or +")


def _may_follow(text: str, sides: Mapping[str, str]) -> bool:
    """Whether a `--- ` line is of the file that these lines are about: its first, and of a renamed file its old name."""
    return "--- " not in sides and sides.get("rename from ") in (None, text.removeprefix("--- a/"))


def _find_sides(first: ExpectedLine, sides: Mapping[str, str]) -> tuple[str | None, str | None]:
    if ("rename from " in sides) != ("rename to " in sides) or ("--- " in sides) != ("+++ " in sides) or not sides:
        raise first.refuse(
            "a file of a diff begins with --- a/path and +++ b/path; a renamed one with rename from, rename to"
        )
    if "rename from " in sides:
        return sides["rename from "], sides["rename to "]
    found = []
    for key, prefix in (("--- ", "a/"), ("+++ ", "b/")):
        path = sides[key]
        if path != "/dev/null" and not path.startswith(prefix):
            raise first.refuse(f"{key}has to be followed by {prefix}path or /dev/null, not {path}")
        found.append(None if path == "/dev/null" else path[2:])
    if found == [None, None]:
        raise first.refuse("both sides are /dev/null: name the file on the side where it is")
    if None not in found and found[0] != found[1]:
        raise first.refuse("the two sides have different names: write rename from PATH and rename to PATH above them")
    return found[0], found[1]
