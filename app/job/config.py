"""`.tether.yml` -> `Config`: strict, from the base branch only. One clear sentence with the line for everything wrong.

yaml is read by composing nodes and never constructing objects, so tags do nothing; aliases are refused (there is nothing in
this file worth sharing, and they are how a small file becomes a large one), as are duplicate keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from app.verdict import RULES
from app.words import (
    CatalogNaming,
    Config,
    DbtConfig,
    FeatureConfig,
    Level,
    ModelConfig,
    Permanent,
    PolicyConfig,
    Root,
    ServingConfig,
)

CONFIG_PATH = ".tether.yml"
MAX_BYTES = 256 * 1024
MAX_DEPTH = 20


class ConfigError(Permanent):
    """`.tether.yml` cannot be used; `line` is 1-based, 0 when the file as a whole is meant. `name` is what the file is called."""

    def __init__(self, message: str, line: int = 0, *, name: str = CONFIG_PATH) -> None:
        super().__init__(f"{name} line {line}: {message}" if line else f"{name}: {message}")
        self.message, self.line = message, line


def _text(value: object) -> object:
    """YAML reads `true`, `1` and `1.0` as other types where a word is meant; keep what stands there as a word."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (int, float)) else value


Word = Annotated[str, BeforeValidator(_text)]
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
    Literal["block", "unassessable", "warn", "off"], BeforeValidator(lambda value: "off" if value is False else value)
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Catalog(_Strict):
    platform: Word | None = None
    env: Word = "PROD"
    instance: Word | None = None
    database: Word | None = None
    schema_: Word | None = Field(None, alias="schema")


class _Root(_Strict):
    path: Word
    kind: Literal["migrations", "definitions", "dbt", "sqlmesh", "ignore"]
    dialect: Dialect | None = None


class _Dbt(_Strict):
    path: Word = "."
    target: Word = "prod"
    database: Word | None = None
    schema_: Word | None = Field(None, alias="schema")
    vars: dict[Word, Any] = {}


class _Feature(_Strict):
    sql: Word | None = None
    column: Word | None = None
    code: Word | None = None


class _Model(_Strict):
    serving: bool | None = None
    owner: Word | None = None
    features: list[Word] = []
    logins: list[Word] = []


class _Serving(_Strict):
    unknown: Literal["serving", "not_serving"] = "serving"
    aliases: list[Word] = list(ServingConfig().aliases)
    tags: list[Word] = list(ServingConfig().tags)
    properties: dict[Word, list[Word]] = {k: list(v) for k, v in ServingConfig().properties.items()}


class _Policy(_Strict):
    unassessable: LevelWord = "unassessable"
    because: Word | None = None
    rules: dict[Word, LevelWord] = {}


class _Forks(_Strict):
    incidents: bool = False


class _Privacy(_Strict):
    share_evidence_with: list[Literal["same-visibility", "any"]] = ["same-visibility"]


class _Llm(_Strict):
    enabled: bool = True


class _File(_Strict):
    version: Literal[1]
    dialect: Dialect | None = None
    catalog: _Catalog = _Catalog()
    roots: list[_Root] = []
    dbt: _Dbt | None = None
    params: dict[Word, Word] = {}
    features: dict[Word, _Feature] = {}
    models: dict[Word, _Model] = {}
    serving: _Serving = _Serving()
    policy: _Policy = _Policy()
    mode: Literal["enforce", "observe"] = "enforce"
    forks: _Forks = _Forks()
    privacy: _Privacy = _Privacy()
    llm: _Llm = _Llm()


def parse_config(text: str | None, *, name: str = CONFIG_PATH) -> Config:
    """The file's text, None when the repository has none (all defaults, `found` False). `name` is the file's, for errors.

    Raises `ConfigError` naming the line: not YAML, unknown or duplicate keys, wrong types, aliases, unknown rules, over
    256 KiB.
    """
    if text is None:
        return Config()
    try:
        return _parse(text)
    except ConfigError as error:
        raise ConfigError(error.message, error.line, name=name) from None


def _parse(text: str) -> Config:
    if len(text.encode()) > MAX_BYTES:
        raise ConfigError(f"larger than {MAX_BYTES // 1024} KiB; no configuration needs that")
    value, lines = _load(text)
    if not isinstance(value, dict):
        raise ConfigError("must be a mapping that starts with `version: 1`", 1)
    try:
        file = _File.model_validate(value)
    except ValidationError as error:
        raise _explain(error, lines) from None
    config = _convert(file)
    _check_policy(config, lines)
    return config


# --- YAML ----------------------------------------------------------------------------------------------------------

Lines = Mapping[tuple[str | int, ...], int]


