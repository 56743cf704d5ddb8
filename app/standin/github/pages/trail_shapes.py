"""The parts of a drawn trail: a box with its label in lines, a straight or curved arrow, an elbow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Final

#: a narrow character of the 12 px font is about this wide; capitals are wider, hence the margin
_CHARACTER: Final = 7.0
_LINE: Final = 16
_PAD: Final = 10
_FILLS: Final = {
    "dataset": ("#ddf4ff", "#54aeff"),
    "relation": ("#ddf4ff", "#54aeff"),
    "feature": ("#dafbe1", "#4ac26b"),
    "model": ("#fff8c5", "#d4a72c"),
    "deployment": ("#fbefff", "#c297ff"),
}
_PLAIN: Final = ("#f6f8fa", "#d1d9e0")


@dataclass(frozen=True, slots=True)
class TrailSpot:
    """Where a box stands."""

    left: int
    top: int
    width: int
    height: int

    @property
    def right(self) -> int:
        return self.left + self.width

    @property
    def middle(self) -> int:
        return self.top + self.height // 2


def measure_box(label: str, width: int) -> int:
    """How tall a box of this width must be."""
    return len(list(_lines(label, width))) * _LINE + 2 * _PAD - 4


def draw_box(spot: TrailSpot, label: str) -> str:
    """ "dataset: shop.orders loses a" is a small heading, a name, and a red line."""
    fill, stroke = _FILLS.get(_parts(label)[0], _PLAIN)
    frame = f'x="{spot.left}" y="{spot.top}" width="{spot.width}" height="{spot.height}" rx="6"'
    parts = [f'<rect {frame} fill="{fill}" stroke="{stroke}"/>']
    for number, (kind, line) in enumerate(_lines(label, spot.width)):
        at = spot.top + _PAD + 10 + number * _LINE
        parts.append(f'<text class="{kind}" x="{spot.left + _PAD}" y="{at}">{escape(line)}</text>')
    return "".join(parts)


def draw_arrow(start: TrailSpot, end: TrailSpot) -> str:
    """From the right edge of one to the left edge of the other."""
    bend = max(12, (end.left - start.right) // 2)
    first, second = f"{start.right + bend},{start.middle}", f"{end.left - bend - 6},{end.middle}"
    path = f"M{start.right},{start.middle} C{first} {second} {end.left - 6},{end.middle}"
    return f'<path class="way" d="{path}"/>{_tip(end)}'


def draw_elbow(start: TrailSpot, end: TrailSpot) -> str:
    """Down from a box and in from the left."""
    if end.left <= start.left:  # a circle closes: out to the left of both
        path = f"M{start.left},{start.middle} H{end.left - 2} V{end.middle} H{end.left}"
        return f'<path class="way" d="{path}"/>'
    path = f"M{start.left + 11},{start.top + start.height} V{end.middle} H{end.left - 6}"
    return f'<path class="way" d="{path}"/>{_tip(end)}'


def _tip(end: TrailSpot) -> str:
    return f'<path class="tip" d="M{end.left - 8},{end.middle - 4} l8,4 l-8,4 z"/>'


def _lines(label: str, width: int) -> Iterator[tuple[str, str]]:
    room = int((width - 2 * _PAD) / _CHARACTER)
    kind, name, lost = _parts(label)
    if kind:
        yield "kind", kind
    yield from (("name", line) for line in wrap_name(name, room))
    if lost:
        yield from (("lost", line) for line in wrap_name(f"loses {lost}", room))


def _parts(label: str) -> tuple[str, str, str]:
    """Kind, name, what it loses; "" for what the label does not say."""
    found = re.fullmatch(r"(?:([a-z]+): )?(.*?)(?: loses (.+))?", label, re.DOTALL)
    return (found[1] or "", found[2], found[3] or "") if found else ("", label, "")


def wrap_name(text: str, room: int) -> list[str]:
    """Lines of at most `room` characters, broken behind a dot, an underline, a comma, a dash or a space where there is one."""
    lines: list[str] = []
    line = ""
    for piece in re.findall(r"[^._, /-]*[._, /-]?", text):
        while len(line + piece.rstrip()) > room:
            if line:
                lines.append(line.rstrip())
                line = ""
            else:
                lines.append(piece[:room])
                piece = piece[room:]  # noqa: PLW2901 - what is left of it
        line += piece
    return [*lines, line.rstrip()] if line.strip() or not lines else lines
