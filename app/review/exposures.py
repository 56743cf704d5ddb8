"""A dbt exposure of type ml is all that some teams have of a model: the line that declares it belongs to the evidence.

The catalog tells that the exposure is there and what it depends on; where it is written, the repositories tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from app.verdict import Finding, Verdict
from app.words import Evidence, Repo, Tree

#: DataHub's dbt source: `urn:li:dashboard:(dbt,exposure.<project>.<name>)`
_EXPOSURE: Final = re.compile(r"^urn:li:dashboard:\(dbt,exposure\.(?:[^,)]*\.)?([^.,)]+)\)$")
_ITEM: Final = re.compile(r"^\s*-\s")
_TYPE: Final = re.compile(r"^[\s-]*type:\s*[\"']?ml\b")


def cite_exposures(verdict: Verdict, trees: Iterable[tuple[Repo, Tree]]) -> Verdict:
    """The verdict, each finding on an exposure with the line that declares it."""
    listed = tuple(trees)
    return replace(verdict, findings=tuple(_cite(finding, listed) for finding in verdict.findings))


def _cite(finding: Finding, trees: tuple[tuple[Repo, Tree], ...]) -> Finding:
    exposure = _EXPOSURE.match(finding.model or "")
    if exposure is None:
        return finding
    for repo, tree in trees:
        for path, line, text in _find_lines(tree.files, exposure.group(1)):
            line_of = Evidence(path, line, text, "base", repo.full_name, tree.commit)
            return replace(finding, evidence=tuple(dict.fromkeys((*finding.evidence, line_of))))
    return finding


def _find_lines(files: Mapping[str, str], name: str) -> Iterable[tuple[str, int, str]]:
    """Where the exposure is declared: its `type: ml`, else its name."""
    named = re.compile(rf"^[\s-]*name:\s*[\"']?{re.escape(name)}[\"']?\s*(#.*)?$")
    for path in sorted(files):
        if not path.endswith((".yml", ".yaml")) or "exposures:" not in files[path]:
            continue
        lines = files[path].splitlines()
        for number, text in enumerate(lines):
            if named.match(text):
                yield _find_type(path, lines, number)


def _find_type(path: str, lines: list[str], number: int) -> tuple[str, int, str]:
    first = next((n for n in range(number, -1, -1) if _ITEM.match(lines[n])), number)
    last = next((n for n in range(number + 1, len(lines)) if _ITEM.match(lines[n])), len(lines))
    found = next((n for n in range(first, last) if _TYPE.match(lines[n])), number)
    return path, found + 1, lines[found].strip()
