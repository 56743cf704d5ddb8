"""Markdown -> front matter, and for each section its fenced blocks, each with the path that heads it. Pure.

Whatever stands between the blocks is prose for readers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import yaml

from app.offline.scenario.values import ExpectedLine, MalformedScenario, ScenarioText

SECTIONS: Final = ("Base", "Change", "Base tip", "Catalog", "Removals", "Rows")
_MARKS: Final = ("escaped", "CRLF", "no newline at end", "symlink")
_HEADING: Final = re.compile(r"`([^`]+)`(?: \(([^()]*)\))?$")
_FENCE: Final = re.compile(r"(`{3,}) *([\w-]*)$")
_ESCAPE: Final = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|([nrt\\]))|\\")
_PLAIN_ESCAPES: Final = {"n": b"\n", "r": b"\r", "t": b"\t", "\\": b"\\"}


@dataclass(frozen=True, slots=True)
class Block:
    """`fence` is the line that opens it, `path` "" where no path stands above it, `marks` what is odd about the file."""

    fence: ExpectedLine
    language: str
    lines: tuple[ExpectedLine, ...]
    path: str = ""
    marks: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "".join(line.text + "\n" for line in self.lines)


@dataclass(frozen=True, slots=True)
class Page:
    """`front` with the line of each key."""

    front: Mapping[str, tuple[ExpectedLine, Any]]
    sections: Mapping[str, tuple[Block, ...]]


def parse_page(text: str, name: str) -> Page:
    """`name` is the file that messages name. Raises `MalformedScenario`."""
    lines = [ExpectedLine(name, number, line) for number, line in enumerate(text.split("\n"), 1)]
    if lines[0].text != "---":
        raise lines[0].refuse("a scenario begins with front matter: write --- as its first line")
    end = next((index for index, line in enumerate(lines[1:], 1) if line.text == "---"), None)
    if end is None:
        raise lines[0].refuse("the front matter has no end: write --- on a line of its own below it")
    return Page(_parse_front(lines[1:end], name), _parse_sections(lines[end + 1 :]))


def _parse_front(lines: Sequence[ExpectedLine], name: str) -> dict[str, tuple[ExpectedLine, Any]]:
    try:
        found = yaml.safe_load("\n".join(line.text for line in lines))
    except yaml.MarkedYAMLError as error:
        number = 2 + (error.problem_mark.line if error.problem_mark else 0)
        raise MalformedScenario(f"{name}:{number}", f"the front matter is no YAML: {error.problem}") from None
    if not isinstance(found, dict):
        raise MalformedScenario(
            f"{name}:2", "the front matter has to be `key: value` lines, verdict and rules among them"
        )
    where = {line.text.partition(":")[0].strip(): line for line in reversed(lines)}
    return {str(key): (where.get(str(key), ExpectedLine(name, 2, "")), value) for key, value in found.items()}


def _parse_sections(lines: Sequence[ExpectedLine]) -> dict[str, tuple[Block, ...]]:
    found: dict[str, list[Block]] = {}
    section, heading = "", None
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if line.text.startswith("## "):
            section = _find_section(line, found)
            found[section] = []
        elif fence := _FENCE.match(line.text):
            if not section:
                raise line.refuse("a block stands above the first section: write ## Base above it")
            block, index = _read_block(lines, index, fence[1])
            found[section].append(_head(Block(line, fence[2], block), heading))
            heading = None
        elif line.text.strip():
            if heading is not None:
                raise heading.refuse(
                    "a path has to stand right above its block: the next line has to open one with ```"
                )
            heading = line if _HEADING.match(line.text) else None
    if heading is not None:
        raise heading.refuse("no block follows this path: write its content below it, between ``` lines")
    return {title: tuple(blocks) for title, blocks in found.items()}


def _find_section(line: ExpectedLine, found: Mapping[str, object]) -> str:
    title = line.text.removeprefix("## ").strip()
    if title not in SECTIONS:
        raise line.refuse(f"no section is called {title}: there are {', '.join(SECTIONS)}")
    if title in found:
        raise line.refuse(f"there are two sections {title}: put what stands here into the first")
    return title


def _read_block(lines: Sequence[ExpectedLine], start: int, ticks: str) -> tuple[tuple[ExpectedLine, ...], int]:
    """(its lines, the index behind the line that closes it)."""
    for index in range(start, len(lines)):
        if lines[index].text.rstrip() == ticks:
            return tuple(lines[start:index]), index + 1
        if (inner := _FENCE.match(lines[index].text)) and inner[1] == ticks:
            raise lines[index].refuse(
                f"a block begins inside the one of line {lines[start - 1].number}: close that with {ticks},"
                f" or open and close it with {ticks}` if this belongs to the file"
            )
    raise lines[start - 1].refuse(f"this block is never closed: write {ticks} on a line of its own below it")


def _head(block: Block, heading: ExpectedLine | None) -> Block:
    match = _HEADING.match(heading.text) if heading is not None else None
    if heading is None or match is None:
        return block
    marks = tuple(mark.strip() for mark in (match[2] or "").split(",") if mark.strip())
    for mark in marks:
        if mark not in _MARKS:
            raise heading.refuse(f"({mark}) is not known of a file: there are {', '.join(_MARKS)}")
    return Block(block.fence, block.language, block.lines, match[1], marks)


def find_content(block: Block) -> ScenarioText:
    """The file that a block shows. Raises `MalformedScenario`."""
    end = b"\r\n" if "CRLF" in block.marks else b"\n"
    escaped = "escaped" in block.marks
    data = b"".join((_unescape(line) if escaped else line.text.encode()) + end for line in block.lines)
    if "no newline at end" in block.marks or "symlink" in block.marks:
        data = data.removesuffix(end)
    return ScenarioText(data, "symlink" if "symlink" in block.marks else "file")


def _unescape(line: ExpectedLine) -> bytes:
    found, position = b"", 0
    for match in _ESCAPE.finditer(line.text):
        found += line.text[position : match.start()].encode()
        position = match.end()
        if match[1]:
            found += bytes.fromhex(match[1])
        elif match[2]:
            found += chr(int(match[2], 16)).encode()
        elif match[3]:
            found += _PLAIN_ESCAPES[match[3]]
        else:
            raise line.refuse("a backslash of an escaped file begins \\n, \\r, \\t, \\\\, \\x1b or \\u200b")
    return found + line.text[position:].encode()
