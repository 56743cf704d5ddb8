"""The nouns every room shares. Frozen values, standard library only.

Names of relations and columns are *folded*: lower case, dotted, with a quoted name kept in double quotes only where the
dialect would not find it under its lower-case spelling (`"Discount_Pct"` on Snowflake). `app.reads.fold` makes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Side: TypeAlias = Literal["base", "head", "catalog"]
Level: TypeAlias = Literal["block", "unassessable", "warn", "off"]
Visibility: TypeAlias = Literal["public", "internal", "private"]

#: relation (folded, dotted) -> column (folded) -> native type ("" when unknown); column order is the declared order
Schema: TypeAlias = Mapping[str, Mapping[str, str]]


#: where a repository says how it is judged; read from the base branch only
CONFIG_PATH = ".tether.yml"
#: begins a name in `* except (...)` that a macro wrote: the column is left out where it is, and nothing fails where it is not
LEFT_OUT = "zz_without_"


class Permanent(Exception):  # noqa: N818 - a word of the house, not an error class of a library
    """The work cannot succeed however often it is tried; the message says what, where and how to fix it."""


class Transient(Exception):  # noqa: N818
    """An outside system failed for now; the same work may succeed later. `retry_after` is in seconds, None if not told."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Repo:
    """A GitHub repository; `id` is its key (names change). A local directory has id 0."""

    id: int
    full_name: str
    default_branch: str = "main"
    visibility: Visibility = "private"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One line that proves something. `line` is 1-based; `repo` is empty for the repository under review."""

    path: str
    line: int
    text: str = ""
    side: Side = "head"
    repo: str = ""
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something that could not be told and decides the verdict: it makes the pull request unassessable.

    `repo` is the full name of the repository that `path` stands in, empty for the repository under review: whether the
    path may be shown depends on it.
    """

    what: str
    why: str
    path: str | None = None
    line: int | None = None
    repo: str = ""


@dataclass(frozen=True, slots=True)
class Tree:
    """The text files of one tree that Tether looks at. `unread` maps a path to the reason its text is not here."""

    files: Mapping[str, str]
    commit: str = ""
    repo: str = ""
    unread: Mapping[str, str] = field(default_factory=dict)


# --- .tether.yml, as values (parsed and validated by app/review/config/) -------------------------------------------


@dataclass(frozen=True, slots=True)
class CatalogNaming:
    """How relation names become dataset urns. `database` and `schema` complete names with fewer parts."""

    platform: str | None = None
    env: str = "PROD"
    instance: str | None = None
    database: str | None = None
    schema: str | None = None


@dataclass(frozen=True, slots=True)
class Root:
    path: str
    kind: Literal["migrations", "definitions", "dbt", "sqlmesh", "ignore"]
    dialect: str | None = None


@dataclass(frozen=True, slots=True)
class DbtConfig:
    path: str = "."
    target: str = "prod"
    database: str | None = None
    schema: str | None = None
    vars: Mapping[str, object] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)  # what `env_var` answers


@dataclass(frozen=True, slots=True)
class FeatureConfig:
    """Explicit mapping of a feature: `sql` names the file that computes it, `code` a file that is not SQL, `table` the relation
    whose column it is."""

    sql: str | None = None
    column: str | None = None
    code: str | None = None
    table: str | None = None


@dataclass(frozen=True, slots=True)
class ModelConfig:
    serving: bool | None = None
    owner: str | None = None
    features: tuple[str, ...] = ()
    logins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServingConfig:
    unknown: Literal["serving", "not_serving"] = "serving"
    aliases: tuple[str, ...] = ("champion", "prod", "production", "live")
    tags: tuple[str, ...] = ("urn:li:tag:mlflow_production",)
    properties: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: dict.fromkeys(
            ("serving", "deployed", "stage", "environment"), ("true", "prod", "production", "live")
        )
    )


@dataclass(frozen=True, slots=True)
class PolicyConfig:
    """`rules` overrides a rule's level by id; weakening `unassessable` needs `because`."""

    unassessable: Level = "unassessable"
    because: str | None = None
    rules: Mapping[str, Level] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Config:
    """`.tether.yml` of the base branch; `found` is False where the repository has none (all defaults)."""

    found: bool = False
    dialect: str | None = None
    catalog: CatalogNaming = CatalogNaming()
    roots: tuple[Root, ...] = ()
    dbt: DbtConfig | None = None
    params: Mapping[str, str] = field(default_factory=dict)
    features: Mapping[str, FeatureConfig] = field(default_factory=dict)
    models: Mapping[str, ModelConfig] = field(default_factory=dict)
    serving: ServingConfig = field(default_factory=ServingConfig)
    policy: PolicyConfig = PolicyConfig()
    mode: Literal["enforce", "observe"] = "enforce"
    fork_incidents: bool = False
    draft_incidents: bool = False
    share_evidence_with: tuple[str, ...] = ()
    llm: bool = True
