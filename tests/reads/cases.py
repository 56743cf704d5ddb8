"""Reads the .sql fixture files: many cases a file, each a few `-- key: value` lines and its SQL. No case needs Python.

Keys: case (starts one), dialect, schema (`t(a, b); u(c)`), relation, reads, outputs, kind, target, relations, columns,
why, unreadable. `reads`: `t.a` proven, `t.a?` uncertain, `t.a!position` / `!rebind`, `t.*` width, `t.a@3` on line 3.
`outputs`: `name <- t.a, t.b?; other <-`, a leading `*` marks one that came through a star.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.reads import Output, Read

FOLDER = Path(__file__).parent / "cases"
_META = re.compile(
    r"--\s*(case|dialect|schema|relation|reads|outputs|kind|target|relations|columns|why|unreadable):\s*(.*)"
)


@dataclass(frozen=True)
class Case:
    name: str
    sql: str
    meta: Mapping[str, str]

    @property
    def schema(self) -> Mapping[str, Mapping[str, str]] | None:
        if "schema" not in self.meta:
            return None
        tables = (part.strip() for part in self.meta["schema"].split(";") if part.strip())
        found = {}
        for table in tables:
            name, columns = table.rstrip(")").split("(", 1)
            found[name.strip()] = {column.strip(): "" for column in columns.split(",") if column.strip()}
        return found


def load_cases() -> Iterator[Case]:
    for path in sorted(FOLDER.glob("*.sql")):
        defaults: dict[str, str] = {}
        name, meta, lines = "", defaults, []
        for line in path.read_text().splitlines():
            found = _META.fullmatch(line.strip())
            if found is None:
                lines.append(line)
                continue
            key, value = found.groups()
            if key == "case":
                if name:
                    yield Case(f"{path.stem}:{name}", "\n".join(lines).strip("\n"), meta)
                name, meta, lines = value, dict(defaults), []
            else:
                meta[key] = value
        if name:
            yield Case(f"{path.stem}:{name}", "\n".join(lines).strip("\n"), meta)


def show_reads(reads: tuple[Read, ...], *, lines: bool) -> set[str]:
    shown = set()
    for read in reads:
        kind = "" if read.kind in ("read", "width") else f"!{read.kind}"
        line = f"@{read.line}" if lines else ""
        shown.add(f"{read.relation}.{read.column}{'' if read.certain else '?'}{kind}{line}")
    return shown


def show_outputs(outputs: tuple[Output, ...]) -> list[str]:
    shown = []
    for out in outputs:
        sources = ", ".join(sorted(f"{ref.relation}.{ref.column}{'' if ref.certain else '?'}" for ref in out.sources))
        shown.append(f"{'*' if out.via_star else ''}{out.name} <- {sources}".strip())
    return shown
