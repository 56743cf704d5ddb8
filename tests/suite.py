"""Tether's own scenarios for tests: their pages read once, judged once, and laid out on disk for what reads a disk."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from app.commands.suite import read_side
from app.offline.local import LocalSide
from app.offline.scenario import Files, Scenario, list_scenarios, load_scenario

FOLDER = Path(__file__).parent / "scenarios"
NAMES = list_scenarios(FOLDER)


@cache
def scenario(name: str) -> Scenario:
    return load_scenario(FOLDER, name)


def find_names_with(section: str) -> list[str]:
    """Of the scenarios whose page has such a section; without reading them, since every process that collects tests asks."""
    return [name for name in NAMES if f"\n## {section}\n" in (FOLDER / f"{name}.md").read_text()]


def texts(files: Files) -> dict[str, str]:
    """The text of every file, as a program that reads text sees it."""
    return {
        path: content.data.decode().replace("\r\n", "\n").replace("\r", "\n")
        for path, content in sorted(files.items())
        if content.kind == "file"
    }


def sides(one: Scenario) -> tuple[LocalSide, LocalSide, LocalSide]:
    """Base, head and tip as a directory of each would be read."""
    return read_side(one.base), read_side(one.head), read_side(one.tip)


def lay_out(name: str, folder: Path) -> Path:
    """`folder` with base/, head/ (and base_tip/ where it differs) and catalog.json, for the command line."""
    one = scenario(name)
    trees = {"base": one.base, "head": one.head, **({"base_tip": one.tip} if one.tip is not one.base else {})}
    for side, files in trees.items():
        for path, content in files.items():
            file = folder / side / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if content.kind == "symlink":
                file.symlink_to(content.data.decode())
            else:
                file.write_bytes(content.data)
    lay_out_catalog(name, folder / "catalog.json")
    return folder


def lay_out_catalog(name: str, file: Path) -> Path:
    """The catalog of a scenario as DataHub's file sink writes it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(scenario(name).proposals))
    return file
