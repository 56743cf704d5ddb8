"""The bench as one HTML page: each case with its trail drawn before and after. Self-contained: no script, no foreign address.

Every text in it is somebody's name or line of SQL and is escaped. A trail is a row of boxes that wraps where the window
ends; names are whole and wrap at their dots and underlines. Arrows are SVG made of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from app.effects.back_fill import place
from app.effects.bench import Bench, BenchCase
from app.effects.bench_style import STYLE
from app.effects.names import find_kind, find_name

_KINDS: Final = frozenset({"dataset", "deployment", "feature", "lost", "model", "relation"})
_ARROW: Final = (
    '<svg class="arrow" role="img" aria-label="leads to" width="26" height="16" viewBox="0 0 26 16">'
    '<path d="M1,8 H18" stroke="#59636e" stroke-width="1.5"/><path d="M17,3 L25,8 L17,13 z" fill="#59636e"/></svg>'
)
_GAP: Final = (
    '<svg class="arrow" role="img" aria-label="no known way to" width="54" height="16" viewBox="0 0 54 16">'
    '<path d="M1,8 H18 M36,8 H53" stroke="#cf222e" stroke-width="1.5" stroke-dasharray="4 4"/>'
    '<text x="27" y="13" text-anchor="middle" fill="#cf222e">?</text></svg>'
)


def bench_html(bench: Bench) -> str:
    """The whole page."""
    total = len(bench.cold.breakages)
    head = f"Caught {bench.cold.caught}/{total} before, {bench.warm.caught}/{total} after the repair"
    if bench.repair is None:
        head = f"Caught {bench.cold.caught}/{total} and {bench.warm.caught}/{total}: no repair in between"
    return "\n".join(
        (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Tether bench</title>',
            f"<style>{STYLE}</style></head><body><h1>{escape(head)}</h1>",
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
        yield "<tr>" + "".join(f"<td>{_breakable(cell)}</td>" for cell in cells) + f"{_cell(cold)}{_cell(warm)}</tr>"
    yield "</table>"


def _is_good(case: BenchCase) -> bool:
    return case.caught if case.expected else case.verdict == "pass"


def _word(case: BenchCase) -> str:
    word = "clean" if case.expected is None and _is_good(case) else case.outcome
    return f'<span class="{"caught" if _is_good(case) else "missed"}">{escape(word)}</span>'


def _cell(case: BenchCase) -> str:
    return f"<td>{_word(case)}</td>"


def _case(cold: BenchCase, warm: BenchCase) -> Iterator[str]:
    yield f"<section><h2>{escape(cold.id)}: {_breakable(cold.title)}</h2>"
    for title, case in (("Before the repair", cold), ("After the repair", warm)):
        yield f'<div class="round"><p><strong>{title}</strong> {_word(case)}<br>{_breakable(case.check_title)}</p>'
        yield _draw(case)
        if case.reason and case.expected is not None:
            yield f'<p class="quiet">Not caught: {_breakable(case.reason)}</p>'
        yield from (_line(place(line), line.text) for line in case.evidence)
        yield "</div>"
    yield "</section>"


def _line(where: str, text: str) -> str:
    return f'<div class="line"><code>{_breakable(where)}</code><code>{escape(text)}</code></div>'


def _repair(bench: Bench) -> Iterator[str]:
    if bench.repair is None:
        return
    yield "<section><h2>What the repair wrote</h2>"
    for one in bench.repair.connected:
        yield f"<h3>{_breakable(find_name(one.feature))}</h3>"
        for row in one.rows:
            how = f" ({escape(row.operation)})" if row.operation else ""
            yield f"<p>{_breakable(find_name(row.upstream))} → {_breakable(find_name(row.downstream))}{how}</p>"
            yield from (_line(place(line), line.text) for line in row.evidence)
    yield "</section><section><h2>What it refused</h2>"
    for refusal in bench.repair.refusals:
        where = f" ({place(refusal.evidence)})" if refusal.evidence else ""
        yield f"<p><strong>{_breakable(find_name(refusal.feature))}</strong>: {_breakable(refusal.reason + where)}</p>"
    yield "</section>"


# --- drawings ------------------------------------------------------------------------------------------------------


def _draw(case: BenchCase) -> str:
    """The trail; where there is none, what is lost and the model that stands on it, with nothing known in between."""
    if case.trail:
        boxes = [(find_kind(urn), find_name(urn)) for urn in case.trail]
        start = boxes[0][1]  # of several losses, the one that the trail begins with; it stands for its relation
        lost = next((one for one in case.lost if one == start or one.startswith(f"{start}.")), None)
        return _chain([("lost", lost), *boxes[1:]] if lost is not None else boxes, _ARROW)
    if case.expected is None or not case.lost:
        return ""
    return _chain([("lost", case.lost[0]), ("model", case.expected)], _GAP)


def _chain(boxes: Sequence[tuple[str, str]], arrow: str) -> str:
    """Each arrow stands before its box, so that a row which wraps begins with one."""
    steps = [f"<li>{arrow if number else ''}{_box(kind, name)}</li>" for number, (kind, name) in enumerate(boxes)]
    return f'<ol class="trail">{"".join(steps)}</ol>'


def _box(kind: str, name: str) -> str:
    look = kind if kind in _KINDS else "other"
    return f'<span class="box {look}"><small>{escape(kind)}</small>{_breakable(name)}</span>'


def _breakable(text: str) -> str:
    """Escaped, with a place to wrap behind each dot, underline, slash and dash inside of a word."""
    return re.sub(r"(?<=\w)([./_-])(?=\w)", r"\1<wbr>", escape(text))
