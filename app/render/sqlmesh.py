"""SQLMesh models: `MODEL (name ..., kind ...);` in front of a query. The header says the relation; it is cut out, lines kept.

Macros that are functions (`@NAME(...)`) become `zz_name(...)`, so that their arguments stay visible; those that make
statements or take the place of names cannot be read without SQLMesh, and say so. Keys: sqlmesh.readthedocs.io, "Model kinds".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.render.columns import read_header
from app.render.explain import explain
from app.render.paths import is_templated, join
from app.render.session import FAILURES
from app.render.sql_text import SqlText
from app.render.sqlmesh_jinja import render_jinja
from app.render.sqlmesh_statements import find_statements

#: each comment ends in one place only: a long row of them would else be cut up in every way there is
_COMMENT: Final = r"(?:\s|--[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/)*"
_HEADER: Final = re.compile(rf"\A\ufeff?{_COMMENT}(MODEL|AUDIT|METRIC)\s*\(", re.DOTALL | re.IGNORECASE)
_PIECE: Final = re.compile(
    r"--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*(?:'|\Z)|\"(?:[^\"]|\"\")*(?:\"|\Z)|`[^`]*(?:`|\Z)|[(),;]"
    r"|[^\s'\"`(),;-]+|.",
    re.DOTALL,
)
_MACRO: Final = re.compile(r"@(\w+)(\s*\()?|@\{(\w+)\}|@@\w+")
#: macros that put statements, names or lists in their place: what stands there is not to be told from the text
_OPAQUE: Final = frozenset({
    *("def", "if", "eval", "sql", "each", "reduce", "filter", "star", "union", "pivot", "deduplicate", "date_spine"),
    "resolve_template",
})  # fmt: skip
#: each of these is an expression of its arguments
_MATERIALIZED: Final = {
    "view": "view",
    "full": "table",
    "embedded": "ephemeral",
    "external": "external",
    "managed": "table",
}


@dataclass(frozen=True, slots=True)
class Header:
    """`properties`: name -> text, both as written. `end`: offset behind the header and its semicolon."""

    word: str
    properties: Mapping[str, str]
    end: int


def find_header(text: str) -> Header | None:
    """None: the file is no SQLMesh file."""
    match = _HEADER.match(text)
    if match is None:
        return None
    depth, parts, current, end = 1, [], "", len(text)
    for piece in _PIECE.finditer(text, match.end()):
        word = piece.group()
        if word.startswith(("--", "/*")):
            continue
        depth += (word == "(") - (word == ")")
        if depth == 0:
            end = piece.end()
            break
        if word == "," and depth == 1:
            parts.append(current)
            current = ""
        else:
            current += word
    behind = re.compile(r"\s*;").match(text, end)
    properties: dict[str, str] = {}
    for part in (*parts, current):
        key, _, value = part.strip().partition(" ")
        name, bracket, rest = key.partition("(")
        properties.setdefault(name.lower(), (bracket + rest + " " + value).strip())
    return Header(match.group(1).lower(), properties, behind.end() if behind else end)


def render_sqlmesh(
    path: str, text: str, header: Header, files: Mapping[str, str], params: Mapping[str, str]
) -> tuple[SqlText, ...]:
    """The model's SQL; nothing for audits, metrics and disabled models."""
    properties = header.properties
    if header.word != "model" or properties.get("enabled", "").lower() == "false":
        return ()
    name = properties.get("name", "").strip() or infer_name(path)
    kind = properties.get("kind", "view").split("(")[0].strip().lower()
    dialect = properties.get("dialect", "").strip("'\" ").lower() or None
    relation = fold_name(name)
    materialized = _MATERIALIZED.get(kind.split()[0] if kind else "view", "incremental")
    if relation is None:
        return (SqlText(path, "", (), kind="model", why=f"the name of its MODEL header, {name!r}, cannot be told"),)
    if kind == "seed":
        columns = _find_seed_columns(path, properties, files)
        why = None if columns else "the columns of its seed cannot be told"
        return (SqlText(path, "", (), kind="seed", relation=relation, seed_columns=columns, why=why, dialect=dialect),)
    kept = "\n" * text.count("\n", 0, header.end) + text[header.end :]
    lines = tuple(range(1, kept.count("\n") + 2))
    try:
        if is_templated(kept):
            kept, lines = render_jinja(path, kept, files, params)
    except FAILURES as error:
        why, line = explain(error, path)
        return (SqlText(path, "", (), "model", relation, dialect, materialized, why=why, why_line=line),)
    sql, unknown = _show_macros(kept)
    if unknown is not None:
        return (SqlText(path, "", (), "model", relation, dialect, materialized, why=unknown),)
    model = SqlText(path, sql, lines, "model", relation, dialect, materialized)
    return (model, *find_statements(model))


def infer_name(path: str) -> str:
    """What SQLMesh calls a model whose header has no name: its folders below `models/` and its file, joined by dots."""
    _, _, below = f"/{path}".partition("/models/")
    return below.rpartition(".")[0].replace("/", ".")


def fold_name(name: str) -> str | None:
    """A dotted name, folded; None where macros or nothing stand in it."""
    parts = [part.strip().strip('"`') for part in name.split(".")]
    plain = all(re.fullmatch(r"[\w$-]+", part) for part in parts)
    return ".".join(parts).lower() if plain and 1 <= len(parts) <= 4 else None


def _find_seed_columns(path: str, properties: Mapping[str, str], files: Mapping[str, str]) -> tuple[str, ...]:
    declared = properties.get("columns", "").strip()
    if declared.startswith("("):
        names = [part.split()[0] for part in declared.strip("()").split(",") if part.split()]
        return tuple(name.strip('"`').lower() for name in names)
    source = re.search(r"path\s+'([^']+)'", properties.get("kind", ""), re.IGNORECASE)
    if source is None:
        return ()
    csv_path = join(path.rpartition("/")[0], source.group(1).removeprefix("$root/"))
    text = files.get(csv_path) or files.get(join("", source.group(1).removeprefix("$root/")))
    return tuple(name.lower() for name in read_header(text)) if text is not None else ()


def _show_macros(text: str) -> tuple[str, str | None]:
    """(SQL, None), or ("", why)."""
    out: list[str] = []
    end = 0
    for match in _MACRO.finditer(_hide(text)):
        name = (match.group(1) or match.group(3) or "").lower()
        if match.group(3) or (match.group(2) and name in _OPAQUE):
            line = text.count("\n", 0, match.start()) + 1
            return (
                "",
                f"line {line}: what the SQLMesh macro {match.group().split('(')[0].strip()} stands for is not known here",
            )
        if match.group(2):
            out += [text[end : match.start()], f"zz_{name}("]
            end = match.end()
    return "".join([*out, text[end:]]), None


def _hide(text: str) -> str:
    """The same text with comments and quoted parts blanked, offsets kept."""
    pattern = r"--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*(?:'|\Z)|\"(?:[^\"]|\"\")*(?:\"|\Z)"
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.DOTALL)
