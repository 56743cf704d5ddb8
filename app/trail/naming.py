"""Relation names of SQL -> dataset urns of the catalog. Never by the last part of a name alone.

A name is completed with the database and schema of `.tether.yml`, then has to agree with a dataset in all its parts.
A dbt model and the table it builds are two datasets in DataHub and one relation here: the warehouse's urn stands for both.
So are two spellings of one name, on platforms where case does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from app.trail.naming_help import tell_ambiguous, tell_missing
from app.trail.urns import DatasetName, bare, parse_dataset, render_dataset
from app.words import CatalogNaming, Config

_PART: Final = re.compile(r'"(?:[^"]|"")*"|[^.]+')
#: platforms on which two tables may differ by case alone: BigQuery and ClickHouse always, MySQL by the file system
CASE_COUNTS: Final = frozenset({"bigquery", "clickhouse", "mysql", "mariadb"})


#: the schema that a bare name is looked for in where nobody sets another
DEFAULT_SCHEMAS: Final[Mapping[str, str]] = {
    "postgres": "public",
    "redshift": "public",
    "cockroachdb": "public",
    "snowflake": "public",
    "mssql": "dbo",
    "duckdb": "main",
}
#: of these, those whose names are never folded; MySQL's are, for its file system is not known
KEEPS_CASE: Final = frozenset({"bigquery", "clickhouse"})


@dataclass(frozen=True, slots=True)
class Named:
    """What a relation name means. `urn` None: `why` is a sentence that names the `.tether.yml` line that settles it."""

    urn: str | None
    candidates: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class Naming:
    """Every dataset of the catalog by the last part of its name; `twins` maps a dbt entity to its warehouse table, and further
    spellings of a name to the one that stands for them.
    """

    rules: CatalogNaming
    by_last: Mapping[str, tuple[DatasetName, ...]]
    twins: Mapping[str, str]
    platforms: frozenset[str]
    instanced: frozenset[str] = frozenset()  # platforms of which datasets carry the configured instance
    by_spelling: Mapping[tuple[str, str, str], str] = field(default_factory=dict, repr=False)  # see `canonical`
    known: frozenset[str] = field(default_factory=frozenset, repr=False)  # every urn of the catalog
    _known: dict[str, Named] = field(default_factory=dict, compare=False, repr=False)

    @staticmethod
    def of(urns: Iterable[str], config: Config) -> Naming:
        """Urns that are not dataset urns are left out."""
        names = [name for urn in sorted(set(urns)) if (name := parse_dataset(urn)) is not None]
        twins = _find_twins(names)
        by_last: dict[str, list[DatasetName]] = {}
        for name in names:
            by_last.setdefault(name.parts[-1].lower(), []).append(name)
        return Naming(
            rules=config.catalog,
            by_last={last: tuple(found) for last, found in by_last.items()},
            twins=twins,
            platforms=frozenset(name.platform for name in names if name.platform != "dbt"),
            instanced=frozenset(name.platform for name in names if _has_instance(name, config.catalog)),
            by_spelling={key: twins.get(name.urn, name.urn) for name in names if (key := _spelling(name))},
            known=frozenset(name.urn for name in names),
        )

    def resolve(self, relation: str) -> Named:
        """The dataset that a folded dotted relation name means."""
        found = self._known.get(relation)
        if found is None:
            found = self._known[relation] = self._resolve(relation)
        return found

    def key(self, relation: str) -> str:
        """One key for one relation: its urn, else its completed folded name."""
        return self.resolve(relation).urn or ".".join(self.complete(split_relation(relation)))

    def called(self, name: str) -> tuple[str, ...]:
        """Datasets whose name ends with this dotted name, which may be one part long; case does not count."""
        wanted = name.lower().split(".")
        near = [found for found in self.by_last.get(wanted[-1], ()) if self._is_allowed(found)]
        fits = [found for found in near if [p.lower() for p in found.parts[-len(wanted) :]] == wanted]
        return self._distinct(fits)

    def fitting(self, relation: str) -> tuple[str, ...]:
        """Datasets that an unresolved name does not exclude: one of the two names ends with the other."""
        parts = [bare(part).lower() for part in self.complete(split_relation(relation))]
        near = self.by_last.get(parts[-1], ()) if parts else ()
        fits = []
        for name in near:
            stored = [part.lower() for part in self._stored_parts(name)]
            size = min(len(parts), len(stored))
            if self._is_allowed(name) and parts[-size:] == stored[-size:]:
                fits.append(name)
        return self._distinct(fits)

    def relation(self, urn: str) -> str:
        """The folded relation name of a dataset, which `resolve` leads back to it where names are unique."""
        name = parse_dataset(urn)
        if name is None:
            return urn
        parts = name.parts
        if self.rules.instance and len(parts) > 1 and parts[0] == self.rules.instance:
            parts = parts[1:]
        if name.platform not in KEEPS_CASE:
            parts = tuple(map(str.lower, parts))
        return ".".join(
            part if re.fullmatch(r"[\w$-]+", part) and part == part.lower() else f'"{part}"' for part in parts
        )

    def canonical(self, urn: str) -> str:
        """The urn that stands for the relation: the warehouse's for a dbt entity, one of several spellings, else itself.

        A urn that nobody ingested may be a further spelling: sources disagree on case, and lineage names what they think.
        """
        if urn in self.twins:
            return self.twins[urn]
        if urn in self.known or (name := parse_dataset(urn)) is None or (key := _spelling(name)) is None:
            return urn
        return self.by_spelling.get(key, urn)

    def spellings(self, urn: str) -> tuple[str, ...]:
        """Other urns that lineage may have for this dataset: its name in lower and in upper case, where case does not count."""
        name = parse_dataset(urn)
        if name is None or _spelling(name) is None:
            return ()
        cased = dict.fromkeys((name.name.lower(), name.name.upper()))
        return tuple(render_dataset(replace(name, name=one)) for one in cased if one != name.name)

    def complete(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """A name with the configured schema and database put before it where it has none."""
        if len(parts) == 1 and self.rules.schema:
            parts = (self.rules.schema.lower(), *parts)
        if len(parts) == 2 and self.rules.database:
            parts = (self.rules.database.lower(), *parts)
        return parts

    def _complete_by_default(self, parts: tuple[str, ...], near: Sequence[DatasetName]) -> tuple[str, ...]:
        """A bare name with the schema that its platform looks in unless told otherwise, where no other dataset has that name."""
        (name,) = near if len(parts) == len(near) == 1 else (None,)
        if name is None or len(name.parts) < 2:
            return parts
        schema = name.parts[-2].lower()
        return (schema, *parts) if schema == DEFAULT_SCHEMAS.get(name.platform) else parts

    def _resolve(self, relation: str) -> Named:
        if relation.startswith("urn:li:dataset:"):  # the text of a view in the catalog names its own dataset
            return Named(self.canonical(relation), (relation,))
        written = split_relation(relation)
        if not written:
            return Named(None, (), "it has no name")
        parts = self.complete(written)
        if len(parts) > 1:  # the catalog does not quote: a dot in a table's name is one like any other there
            parts = (*parts[:-1], *_split_quoted(parts[-1]))
        near = self.by_last.get(bare(parts[-1]).lower(), ())
        allowed = [name for name in near if self._is_allowed(name)]
        parts = self._complete_by_default(parts, [name for name in allowed if name.platform != "dbt"] or allowed)
        for same_case in (True, False):
            found = self._match(parts, allowed, same_case=same_case)
            if len(found) == 1:
                return Named(found[0], (found[0],))
            if found:
                return Named(None, found, tell_ambiguous(relation, len(parts), _parsed(found)))
        candidates = self._distinct(near)
        lowered = [bare(part).lower() for part in parts]
        return Named(None, candidates, tell_missing(relation, lowered, _parsed(candidates), self.rules))

    def _is_allowed(self, name: DatasetName) -> bool:
        if name.env.upper() != self.rules.env.upper():
            return False
        if name.platform in self.instanced and not _has_instance(name, self.rules):
            return False  # of another instance
        return self.rules.platform is None or name.platform in (self.rules.platform, "dbt")

    def _match(self, parts: tuple[str, ...], names: list[DatasetName], *, same_case: bool) -> tuple[str, ...]:
        """Urns that agree with every part; a dataset of exactly this name is preferred to longer ones, and any table of a
        warehouse to dbt's entity: that one carries no instance.
        """
        found: dict[tuple[bool, int], list[DatasetName]] = {}
        for name in names:
            rank = self._rank(parts, self._stored_parts(name), same_case=same_case)
            if rank is not None:
                found.setdefault((name.platform == "dbt", rank), []).append(name)
        return self._distinct(found[min(found)]) if found else ()

    def _stored_parts(self, name: DatasetName) -> tuple[str, ...]:
        return name.parts[1:] if _has_instance(name, self.rules) else name.parts

    def _rank(self, parts: tuple[str, ...], stored: tuple[str, ...], *, same_case: bool) -> int | None:
        """0: the whole name; 1: all written parts, the catalog has more; 2: the catalog leaves out the configured database."""
        size = len(parts)
        if size == len(stored):
            return 0 if _agree(parts, stored, same_case=same_case) else None
        if 2 <= size < len(stored):
            return 1 if _agree(parts, stored[-size:], same_case=same_case) else None
        implied = tuple(part.lower() for part in (self.rules.database, self.rules.schema) if part)
        left_out = tuple(bare(part).lower() for part in parts[: size - len(stored)])
        if len(stored) < size and left_out == implied[: len(left_out)]:
            return 2 if _agree(parts[-len(stored) :], stored, same_case=same_case) else None
        return None

    def _distinct(self, names: Iterable[DatasetName]) -> tuple[str, ...]:
        """One urn for each relation: twins once, and a dbt entity only where no warehouse table is among them."""
        urns = dict.fromkeys(self.canonical(name.urn) for name in names)
        warehouse = [urn for urn in urns if "urn:li:dataPlatform:dbt," not in urn]
        return tuple(warehouse or urns)


def split_relation(relation: str) -> tuple[str, ...]:
    """The parts of a folded dotted name; a quoted part may hold dots."""
    return tuple(_PART.findall(relation))


def _split_quoted(part: str) -> tuple[str, ...]:
    """The pieces of a quoted part with dots, each quoted; any other part as it is."""
    text = bare(part)
    if text == part or "." not in text or "" in text.split("."):
        return (part,)
    return tuple('"' + piece.replace('"', '""') + '"' for piece in text.split("."))


def _has_instance(name: DatasetName, rules: CatalogNaming) -> bool:
    return bool(rules.instance) and len(name.parts) > 1 and name.parts[0].lower() == str(rules.instance).lower()


def _spelling(name: DatasetName) -> tuple[str, str, str] | None:
    """One key for all spellings of a name; None where case counts, and for dbt, which writes names as the warehouse does."""
    if name.platform in CASE_COUNTS or name.platform == "dbt":
        return None
    return name.platform, name.name.lower(), name.env


def _parsed(urns: Iterable[str]) -> list[DatasetName]:
    return [name for urn in urns if (name := parse_dataset(urn))]


def _agree(parts: tuple[str, ...], stored: tuple[str, ...], *, same_case: bool) -> bool:
    written = [bare(part) for part in parts]
    if same_case:
        return written == list(stored)
    return [part.lower() for part in written] == [part.lower() for part in stored]


def _find_twins(names: list[DatasetName]) -> dict[str, str]:
    """urn -> the urn that stands for the relation: spellings of one name, and dbt entities of one warehouse dataset."""
    spelled = _find_spellings(names)
    if not any(name.platform == "dbt" for name in names):
        return spelled
    warehouse: dict[tuple[str, str], dict[str, None]] = {}
    for name in names:
        if name.platform != "dbt":
            warehouse.setdefault((name.name.lower(), name.env), {})[spelled.get(name.urn, name.urn)] = None
    twins = dict(spelled)
    for name in names:
        found = warehouse.get((name.name.lower(), name.env), {}) if name.platform == "dbt" else {}
        if len(found) == 1:
            twins[name.urn] = next(iter(found))
    return twins


def _find_spellings(names: list[DatasetName]) -> dict[str, str]:
    """Sources of one catalog write the same table as ORDERS and as orders. Where case does not count they are one relation,
    and the spelling in lower case stands for it.
    """
    groups: dict[tuple[str, str, str], list[DatasetName]] = {}
    for name in names:
        if name.platform not in CASE_COUNTS:
            groups.setdefault((name.platform, name.name.lower(), name.env), []).append(name)
    twins: dict[str, str] = {}
    for (_, lowered, _), group in groups.items():
        if len(group) > 1:
            first = next((name for name in group if name.name == lowered), group[0])
            twins.update({name.urn: first.urn for name in group if name is not first})
    return twins
