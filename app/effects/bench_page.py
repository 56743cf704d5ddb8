"""The bench as one HTML page: each case with its trail drawn before and after. Self-contained: no script, no foreign address.

Every text in it is somebody's name or line of SQL and is escaped; drawings are SVG made of escaped labels and numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from app.effects.back_fill import place
from app.effects.bench import Bench, BenchCase
from app.effects.names import find_kind, find_name

_BOX, _GAP, _HEIGHT = 190, 46, 52
_LABEL: Final = 28  # characters that fit into a box
_COLOURS: Final = {
    "dataset": "#e8f0fe",
    "relation": "#e8f0fe",
    "feature": "#e6f4ea",
    "model": "#fef7e0",
    "deployment": "#fce8e6",
}
_TIP: Final = (
    '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
    '<path d="M0,0 L8,4 L0,8 z" fill="#5f6368"/></marker></defs>'
)
_STYLE: Final = """
body{font:15px/1.5 system-ui,sans-serif;max-width:1180px;margin:2em auto;padding:0 1em;color:#202124}
h1{font-size:1.5em}h2{font-size:1.15em;margin:2em 0 .2em}code,pre{font:13px ui-monospace,monospace}
table{border-collapse:collapse}td,th{border-bottom:1px solid #dadce0;padding:.3em .8em;text-align:left}
.caught{color:#137333}.missed{color:#b3261e}.round{margin:.6em 0 .6em 1em;overflow-x:auto}.lines{color:#5f6368}
svg text{font:12px system-ui,sans-serif}svg .kind{fill:#5f6368;font-size:10px}
"""


def bench_html(bench: Bench) -> str:
    """The whole page."""
    total = len(bench.cold.breakages)
    head = f"Caught {bench.cold.caught}/{total} before, {bench.warm.caught}/{total} after the repair"
    if bench.repair is None:
        head = f"Caught {bench.cold.caught}/{total} and {bench.warm.caught}/{total}: no repair in between"
    return "\n".join(
        (
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tether bench</title>',
            f"<style>{_STYLE}</style></head><body><h1>{escape(head)}</h1>",
            *_summary(bench),
            *(part for pair in zip(bench.cold.cases, bench.warm.cases, strict=True) for part in _case(*pair)),
            *_repair(bench),
            "</body></html>\n",
        )
    )


def _summary(bench: Bench) -> Iterator[str]:
    yield "<table><tr><th></th><th>change</th><th>breaks</th><th>before</th><th>after</th></tr>"
    for cold, warm in zip(bench.cold.cases, bench.warm.cases, strict=True):
        cells = (cold.id, cold.title, cold.expected or "nothing")
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + f"{_cell(cold)}{_cell(warm)}</tr>"
    yield "</table>"


def _cell(case: BenchCase) -> str:
    good = case.caught if case.expected else case.verdict == "pass"
    word = "clean" if case.expected is None and good else case.outcome
    return f'<td class="{"caught" if good else "missed"}">{escape(word)}</td>'


def _case(cold: BenchCase, warm: BenchCase) -> Iterator[str]:
    yield f"<h2>{escape(cold.id)}: {escape(cold.title)}</h2>"
    for title, case in (("before", cold), ("after", warm)):
        yield f'<div class="round"><strong>{title}</strong>: {escape(case.check_title)}'
        yield _draw(case)
        if case.reason and case.expected is not None:
            yield f'<div class="lines">Not caught: {escape(case.reason)}</div>'
        yield from (_line(f"{place(line)}: {line.text}") for line in case.evidence)
        yield "</div>"


def _line(text: str) -> str:
    return f'<div class="lines"><code>{escape(text)}</code></div>'


def _repair(bench: Bench) -> Iterator[str]:
    if bench.repair is None:
        return
    yield "<h2>What the repair wrote</h2>"
    for one in bench.repair.connected:
        yield f"<p><strong>{escape(find_name(one.feature))}</strong></p>"
        for row in one.rows:
            how = f" ({row.operation})" if row.operation else ""
            yield _line(f"{find_name(row.upstream)} -> {find_name(row.downstream)}{how}")
            yield from (_line(f"    {place(line)}: {line.text}") for line in row.evidence)
    yield "<h2>What it refused</h2>"
    for refusal in bench.repair.refusals:
        where = f" ({place(refusal.evidence)})" if refusal.evidence else ""
        yield f"<p><strong>{escape(find_name(refusal.feature))}</strong>: {escape(refusal.reason + where)}</p>"


# --- drawings ------------------------------------------------------------------------------------------------------


def _draw(case: BenchCase) -> str:
    """The trail; where there is none, what is lost and the model that stands on it, with nothing known in between."""
    if case.trail:
        lost = case.lost[0] if case.lost else ""
        boxes = [(find_kind(urn), find_name(urn)) for urn in case.trail]
        return _chain([("lost", lost), *boxes] if lost else boxes, broken=False)
    if case.expected is None or not case.lost:
        return ""
    return _chain([("lost", case.lost[0]), ("model", case.expected)], broken=True)


def _chain(boxes: Sequence[tuple[str, str]], *, broken: bool) -> str:
    width = len(boxes) * (_BOX + _GAP)
    parts = [
        f'<svg role="img" width="{width}" height="{_HEIGHT + 8}" viewBox="0 0 {width} {_HEIGHT + 8}">',
        _TIP,
    ]
    for place_, (kind, name) in enumerate(boxes):
        left = place_ * (_BOX + _GAP) + 2
        parts += _box(left, kind, name)
        if place_:
            dashes = ' stroke-dasharray="4 4"' if broken else ' marker-end="url(#tip)"'
            middle = _HEIGHT // 2 + 4
            parts.append(
                f'<line x1="{left - _GAP + 2}" y1="{middle}" x2="{left - 2}" y2="{middle}" stroke="#5f6368"{dashes}/>'
            )
            if broken:
                parts.append(f'<text x="{left - _GAP + 12}" y="{middle - 6}" fill="#b3261e">?</text>')
    return "".join((*parts, "</svg>"))


def _box(left: int, kind: str, name: str) -> Iterator[str]:
    fill = "#fce8e6" if kind == "lost" else _COLOURS.get(kind, "#f1f3f4")
    label = name if len(name) <= _LABEL else "…" + name[-_LABEL + 1 :]
    yield f'<rect x="{left}" y="4" width="{_BOX}" height="{_HEIGHT}" rx="8" fill="{fill}" stroke="#dadce0"/>'
    yield f'<text class="kind" x="{left + 10}" y="22">{escape(kind)}</text>'
    yield f'<text x="{left + 10}" y="41"><title>{escape(name)}</title>{escape(label)}</text>'
