"""DataHub urns and field paths, taken apart. The place where spelling in the catalog meets folded names of SQL.

Deliberately absent: which urn a relation name means (`app.trail.naming`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from app.reads import fold

#: DataHub's field paths of version 2 carry types: [version=2.0].[type=struct].[type=string].address.city
_V2_TAG: Final = re.compile(r"\[[^\]]*\]\.?")
#: what DataHub's urn classes encode inside a key: datahub.utilities.urn_encoder
_ENCODED: Final = str.maketrans({",": "%2C", "(": "%28", ")": "%29", "\u241f": "%E2%90%9F"})
_RESERVED: Final = re.compile("[,()\u241f]")
_MARKS: Final = re.compile(r"[(),]")
_REMEMBERED: Final = 65_536  # urns taken apart; a walk sees the same ones at every hop


@dataclass(frozen=True, slots=True)
class DatasetName:
    """`urn:li:dataset:(urn:li:dataPlatform:<platform>,<name>,<env>)`."""

    urn: str
    platform: str
    name: str
    env: str

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(self.name.split("."))


@lru_cache(maxsize=_REMEMBERED)
def find_type(urn: str) -> str:
    """`mlFeature` of `urn:li:mlFeature:(...)`; "" for a text that is no urn."""
    parts = urn.split(":", 3)
    return parts[2] if len(parts) == 4 and parts[:2] == ["urn", "li"] else ""


@lru_cache(maxsize=_REMEMBERED)
def split_key(urn: str) -> tuple[str, ...]:
    """The decoded fields of a urn's key; commas inside a nested urn's brackets do not separate."""
    return tuple(field if field.startswith("urn:li:") else unquote(field) for field in _split_raw(urn))


def _split_raw(urn: str) -> list[str]:
    """The fields as they are written. Only brackets and commas are looked at: urns are long and there are many."""
    key = urn.split(":", 3)[-1]
    if not (key.startswith("(") and key.endswith(")")):
        return [key]
    body = key[1:-1]
    if "(" not in body:
        return body.split(",")
    fields, depth, start = [], 0, 0
    for mark in _MARKS.finditer(body):
        character = mark[0]
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            fields.append(body[start : mark.start()])
            start = mark.end()
    return [*fields, body[start:]]


@lru_cache(maxsize=_REMEMBERED)
def parse_dataset(urn: str) -> DatasetName | None:
    """None for anything that is not a dataset's urn. Platform is first, environment last; a name may hold commas and brackets,
    even one that is never closed.
    """
    key = urn.split(":", 3)[-1]
    if find_type(urn) != "dataset" or not (key.startswith("(") and key.endswith(")")):
        return None
    platform, _, rest = key[1:-1].partition(",")
    name, comma, env = rest.rpartition(",")
    if not comma:
        return None
    return DatasetName(urn, unquote(platform.rpartition(":")[2]), unquote(name), unquote(env))


def render_dataset(name: DatasetName) -> str:
    """The urn with this platform, name and environment, written as `name.urn` is: encoded where that one is."""
    text = name.name.translate(_ENCODED) if "%" in name.urn else name.name
    return f"urn:li:dataset:(urn:li:dataPlatform:{name.platform},{text},{name.env})"


@lru_cache(maxsize=_REMEMBERED)
def parse_field(urn: str) -> tuple[str, str] | None:
    """(dataset urn, plain field path) of a schemaField urn, None for anything else."""
    if find_type(urn) != "schemaField":
        return None
    fields = split_key(urn)
    return (fields[0], plain_path(",".join(fields[1:]))) if len(fields) >= 2 else None


@lru_cache(maxsize=_REMEMBERED)
def parse_feature(urn: str) -> tuple[str, str] | None:
    """(table, name) of a mlFeature or mlPrimaryKey urn, None for anything else."""
    if find_type(urn) not in ("mlFeature", "mlPrimaryKey"):
        return None
    fields = split_key(urn)
    table, name = ",".join(fields[:-1]), fields[-1]
    return (table, name) if table and name else None


def find_title(urn: str) -> str:
    """What people call the entity: the name in its urn; a text that is no urn stands for itself."""
    match find_type(urn):
        case "":
            return urn
        case "mlFeature" | "mlPrimaryKey":
            return ".".join(parse_feature(urn) or (urn,))
        case "dataset":
            name = parse_dataset(urn)
            return name.name if name else urn
        case _:
            fields = split_key(urn)
            return fields[1] if len(fields) > 1 else fields[0]


def field_urn(dataset: str, path: str) -> str:
    """The schemaField urn of a column as the catalog spells it."""
    return f"urn:li:schemaField:({dataset},{path})"


def field_urns(dataset: str, path: str) -> tuple[str, ...]:
    """The schemaField urns that a column may have, see `feature_urns`."""
    written = field_urn(dataset, path)
    return (written, field_urn(dataset, path.translate(_ENCODED))) if _RESERVED.search(path) else (written,)


def feature_urn(table: str, name: str) -> str:
    return f"urn:li:mlFeature:({table},{name})"


def feature_urns(table: str, name: str) -> tuple[str, ...]:
    """The urns that a feature may have: as it is written, and with DataHub's separators encoded, as its urn classes do."""
    written = feature_urn(table, name)
    if not _RESERVED.search(table) and not _RESERVED.search(name):
        return (written,)
    return written, feature_urn(table.translate(_ENCODED), name.translate(_ENCODED))


def is_of_project(urn: str, view: str, feature: str) -> bool:
    """Whether it is a feature of this Feast view: DataHub's Feast source names the table `project.view`."""
    table, name = parse_feature(urn) or ("", "")
    return name == feature and table.rpartition(".")[2] == view and table != view


def plain_path(path: str) -> str:
    """A field path without the type tags of version 2."""
    return _V2_TAG.sub("", path)


def bare(column: str) -> str:
    """A folded name without its quotes."""
    if len(column) >= 2 and column[0] == column[-1] == '"':
        return column[1:-1].replace('""', '"')
    return column


def is_quoted(column: str) -> bool:
    return column.startswith('"')


@lru_cache(maxsize=_REMEMBERED)
def fold_path(path: str) -> tuple[str, ...]:
    """The folded names that a field path of the catalog may be in SQL.

    All of one case says nothing (DataHub may have lowered it). Mixed case was quoted in the warehouse, or kept as somebody
    typed it in a catalog: both are possible, so both are answered.
    """
    lowered = path.lower()
    if path in (lowered, path.upper()):
        return (lowered,)
    quoted = '"' + path.replace('"', '""') + '"'
    return (lowered, quoted)


def spells(column: str, path: str) -> bool:
    """Whether a folded SQL name may be this field path. A nested path belongs to its first part."""
    name, first = bare(column), path.partition(".")[0]
    if name in (path, first):
        return True
    if is_quoted(column):
        return False
    return name.lower() in (path.lower(), first.lower())


def find_path(column: str, paths: tuple[str, ...], *, dialect: str = "") -> str | None:
    """The catalog's spelling of a folded column, None when it is not there or when it may be several.

    A catalog that keeps two spellings of a name keeps two columns: then only the dialect says which one an unquoted name is.
    """
    name = bare(column)
    near = [path for path in paths if path.lower() == name.lower()]
    if len(near) == 1 and (near[0] == name or not is_quoted(column)):
        return near[0]
    meant = [path for path in near if fold(path, quoted=True, dialect=dialect) == column]
    if len(meant) == 1:
        return meant[0]
    return name if is_quoted(column) and name in near else None
