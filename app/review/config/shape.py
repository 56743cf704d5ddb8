"""The keys of `.tether.yml` and their types: the one place where both the parser and the schema for editors look."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from app.words import ServingConfig


def _text(value: object) -> object:
    """YAML reads `true`, `1` and `1.0` as other types where a word is meant; keep what stands there as a word."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (int, float)) else value


Word = Annotated[str, BeforeValidator(_text), WithJsonSchema({"type": ["string", "boolean", "number"]})]
#: Python takes `true` for 1
Version = Annotated[Literal[1], BeforeValidator(lambda value: str(value) if isinstance(value, bool) else value)]
Dialect = Literal[
    "snowflake",
    "bigquery",
    "postgres",
    "redshift",
    "databricks",
    "spark",
    "trino",
    "athena",
    "duckdb",
    "mysql",
    "tsql",
    "clickhouse",
    "oracle",
]
#: YAML 1.1 reads an unquoted `off` as false; here it can only be the word
LevelWord = Annotated[
    Literal["block", "unassessable", "warn", "off"],
    BeforeValidator(lambda value: "off" if value is False else value),
    WithJsonSchema({"enum": ["block", "unassessable", "warn", "off", False]}),
]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class CatalogKeys(Strict):
    platform: Word | None = None
    env: Word = "PROD"
    instance: Word | None = None
    database: Word | None = None
    schema_: Word | None = Field(None, alias="schema")


class RootKeys(Strict):
    path: Word
    kind: Literal["migrations", "definitions", "dbt", "sqlmesh", "ignore"]
    dialect: Dialect | None = None


class Dbt(Strict):
    path: Word = "."
    target: Word = "prod"
    database: Word | None = None
    schema_: Word | None = Field(None, alias="schema")
    vars: dict[Word, Any] = {}
    env: dict[Word, Word] = {}


class Feature(Strict):
    sql: Word | None = None
    column: Word | None = None
    code: Word | None = None
    table: Word | None = None


class Model(Strict):
    serving: bool | None = None
    owner: Word | None = None
    features: list[Word] = []
    logins: list[Word] = []


class ServingKeys(Strict):
    unknown: Literal["serving", "not_serving"] = "serving"
    aliases: list[Word] = list(ServingConfig().aliases)
    tags: list[Word] = list(ServingConfig().tags)
    properties: dict[Word, list[Word]] = {k: list(v) for k, v in ServingConfig().properties.items()}


class Policy(Strict):
    unassessable: LevelWord = "unassessable"
    because: Word | None = None
    rules: dict[Word, LevelWord] = {}


class Forks(Strict):
    incidents: bool = False


class Drafts(Strict):
    incidents: bool = False


#: a repository's full name, or whom it stands for
Audience = Annotated[str, Field(pattern=r"^(same-visibility|any|[\w.-]+/[\w.-]+)$")]


class Privacy(Strict):
    share_evidence_with: list[Audience] = []


class Llm(Strict):
    enabled: bool = True


class File(Strict):
    version: Version
    dialect: Dialect | None = None
    catalog: CatalogKeys = CatalogKeys()
    roots: list[RootKeys] = []
    dbt: Dbt | None = None
    params: dict[Word, Word] = {}
    features: dict[Word, Feature] = {}
    models: dict[Word, Model] = {}
    serving: ServingKeys = ServingKeys()
    policy: Policy = Policy()
    mode: Literal["enforce", "observe"] = "enforce"
    forks: Forks = Forks()
    drafts: Drafts = Drafts()
    privacy: Privacy = Privacy()
    llm: Llm = Llm()


class OrgFile(File):
    """The organisation's defaults: the same keys, and which repositories are set up by it without a file of their own."""

    repositories: list[Word] = []
