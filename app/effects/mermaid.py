"""The trails of a review as one Mermaid diagram. Its labels are strangers' names: nothing but letters, digits and a few
marks reaches Mermaid unescaped, so that no name can end a label, add a node, a link, a directive or HTML."""

from __future__ import annotations

from collections.abc import Sequence
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
    nodes: dict[str, str] = {}
    edges: dict[tuple[str, str], None] = {}
    left_out: set[str] = set()
    for finding in findings:
        if len(finding.trail) < 2:
            continue
        for urn in finding.trail:
            if urn not in nodes and len(nodes) < MAX_NODES:
                nodes[urn] = f"n{len(nodes)}"
            elif urn not in nodes:
                left_out.add(urn)
        edges.update(dict.fromkeys(zip(finding.trail, finding.trail[1:], strict=False)))
    if not edges:
        return ""
    lost = _lost(findings)
    lines = [f"  {name}{_node(urn, lost.get(urn, ''))}" for urn, name in nodes.items()]
    lines += [f"  {nodes[a]} --> {nodes[b]}" for a, b in edges if a in nodes and b in nodes]
    if left_out:
        lines.append(f'  more["and {len(left_out)} more"]')
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
