"""Mermaid flowcharts of the small kind that trails are: labelled boxes in five shapes, and arrows between them.

Read line by line; a line of any other kind, and the graph is none of ours: the caller shows its source. Drawn as SVG twice,
from left to right for wide windows and from top to bottom for narrow ones; the page's style shows one of the two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import Final

from app.standin.github.pages.trail_shapes import TrailSpot, draw_arrow, draw_box, draw_elbow, measure_box

MAX_BOXES: Final = 60
MAX_ARROWS: Final = 200
#: more steps than this do not fit beside each other; they are drawn from top to bottom at any width
MAX_WIDE_STEPS: Final = 5
_BOX: Final = re.compile(r'(\w{1,40})(\[\(|\{\{|\(\[|\[\[|\[)"([^"<>]{1,400})"(\)\]|\}\}|\]\)|\]\]|\])')
_ARROW: Final = re.compile(r"(\w{1,40}) --> (\w{1,40})")
_CLOSED_BY: Final = {"[(": ")]", "{{": "}}", "([": "])", "[[": "]]", "[": "]"}
_GAP, _INDENT, _MARGIN = 34, 22, 2
_WIDE, _NARROW = 190, 300


@dataclass(frozen=True, slots=True)
class Graph:
    """`boxes`: name -> label, in the order they were declared."""

    boxes: dict[str, str]
    arrows: tuple[tuple[str, str], ...]


def parse_graph(source: str) -> Graph | None:
    """None for everything but a small flowchart of boxes and plain arrows between declared boxes."""
    first, *lines = [line.strip() for line in source.strip().splitlines()] or [""]
    if re.fullmatch(r"(flowchart|graph) (LR|RL|TB|TD|BT)", first) is None:
        return None
    boxes: dict[str, str] = {}
    arrows: list[tuple[str, str]] = []
    for line in filter(None, lines):
        if (box := _BOX.fullmatch(line)) and _CLOSED_BY[box[2]] == box[4] and box[1] not in boxes:
            boxes[box[1]] = _label(box[3])
        elif (arrow := _ARROW.fullmatch(line)) and arrow[1] in boxes and arrow[2] in boxes and arrow[1] != arrow[2]:
            arrows.append((arrow[1], arrow[2]))
        else:
            return None
    if not 0 < len(boxes) <= MAX_BOXES or len(arrows) > MAX_ARROWS:
        return None
    return Graph(boxes, tuple(dict.fromkeys(arrows)))


def _label(text: str) -> str:
    """Mermaid writes other characters as #35; (decimal)."""
    return re.sub(r"#(\d{1,7});", lambda found: chr(int(found[1])) if int(found[1]) <= 0x10FFFF else found[0], text)


def draw_graph(graph: Graph) -> str:
    """Both drawings, as HTML."""
    steps = find_steps(graph)
    name = escape("Trail: " + "; ".join(f"{graph.boxes[a]} to {graph.boxes[b]}" for a, b in graph.arrows))
    narrow = _from_top(graph, steps)
    if max(steps.values()) >= MAX_WIDE_STEPS:
        return f'<div class="trail" role="img" aria-label="{name}">{_svg("any", *narrow)}</div>'
    wide = _from_left(graph, steps)
    return f'<div class="trail" role="img" aria-label="{name}">{_svg("wide", *wide)}{_svg("narrow", *narrow)}</div>'


def find_steps(graph: Graph) -> dict[str, int]:
    """How far from the start each box stands: one more than the farthest before it. Arrows that close a circle count for
    nothing; a box without arrows comes last."""
    after: dict[str, list[str]] = {name: [] for name in graph.boxes}
    for a, b in graph.arrows:
        if a not in _reached(after, b):
            after[a].append(b)
    steps = dict.fromkeys(graph.boxes, 0)
    for _ in graph.boxes:
        for a, following in after.items():
            for b in following:
                steps[b] = max(steps[b], steps[a] + 1)
    tied = {name for arrow in graph.arrows for name in arrow}
    last = max(steps.values())
    return {name: step if name in tied else last for name, step in steps.items()}


def _reached(after: dict[str, list[str]], start: str) -> set[str]:
    found, todo = {start}, [start]
    while todo:
        fresh = [name for name in after[todo.pop()] if name not in found]
        found.update(fresh)
        todo += fresh
    return found


def _svg(kind: str, width: int, height: int, parts: list[str]) -> str:
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg class="{kind}" aria-hidden="true" {size}>{"".join(parts)}</svg>'


def _from_left(graph: Graph, steps: dict[str, int]) -> tuple[int, int, list[str]]:
    """A column a step, each centred on the tallest."""
    columns: list[list[str]] = [[] for _ in range(max(steps.values()) + 1)]
    for name, step in steps.items():
        columns[step].append(name)
    heights = {name: measure_box(label, _WIDE) for name, label in graph.boxes.items()}
    tall = max(sum(heights[name] + 12 for name in column) for column in columns)
    spots: dict[str, TrailSpot] = {}
    for step, column in enumerate(columns):
        top = _MARGIN + (tall - sum(heights[name] + 12 for name in column)) // 2
        for name in column:
            spots[name] = TrailSpot(_MARGIN + step * (_WIDE + _GAP), top, _WIDE, heights[name])
            top += heights[name] + 12
    parts = [draw_arrow(spots[a], spots[b]) for a, b in graph.arrows]
    parts += [draw_box(spot, graph.boxes[name]) for name, spot in spots.items()]
    return len(columns) * (_WIDE + _GAP) - _GAP + 2 * _MARGIN, tall + 2 * _MARGIN - 8, parts


def _from_top(graph: Graph, steps: dict[str, int]) -> tuple[int, int, list[str]]:
    """One below the other, what follows a box indented under it, as in a list of files."""
    spots: dict[str, TrailSpot] = {}
    top = _MARGIN
    for name in _in_depth(graph, steps):
        height = measure_box(graph.boxes[name], _NARROW)
        spots[name] = TrailSpot(_MARGIN + min(steps[name], 8) * _INDENT, top, _NARROW, height)
        top += height + 14
    parts = [draw_elbow(spots[a], spots[b]) for a, b in graph.arrows]
    parts += [draw_box(spot, graph.boxes[name]) for name, spot in spots.items()]
    return max(spot.right for spot in spots.values()) + _MARGIN, top - 14 + _MARGIN, parts


def _in_depth(graph: Graph, steps: dict[str, int]) -> list[str]:
    """Every box directly below the first that leads to it."""
    order: list[str] = []
    todo = sorted(graph.boxes, key=lambda name: -steps[name])
    todo.reverse()  # nearest to the start first, else as declared
    while todo:
        name = todo.pop(0)
        if name not in order:
            order.append(name)
            todo[:0] = [b for a, b in graph.arrows if a == name and steps[b] > steps[a] and b not in order]
    return order
