"""The page of a scenario: what is refused says where and how to mend it, and the example for newcomers is a good one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.offline.scenario import (
    ExpectedPlace,
    ExpectedRemoval,
    MalformedScenario,
    Scenario,
    ScenarioText,
    list_scenarios,
    load_scenario,
    parse_scenario,
)
from app.offline.scenario.catalog import parse_statements
from app.offline.scenario.values import ExpectedLine
from tests.judgement import judge

GUIDE = Path(__file__).parents[2] / "docs" / "CONTRIBUTING.md"
SHOP = tuple(ExpectedLine("catalogs/shop.txt", 1, line) for line in ("table shop.raw.orders: order_id INTEGER",))
PAGE = """---
verdict: pass
rules: []
why: Nothing happens.
---

## Base

`a.sql`
```sql
SELECT 1
```

## Change

```diff
--- a/a.sql
+++ b/a.sql
@@
-SELECT 1
+SELECT 2
```
"""


def read(text: str) -> Scenario:
    return parse_scenario(text, name="one", page="one.md", catalogs={"shop": parse_statements(SHOP)})


def change(old: str, new: str) -> str:
    assert old in PAGE
    return PAGE.replace(old, new)


def test_a_page_becomes_a_scenario() -> None:
    one = read(PAGE)

    assert (one.verdict, one.rules, one.models, one.why) == ("pass", (), (), "Nothing happens.")
    assert one.base == {"a.sql": ScenarioText(b"SELECT 1\n")}
    assert one.head == {"a.sql": ScenarioText(b"SELECT 2\n")}
    assert one.tip is one.base
    assert (one.proposals, one.removals, one.unread, one.edges, one.rows) == ((), None, (), None, "")


def test_prose_between_the_blocks_is_for_readers() -> None:
    assert read(change("## Change\n", "## Change\n\nThe author renames nothing here.\n")) == read(PAGE)


@pytest.mark.parametrize(
    ("mark", "body", "data"),
    [
        ("no newline at end", "a", b"a"),
        ("CRLF", "a\nb", b"a\r\nb\r\n"),
        ("CRLF, no newline at end", "a\nb", b"a\r\nb"),
        ("escaped", r"\ufeffa\x00\xff\t\\", b"\xef\xbb\xbfa\x00\xff\t\\\n"),
        ("escaped, no newline at end", r"a\r", b"a\r"),
    ],
)
def test_odd_files_are_kept_byte_for_byte(mark: str, body: str, data: bytes) -> None:
    one = read(change("## Change\n", f"## Change\n\n`odd.sql` ({mark})\n```sql\n{body}\n```\n"))

    assert one.head["odd.sql"] == ScenarioText(data)


def test_a_symbolic_link_leads_somewhere() -> None:
    one = read(change("`a.sql`\n", "`link` (symlink)\n```\n../a.sql\n```\n\n`a.sql`\n"))

    assert one.base["link"] == ScenarioText(b"../a.sql", "symlink")


def test_an_empty_file_and_one_with_fences_in_it() -> None:
    one = read(
        change("`a.sql`\n", "`empty`\n```\n```\n\n`page.md`\n````markdown\n```sql\nSELECT 1\n```\n````\n\n`a.sql`\n")
    )

    assert one.base["empty"] == ScenarioText(b"")
    assert one.base["page.md"] == ScenarioText(b"```sql\nSELECT 1\n```\n")


def test_the_tip_is_the_base_with_what_was_merged_meanwhile() -> None:
    one = read(PAGE + "\n## Base tip\n\n`b.sql`\n```sql\nSELECT 3\n```\n")

    assert one.tip == {**one.base, "b.sql": ScenarioText(b"SELECT 3\n")}


def test_removals_are_a_line_each() -> None:
    one = read(
        PAGE
        + """
## Removals

