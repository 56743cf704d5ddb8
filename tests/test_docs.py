"""What people read: every link leads somewhere, every example can be used, and no key, variable or rule is missing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from app.review.config import config_schema, parse_config
from app.settings import Settings
from app.verdict import RULES

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "app" / "ARCHITECTURE.md", *sorted((ROOT / "docs").glob("*.md"))]
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def prose(text: str) -> str:
    """Without blocks and spans of code, in which nothing is a link or a heading."""
    blocks = re.sub(r"^(`{3,})[^\n]*\n.*?^\1[ \t]*$", "", text, flags=re.M | re.S)
    return re.sub(r"^(?: {4}|\t).*$", "", blocks, flags=re.M)


def anchors(page: Path) -> frozenset[str]:
    """What GitHub calls the headings of a page: lower case, without punctuation, dashes for blanks, numbered if repeated."""
    seen: Counter[str] = Counter()
    found = set()
    for heading in re.findall(r"^#{1,6} (.+?)[ \t]*#*$", prose(page.read_text()), re.M):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return frozenset(found)


def links(page: Path) -> list[str]:
    return LINK.findall(re.sub(r"`[^`\n]*`", "", prose(page.read_text())))


def find_dead(page: Path) -> Iterator[str]:
    """The relative links of the page that lead nowhere."""
    for target in links(page):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = unquote(target).partition("#")
        place = page.parent / path if path else page
        if not place.exists() or (anchor and (place.suffix != ".md" or anchor not in anchors(place))):
            yield target


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    assert list(find_dead(page)) == []


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text(
        "# One, two: `three`\n## Again\n## Again\n[ok](#one-two-three) [ok](b.md) [ok](#again-1) [`x`](https://x.example)\n"
        "```\n# Not a heading\n[no](link.md)\n```\n[dead](c.md) [dead](#again-2) [dead](#not-a-heading) [dead](b.md#x)\n"
    )
    (tmp_path / "b.md").write_text("# B\n")

    assert list(find_dead(page)) == ["c.md", "#again-2", "#not-a-heading", "b.md#x"]


def test_the_readme_is_short_shows_a_picture_and_leads_to_every_page() -> None:
    text = (ROOT / "README.md").read_text()
    (picture,) = re.findall(r"!\[([^\]]+)\]\(docs/blocked\.png\)", text)

    assert len(text.splitlines()) <= 120
    assert len(picture) > 100, "who cannot see it has to know what it shows"
    assert {name for name in NAMES if name.startswith("docs/") and name != "docs/CONTRIBUTING.md"} <= set(
        links(ROOT / "README.md")
    )


# --- examples and lists --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_configuration_that_is_shown_can_be_used(page: Path) -> None:
    for example in re.findall(r"^```yaml\n(version: 1\n.*?)^```", page.read_text(), re.M | re.S):
        assert parse_config(example).found


def test_the_rules_are_listed_as_the_command_lists_them() -> None:
    listed = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+) \|$", (ROOT / "docs" / "rules.md").read_text(), re.M)

    assert listed == [(rule.id, rule.level, rule.summary) for rule in RULES]


def test_every_key_of_the_configuration_is_explained() -> None:
    schema = config_schema()
    told = re.findall(r"^\| `([a-z][\w.\[\]]*)` \|", (ROOT / "docs" / "configure.md").read_text(), re.M | re.I)

    assert [name for name in told if not name.startswith("TETHER_")] == list(find_keys(schema, schema, ""))


def find_keys(schema: Mapping[str, Any], node: Mapping[str, Any], path: str) -> Iterator[str]:
    """Dotted paths of all that may be set; entries that people name are NAME, items of lists []."""
    while "$ref" in node or "anyOf" in node:
        inner = node.get("anyOf", [node])
        named = next((one for one in inner if "$ref" in one), None)
        if named is None:
            break
        node = schema["$defs"][named["$ref"].rpartition("/")[2]]
    items, entries = node.get("items", {}), node.get("additionalProperties")
    if "$ref" in items:
        yield from find_keys(schema, items, f"{path}[]")
    elif isinstance(entries, Mapping) and "$ref" in entries:
        yield from find_keys(schema, entries, f"{path}.NAME")
    elif "properties" in node and node["properties"].keys() != {rule.id for rule in RULES}:  # these have a page
        for name, value in node["properties"].items():
            yield from find_keys(schema, value, f"{path}.{name}" if path else name)
    else:
        yield path


def test_every_variable_is_explained_with_its_default() -> None:
    told = dict(re.findall(r"^\| `(TETHER_\w+)` \| (.+?) \|", (ROOT / "docs" / "configure.md").read_text(), re.M))
    example = dict(re.findall(r"^(TETHER_\w+)=(.*)$", (ROOT / "deploy" / "env.example").read_text(), re.M))

    assert set(told) == {f"TETHER_{name.upper()}" for name in Settings.model_fields}
    assert list(told) == list(example)
    for name, value in example.items():
        assert not value or f"`{value}`" in told[name], name