def _load(text: str) -> tuple[object, Lines]:
    """The document as plain values, and the 1-based line of every key and item by its path."""
    text = text.removeprefix("\ufeff")
    lines: dict[tuple[str | int, ...], int] = {}
    try:
        _check_shape(text)
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        return (None if node is None else _value(loader, node, (), lines)), lines
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ConfigError(f"not YAML: {error.problem or error.context}", mark.line + 1 if mark else 0) from None
    except yaml.YAMLError as error:
        raise ConfigError(f"not YAML: {str(error).splitlines()[0]}") from None


def _check_shape(text: str) -> None:
    """Before anything is built: no anchors, and no nesting that the schema could not use (it has four levels)."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise ConfigError("anchors and aliases are not allowed; write the value out", line)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise ConfigError("nested too deeply", line)


def _value(loader: yaml.SafeLoader, node: yaml.Node, path: tuple[str | int, ...], lines: dict[Any, int]) -> object:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        return _mapping(loader, node, path, lines)
    if isinstance(node, yaml.SequenceNode):
        return [_value(loader, item, (*path, index), lines) for index, item in enumerate(node.value)]
    try:
        return loader.construct_object(node)  # a scalar: SafeLoader knows the plain types alone
    except ValueError as error:  # 2026-13-45 looks like a date and is none
        raise ConfigError(str(error), node.start_mark.line + 1) from None


def _mapping(
    loader: yaml.SafeLoader, node: yaml.MappingNode, path: tuple[str | int, ...], lines: dict[Any, int]
) -> dict[str, object]:
    found: dict[str, object] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise ConfigError("a key must be a word", line)
        key = str(key_node.value)
        if key in found:
            raise ConfigError(f"`{key}` stands here for the second time", line)
        lines[(*path, key)] = line
        found[key] = _value(loader, value_node, (*path, key), lines)
    return found


def _explain(error: ValidationError, lines: Lines) -> ConfigError:
    errors = error.errors(include_url=False)
    # `versoin: 1` is an unknown key and a missing one: the first says what to repair
    first = next((one for one in errors if one["type"] == "extra_forbidden"), errors[0])
    path = tuple(part for part in first["loc"] if part != "[key]")
    while path and path not in lines:
        path = path[:-1]
    name = ".".join(str(part) for part in first["loc"])
    match first["type"]:
        case "extra_forbidden":
            message = f"unknown key `{name}`"
        case "missing":
            message = f"`{name}` is missing"
        case _:
            message = f"`{name}`: {first['msg'][:1].lower()}{first['msg'][1:]}"
    return ConfigError(message, lines.get(path, 1))


# --- values --------------------------------------------------------------------------------------------------------

M = TypeVar("M", bound=BaseModel)


def _convert(file: _File) -> Config:
    return Config(
        found=True,
        dialect=file.dialect,
        catalog=CatalogNaming(**_fields(file.catalog)),
        roots=tuple(Root(root.path.strip("/") or ".", root.kind, root.dialect) for root in file.roots),
        dbt=DbtConfig(**_fields(file.dbt)) if file.dbt else None,
        params=file.params,
        features={name: FeatureConfig(**_fields(feature)) for name, feature in file.features.items()},
        models={name: ModelConfig(**_fields(model)) for name, model in file.models.items()},
        serving=ServingConfig(**_fields(file.serving)),
        policy=PolicyConfig(**_fields(file.policy)),
        mode=file.mode,
        fork_incidents=file.forks.incidents,
        share_evidence_with=tuple(file.privacy.share_evidence_with),
        llm=file.llm.enabled,
    )


def _fields(model: BaseModel) -> dict[str, Any]:
    """The model's fields with lists frozen to tuples."""
    return {key.rstrip("_"): _freeze(getattr(model, key)) for key in type(model).model_fields}


def _freeze(value: object) -> object:
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        return {key: _freeze(item) for key, item in value.items()}
    return value


def _check_policy(config: Config, lines: Lines) -> None:
    policy = config.policy
    if policy.unassessable in ("warn", "off") and not (policy.because or "").strip():
        raise ConfigError(
            "`policy.unassessable` may be weakened only with `because:` saying why; every check will quote it",
            lines.get(("policy", "unassessable"), 1),
        )
    for name, level in policy.rules.items():
        _check_rule(name, level, policy, lines.get(("policy", "rules", name), 1))


def _check_rule(name: str, level: Level, policy: PolicyConfig, line: int) -> None:
    """A misspelt rule would change nothing and look as if it did; a weakening that is not heeded would as well."""
    rules = {rule.id: rule for rule in RULES}
    if name not in rules:
        near = get_close_matches(name, rules, n=3, cutoff=0.5)
        hint = f"; did you mean {', '.join(f'`{one}`' for one in near)}?" if near else f"; rules are {', '.join(rules)}"
        raise ConfigError(f"`policy.rules`: there is no rule {name[:80]!r}{hint}", line)
    if rules[name].level == "unassessable" and level in ("warn", "off") and not (policy.because or "").strip():
        raise ConfigError(
            f"`policy.rules.{name}` may be weakened only with `policy.because:` saying why; every check will quote it",
            line,
        )
