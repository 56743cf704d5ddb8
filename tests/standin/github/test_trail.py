"""Trails as drawn pictures: the flowcharts that Tether's comments carry, and nothing else of Mermaid."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from app.effects.mermaid import MAX_NODES
from app.standin.github.pages.markdown import render_markdown
from app.standin.github.pages.trail import MAX_BOXES, draw_graph, find_steps, parse_graph
from app.standin.github.pages.trail_shapes import wrap_name

TRAIL = """flowchart LR
  n0[("dataset: shop.raw.orders loses discount_pct")]
  n1["relation: v"]
  n2(["feature: a#64;b #60;script#62;"])
  n3{{"model: m"}}
  n4[["deployment: d"]]
  n0 --> n1
  n1 --> n2
  n2 --> n3
  n0 --> n3
  n3 --> n4
  more["and 2 more"]
"""


def drawings(source: str) -> list[ElementTree.Element]:
    graph = parse_graph(source)
    assert graph is not None
    return list(ElementTree.fromstring(draw_graph(graph)).iter("svg"))  # noqa: S314 - our own drawing


def test_boxes_arrows_and_what_is_lost() -> None:
    graph = parse_graph(TRAIL)

    assert graph is not None
    assert graph.boxes["n2"] == "feature: a@b <script>"
    assert graph.arrows[3] == ("n0", "n3")
    assert find_steps(graph) == {"n0": 0, "n1": 1, "n2": 2, "n3": 3, "n4": 4, "more": 4}
    wide, narrow = drawings(TRAIL)
    for drawing in (wide, narrow):
        assert len(list(drawing.iter("rect"))) == 6
        texts = [(text.get("class"), text.text) for text in drawing.iter("text")]
        assert ("kind", "dataset") in texts
        assert ("lost", "loses discount_pct") in texts
        assert ("name", "and 2 more") in texts
        assert len([path for path in drawing.iter("path") if path.get("class") == "way"]) == 5


@pytest.mark.parametrize("which", [0, 1])
def test_no_box_stands_on_another_or_outside_of_the_picture(which: int) -> None:
    drawing = drawings(TRAIL)[which]
    boxes = [[int(box.get(side, "")) for side in ("x", "y", "width", "height")] for box in drawing.iter("rect")]
    width, height = int(drawing.get("width", "")), int(drawing.get("height", ""))

    for x, y, w, h in boxes:
        assert x >= 0
        assert y >= 0
        assert x + w <= width
        assert y + h <= height
        apart = [bx >= x + w or bx + bw <= x or by >= y + h or by + bh <= y for bx, by, bw, bh in boxes]
        assert apart.count(False) == 1  # itself


def test_a_trail_that_is_too_long_for_a_row_is_drawn_downwards_only() -> None:
    names = [f"n{number}" for number in range(7)]
    lines = [f'  {name}["relation: {name}"]' for name in names]
    lines += [f"  {a} --> {b}" for a, b in pairwise(names)]
    (drawing,) = drawings("\n".join(["flowchart LR", *lines]))
    tops = [int(box.get("y", "")) for box in drawing.iter("rect")]

    assert drawing.get("class") == "any"
    assert tops == sorted(set(tops))


def test_a_circle_is_drawn_and_ends() -> None:
    assert len(drawings('flowchart LR\n a["x"]\n b["y"]\n a --> b\n b --> a')) == 2


def test_names_wrap_at_their_joints_and_stay_whole() -> None:
    assert wrap_name("shop.features.customer_features", 24) == ["shop.features.customer_", "features"]
    assert wrap_name("x" * 50, 24) == ["x" * 24, "x" * 24, "x" * 2]
    assert "".join(wrap_name("a.b_c-" * 20, 10)) == "a.b_c-" * 20


BAD = {
    "click": 'flowchart LR\n a["x"]\n click a href "javascript:alert(1)"',
    "directive": '%%{init: {"theme": "x"}}%%\nflowchart LR\n a["x"]',
    "html label": 'flowchart LR\n a["<img src=x onerror=alert(1)>"]',
    "style": 'flowchart LR\n a["x"]\n style a fill:url(x)',
    "label in an arrow": 'flowchart LR\n a["x"]\n b["y"]\n a -->|"z"| b',
    "unknown box": 'flowchart LR\n a["x"]\n a --> b',
    "crossed shape": 'flowchart LR\n a[("x"}}',
    "twice": 'flowchart LR\n a["x"]\n a["y"]',
    "other diagram": "sequenceDiagram\n A->>B: x",
    "nothing": "",
    "no box": "flowchart LR",
    "too many": "\n".join(["flowchart LR", *(f' n{number}["x"]' for number in range(MAX_BOXES + 1))]),
}


@pytest.mark.parametrize("source", BAD.values(), ids=BAD)
def test_anything_else_is_shown_as_its_source(source: str) -> None:
    html = render_markdown(f"```mermaid\n{source}\n```")

    assert parse_graph(source) is None
    assert "<svg" not in html
    assert '<pre class="source">' in html
    assert "<img" not in html


def test_hostile_labels_stay_text() -> None:
    spelled = "".join(f"#{ord(character)};" for character in '</text></svg><script>alert("1")</script>#9999999;')
    html = render_markdown(f'```mermaid\nflowchart LR\n a["model: {spelled}"]\n b["x"]\n a --> b\n```')

    assert html.count("<svg") == 2
    assert "<script" not in html
    assert re.search(r'aria-label="[^"<>]*&lt;script&gt;', html)


def test_the_largest_diagram_of_a_comment_fits() -> None:
    assert MAX_NODES <= MAX_BOXES
