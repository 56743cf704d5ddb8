"""What the demo says to the person who started it: a table of what came of it, and where to look."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.standin.demo.pulls import Shown, tail
from app.standin.demo.setup import Setup

HEADINGS = ("PR", "Change", "Conclusion", "Model", "Owner", "Last trained", "Incident", "Edges written / refused")
_COLOURS = {"failure": "red", "success": "green"}


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What the catalog holds afterwards, read with DataHub's SDK. Incidents: title -> urn; edges: entity -> link."""

    incidents: Mapping[str, str]
    edges: Mapping[str, str]


def print_table(shown: Iterable[Shown], found: DemoResult) -> None:
    rows = [HEADINGS]
    for pull in shown:
        lines = pull.rows or (("", "-", "-", "-"),)
        for index, (_, model, owner, trained) in enumerate(lines):
            first = (str(pull.number), pull.title, pull.conclusion) if index == 0 else ("", "", "")
            incident = next((urn for title, urn in found.incidents.items() if model in title and pull.rows), "-")
            edges = pull.edges if index == 0 else ""
            rows.append((*first, model, owner, trained, incident.removeprefix("urn:li:incident:")[:15], edges))
    for line in _columns(rows):
        say(line)
    say("\nLineage that the catalog lacked, which Tether recovered from SQL when it was installed and wrote back:")
    for entity, link in found.edges.items():
        say(f"  {entity}\n    proof: {link}")


def print_end(wrong: list[str], setup: Setup, seconds: float) -> None:
    """Whether it came out as it should, and what differs."""
    for line in wrong:
        say(f"WRONG: {line}")
    if wrong:
        say(f"\nThe end of Tether's log:\n{tail(setup)}")
    say(f"\n{'Not as it should be' if wrong else 'As it should be'}; {seconds:.1f} s.")


def print_addresses(setup: Setup, shown: Iterable[Shown]) -> None:
    """Every address with one line that says what to look at there."""
    say("\nWhere to look:")
    for name, address, what in _places(setup, shown):
        say(f"  {name + ':':25} {address} - {what}")


def _places(setup: Setup, shown: Iterable[Shown]) -> Iterator[tuple[str, str, str]]:
    """Name, address, what to look at."""
    pages = f"{setup.github.url}/{setup.warehouse.full_name}"
    for pull in shown:
        red = pull.conclusion == "failure"
        what = "the comment, the check, the Merge button and the annotated line" if red else "a check that passes"
        yield (
            f"Pull request {pull.number} ({_COLOURS.get(pull.conclusion, pull.conclusion)})",
            f"{pages}/pull/{pull.number}",
            what,
        )
    token = f" (token {setup.catalog.token})" if setup.catalog.token else ""
    yield (
        "Catalog",
        setup.catalog.url,
        f"DataHub's API{token}: incidents and recovered lineage, GraphQL at /api/graphql",
    )
    yield "Tether", setup.tether_url, "the App itself: /healthz says that it is up"
    yield "Log", str(setup.log), "what Tether did, line by line"


def _columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """As wide as the widest cell of each."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - the demo is a program with an audience
