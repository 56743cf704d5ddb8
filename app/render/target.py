"""Where a dbt project builds, as far as the configuration says: `target` of its templates, and how its names are written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.render.known import KnownTarget
from app.render.paths import find_root, join
from app.render.project import Project
from app.words import Config

SETTING: Final = "set it under dbt in .tether.yml"
#: dbt's adapter -> the one it inherits macros from (docs.getdbt.com, adapter.dispatch)
_PARENTS: Final = {"redshift": "postgres", "databricks": "spark", "synapse": "sqlserver", "fabric": "sqlserver"}
_ADAPTERS: Final = {
    "tsql": "sqlserver",
    "mssql": "sqlserver",
    "postgresql": "postgres",
    "presto": "trino",
    "delta-lake": "databricks",
}
#: the adapters whose SQL is known, by dbt's names
_DIALECTS: Final = {
    **{name: name for name in (
        "snowflake", "bigquery", "postgres", "redshift", "databricks", "spark", "trino", "athena", "duckdb", "mysql",
        "clickhouse", "oracle", "sqlite", "fabric",
    )},
    "sqlserver": "tsql",
    "synapse": "tsql",
}  # fmt: skip
_BACKTICKS: Final = frozenset({"bigquery", "databricks", "spark", "hive", "mysql", "clickhouse", "mariadb"})
#: dbt writes the names of these without quotes
_BARE: Final = frozenset({"snowflake", "spark"})
_UPPER: Final = frozenset({"snowflake", "oracle"})
_CASED: Final = frozenset({"postgres", "clickhouse"})


@dataclass(frozen=True, slots=True)
class Target:
    """None: nobody says. `adapter` is dbt's name of the database; `told`: a profile of the project's own says so."""

    name: str
    adapter: str | None
    database: str | None
    schema: str | None
    told: bool = False

    @property
    def dialect(self) -> str:
        """sqlglot's name of the adapter's SQL; "" where it is not known."""
        return _DIALECTS.get(self.adapter or "", self.adapter or "")

    @property
    def adapters(self) -> tuple[str, ...]:
        """The prefixes that `adapter.dispatch` tries, in order."""
        if self.adapter is None:
            return ("default",)
        parent = _PARENTS.get(self.adapter)
        return (self.adapter, *((parent,) if parent else ()), "default")

    @property
    def quotes(self) -> bool:
        """Whether dbt puts every part of a relation's name in quotes."""
        return self.adapter not in _BARE

    def quote(self, name: str) -> str:
        """One part of a name as SQL has to write it: in quotes only where it is not a plain word."""
        plain = r"[A-Za-z_][\w$-]*" if self.adapter == "bigquery" else r"[A-Za-z_][\w$]*"
        return name if re.fullmatch(plain, name) else self.quoted(name)

    def quoted(self, name: str) -> str:
        mark = "`" if self.adapter in _BACKTICKS else '"'
        return f"{mark}{name.replace(mark, mark * 2)}{mark}"

    def fold_relation(self, part: str) -> str:
        """One part of a relation's name as dbt writes it, quoted; BigQuery tells the cases of these apart."""
        if self.adapter == "bigquery" and part != part.lower():
            return f'"{part}"'
        return self.fold(self.quote(part))

    def fold(self, written: str) -> str:
        """One written part, folded as the database finds it (see `app.words`)."""
        if written[:1] not in ('"', "`"):
            return written.lower()
        name = written[1:-1]
        found_lower = (
            name == name.upper()
            if self.adapter in _UPPER
            else (name == name.lower() if self.adapter in _CASED else True)
        )
        low = name.lower() if found_lower else name
        return low if found_lower and "." not in name else f'"{low}"'


def find_target(
    project: Project,
    config: Config,
    projects: Sequence[Project],
    known: KnownTarget | None = None,
    adapters: Mapping[str, str] | None = None,
) -> Target:
    """`dbt` of the configuration speaks for the project at its path, or for all where no project is at the root; what it
    leaves open is what is known from outside. `adapters` are those of profiles.
    """
    dbt = config.dbt
    spoken = dbt is not None and _is_meant(join("", dbt.path), project, projects)
    root = find_root(project.file, config)
    profile = (adapters or {}).get(project.profile)
    profile = profile if profile in _DIALECTS and not (root and root.dialect) else None
    adapter = (root.dialect if root else None) or profile or config.dialect or config.catalog.platform
    low = adapter.lower() if adapter else None
    found = known or KnownTarget(project.name, None, None)
    return Target(
        name=dbt.target if dbt is not None else "prod",
        adapter=_ADAPTERS.get(low, low) if low else None,
        database=(dbt.database if dbt is not None and spoken else None) or config.catalog.database or found.database,
        schema=(dbt.schema if dbt is not None and spoken else None) or config.catalog.schema or found.schema,
        told=profile is not None,
    )


def _is_meant(path: str, project: Project, projects: Sequence[Project]) -> bool:
    return project.path == path or not any(other.path == path for other in projects)