```
column_renamed shop.raw.orders discount_pct -> rate | block stops | head migrations/0002 it.sql:3
relation_dropped shop.raw."My Table" | warn values uncertain | base a.sql:1
unread a.sql:7
```
"""
    )

    assert one.removals == (
        ExpectedRemoval(
            "column_renamed",
            "shop.raw.orders",
            "discount_pct",
            "rate",
            "block",
            "stops",
            certain=True,
            side="head",
            path="migrations/0002 it.sql",
            line=3,
        ),
        ExpectedRemoval(
            "relation_dropped",
            'shop.raw."My Table"',
            None,
            None,
            "warn",
            "values",
            certain=False,
            side="base",
            path="a.sql",
            line=1,
        ),
    )
    assert one.unread == (ExpectedPlace("a.sql", 7),)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("---\nverdict", "verdict", "one.md:1: a scenario begins with front matter"),
        ("why: Nothing happens.\n---\n", "why: Nothing happens.\n", "one.md:1: the front matter has no end"),
        ("rules: []", "rules: [", "one.md:4: the front matter is no YAML"),
        ("rules: []", "rule: []", "one.md:3: the front matter knows no rule: did you mean rules?"),
        ("rules: []", "rules: none", "one.md:3: rules has to be a list"),
        ("verdict: pass", "verdict: green", "one.md:2: no verdict is called green"),
        ("why: Nothing happens.\n", "", "one.md:1: the front matter lacks why"),
        ("rules: []", "rules: []\ncatalog: bakery", "one.md:4: no starting catalog is called bakery: there are shop"),
        ("rules: []", "rules: []\ncatalog: shop", "catalogs/shop.txt:1: the platform of shop.raw.orders is not said"),
        ("## Base", "## Bases", "one.md:7: no section is called Bases: there are Base"),
        ("## Change", "## Base", "one.md:14: there are two sections Base"),
        ("## Base\n", "", "one.md:9: a block stands above the first section"),
        ("`a.sql`\n", "", "one.md:9: no path heads this block"),
        ("`a.sql`\n", "`a.sql`\nThis file\n", "one.md:9: a path has to stand right above its block"),
        ("`a.sql`\n", "`a.sql` (dos)\n", "one.md:9: (dos) is not known of a file: there are escaped, CRLF"),
        ("`a.sql`\n", "`../a.sql`\n", "one.md:10: ../a.sql is no path below the repository's top"),
        ("SELECT 1\n```\n", "SELECT 1\n", "one.md:15: a block begins inside the one of line 10: close that with ```"),
        ("+SELECT 2\n```\n", "+SELECT 2\n", "one.md:16: this block is never closed"),
        ("## Change", "`a.sql`\n```\n```\n\n## Change", "one.md:15: a.sql stands here twice"),
        ("## Change", "## Change\n\n`a.sql`\n```\nSELECT 1\n```", "one.md:17: nothing of a.sql changes"),
        (
            "## Change",
            "## Removals\n\n```\ncolumn gone\n```\n\n## Change",
            "one.md:17: this is no removal; write it like",
        ),
        ("SELECT 1\n```", "SELECT 1\n```\n\n`b` (escaped)\n```\n\\q\n```", "one.md:16: a backslash of an escaped file"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(old: str, new: str, said: str) -> None:
    with pytest.raises(MalformedScenario) as refused:
        read(change(old, new))

    assert str(refused.value).startswith(said), str(refused.value)


def test_a_folder_is_read_page_by_page(tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text(PAGE)
    (tmp_path / "two.md").write_bytes(PAGE.encode() + b"\n\xff\n")
    (tmp_path / "README.md").write_text("# Mine\n")

    assert list_scenarios(tmp_path) == ("one", "two")
    assert load_scenario(tmp_path, "one").name == "one"
    with pytest.raises(MalformedScenario, match=r"two\.md:24: this is not UTF-8"):
        load_scenario(tmp_path, "two")


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_the_example_for_newcomers_comes_to_what_it_says(anyio_backend: str) -> None:
    match = re.search(r"^````markdown\n(.*?)^````$", GUIDE.read_text(), re.M | re.S)
    assert match is not None
    catalog = (GUIDE.parents[1] / "tests" / "scenarios" / "catalogs" / "shop.txt").read_text().splitlines()
    shop = parse_statements([ExpectedLine("shop.txt", number, line) for number, line in enumerate(catalog, 1)])
    one = parse_scenario(match[1], name="example", page="docs/CONTRIBUTING.md", catalogs={"shop": shop})
    judged = await judge(one)

    for facts in (judged.cold, judged.warm):
        assert facts.verdict.word == one.verdict
        assert {finding.rule for finding in facts.verdict.findings} == set(one.rules)
        assert set(one.models) <= {finding.model_name for finding in facts.verdict.findings}
