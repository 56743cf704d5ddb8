"""The trails of a review as one Mermaid diagram. Its labels are strangers' names: nothing but letters, digits and a few
marks reaches Mermaid unescaped, so that no name can end a label, add a node, a link, a directive or HTML."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from app.effects.markdown import plain
from app.effects.names import find_kind, find_name
from app.verdict import Finding

MAX_NODES: Final = 30
_SHAPES: Final = {
    "dataset": ("[(", ")]"),
    "model": ("{{", "}}"),
    "feature": ("([", "])"),
    "deployment": ("[[", "]]"),
}
_LABEL_CHARACTERS: Final = 60


def render_diagram(findings: Sequence[Finding]) -> str:
    """A fenced Mermaid flowchart of the findings' trails, "" when none has two steps. At most 30 nodes; the rest is said."""
    trails = [finding.trail for finding in findings if len(finding.trail) > 1]
    urns = list(dict.fromkeys(urn for trail in trails for urn in trail))
    edges = dict.fromkeys(pair for trail in trails for pair in pairwise(trail))
    if not edges:
        return ""
    shown = urns if len(urns) <= MAX_NODES else urns[: MAX_NODES - 1]  # the last one says how many are left out
    nodes = {urn: f"n{number}" for number, urn in enumerate(shown)}
    left_out = len(urns) - len(shown)
    lost = _lost(findings)
    lines = [f"  {name}{_node(urn, lost.get(urn, ''))}" for urn, name in nodes.items()]
    lines += [f"  {nodes[a]} --> {nodes[b]}" for a, b in edges if a in nodes and b in nodes]
    if left_out:
        lines.append(f'  more["and {left_out} more"]')
    return "\n".join(("```mermaid", "flowchart LR", *lines, "```"))


def _lost(findings: Sequence[Finding]) -> dict[str, str]:
    """The columns that a trail's first step loses."""
    columns: dict[str, list[str]] = {}
    for finding in findings:
        if finding.trail and finding.column and finding.column not in columns.setdefault(finding.trail[0], []):
            columns[finding.trail[0]].append(finding.column)
    return {urn: ", ".join(names) for urn, names in columns.items()}


def _node(urn: str, columns: str) -> str:
    kind = find_kind(urn)
    opening, closing = _SHAPES.get(kind, ("[", "]"))
    label = f"{kind}: {find_name(urn)}" + (f" loses {columns}" if columns else "")
    return f'{opening}"{_label(label)}"{closing}'


def _label(text: str) -> str:
    line = plain(text, limit=_LABEL_CHARACTERS)
    return "".join(c if c.isalnum() or c in " .,:-_" else f"#{ord(c)};" for c in line)
