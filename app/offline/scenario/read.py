"""A page -> a scenario. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

from app.offline.scenario.catalog import (
    CatalogStatement,
    Proposal,
    find_proposals,
    merge_statements,
    parse_statements,
)
from app.offline.scenario.expected import parse_expected
from app.offline.scenario.page import Block, Page, find_content, parse_page
from app.offline.scenario.patch import apply_patch
from app.offline.scenario.values import ExpectedLine, ExpectedPlace, ExpectedRemoval, Files, Scenario, ScenarioText

_VERDICTS: Final = ("block", "unassessable", "warn", "pass")
_LISTS: Final = ("rules", "models", "edges")
_TEXTS: Final = ("verdict", "why", "catalog", "got", "cause")
_START: Final = re.compile(r"([\w-]+)(?: on (\w+))?$")

#: the starting catalogs by name
Catalogs = Mapping[str, tuple[CatalogStatement, ...]]


def parse_scenario(text: str, *, name: str, page: str, catalogs: Catalogs) -> Scenario:
    """`name` is the scenario's, `page` the file that messages name. Raises `MalformedScenario`."""
    read = parse_page(text, page)
    front = _check_front(read, page)
    base = _find_files(read, "Base", page)
    removals, places = _find_expected(read)
    return Scenario(
        name=name,
        verdict=front["verdict"],
        rules=tuple(front["rules"]),
        models=tuple(front.get("models", ())),
        why=front["why"],
        base=base,
        head=_find_changed(read, "Change", base),
        tip=_find_changed(read, "Base tip", base) if "Base tip" in read.sections else base,
        proposals=_find_catalog(read, catalogs),
        removals=removals,
        unread=places,
        edges=tuple(front["edges"]) if "edges" in front else None,
        rows="".join(block.text for block in read.sections.get("Rows", ())),
        got=front.get("got", ""),
        cause=front.get("cause", ""),
    )


def _check_front(page: Page, name: str) -> dict[str, Any]:
    top = ExpectedLine(name, 1, "")
    for key, (line, value) in page.front.items():
        if key not in (*_LISTS, *_TEXTS):
            near = get_close_matches(key, (*_LISTS, *_TEXTS), 1)
            known = f"did you mean {near[0]}?" if near else f"there are {', '.join((*_TEXTS, *_LISTS))}"
            raise line.refuse(f"the front matter knows no {key}: {known}")
        if key in _TEXTS and not isinstance(value, str):
            raise line.refuse(f"{key} has to be a text: put it in double quotes")
        if key in _LISTS and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
            raise line.refuse(f"{key} has to be a list: write {key}: [one, another], or {key}: []")
    for key in ("verdict", "rules", "why"):
        if key not in page.front:
            raise top.refuse(f"the front matter lacks {key}: add a line {key}: ... between the --- lines")
    line, verdict = page.front["verdict"]
    if verdict not in _VERDICTS:
        raise line.refuse(f"no verdict is called {verdict}: there are {', '.join(_VERDICTS)}")
    return {key: value for key, (_, value) in page.front.items()}


def _find_files(page: Page, section: str, name: str) -> dict[str, ScenarioText]:
    if section not in page.sections:
        raise ExpectedLine(name, 1, "").refuse(
            f"there is no section ## {section}: write it above the files before the change"
        )
    found: dict[str, ScenarioText] = {}
    for block in page.sections[section]:
        _need_path(block)
        if block.path in found:
            raise block.fence.refuse(f"{block.path} stands here twice: keep one of the two")
        found[block.path] = find_content(block)
    return found


def _need_path(block: Block) -> None:
    if not block.path:
        raise block.fence.refuse("no path heads this block: write it above, alone on its line, between backticks")
    if block.path.startswith("/") or not all(part.strip(".") for part in block.path.split("/")):
        raise block.fence.refuse(f"{block.path} is no path below the repository's top")


def _find_changed(page: Page, section: str, base: Files) -> Files:
    """The base with the diffs of a section, and with the files that are written out there."""
    blocks = page.sections.get(section, ())
    diffs: list[ExpectedLine] = []
    found: dict[str, ScenarioText] = {}
    for block in blocks:
        if not block.path and block.language == "diff":
            diffs += block.lines
            continue
        _need_path(block)
        found[block.path] = find_content(block)
        if found[block.path] == base.get(block.path):
            raise block.fence.refuse(f"nothing of {block.path} changes: leave it out")
    return {**apply_patch(diffs, base), **found}


def _find_catalog(page: Page, catalogs: Catalogs) -> tuple[Proposal, ...]:
    blocks = page.sections.get("Catalog", ())
    own = parse_statements([line for block in blocks for line in block.lines])
    if "catalog" not in page.front:
        return find_proposals(own, None)
    line, sentence = page.front["catalog"]
    match = _START.match(sentence)
    if match is None or match[1] not in catalogs:
        known = ", ".join(sorted(catalogs)) or "none in the folder catalogs"
        raise line.refuse(
            f"no starting catalog is called {sentence}: there are {known}; write catalog: NAME on PLATFORM"
        )
    return find_proposals(merge_statements(catalogs[match[1]], own), match[2])


def _find_expected(page: Page) -> tuple[tuple[ExpectedRemoval, ...] | None, tuple[ExpectedPlace, ...]]:
    if "Removals" not in page.sections:
        return None, ()
    lines: Sequence[ExpectedLine] = [line for block in page.sections["Removals"] for line in block.lines]
    return parse_expected(lines)
