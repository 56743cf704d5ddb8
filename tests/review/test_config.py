"""`.tether.yml`: everything it can say, and one clear sentence with the line for everything it cannot."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.review.config import ConfigError, Defaults, config_schema, explain_config, parse_config
from app.words import CatalogNaming, Config, DbtConfig, FeatureConfig, ModelConfig, PolicyConfig, Root, ServingConfig
from tests.laws import examples

WHOLE = """\
version: 1
dialect: snowflake                                   # default for files without a better sign
catalog: {platform: snowflake, env: PROD, instance: null, database: shop, schema: raw}
roots: [{path: warehouse/, kind: migrations, dialect: postgres}]
dbt: {path: ., target: prod, database: shop, schema: analytics, vars: {use_new_rates: false}}
params: {source_dataset: shop.raw}
features:
  customer_features.discount_sensitivity: {sql: features/customer_features.sql, column: discount_sensitivity}
  seasonality_features.seasonality_index: {code: features/seasonality.py}
models:
  churn_propensity_v4: {serving: true, owner: growth-ml, features: [customer_features.discount_sensitivity], logins: [aman]}
serving: {unknown: serving, aliases: [champion, prod], tags: ["urn:li:tag:mlflow_production"], properties: {deployed: [true]}}
policy: {unassessable: warn, because: a pilot, rules: {meaning_changed: warn}}
mode: observe
forks: {incidents: true}
privacy: {share_evidence_with: [same-visibility, acme/features]}
llm: {enabled: false}
"""


def test_every_key() -> None:
    expected = Config(
        found=True,
        dialect="snowflake",
        catalog=CatalogNaming("snowflake", "PROD", None, "shop", "raw"),
        roots=(Root("warehouse", "migrations", "postgres"),),
        dbt=DbtConfig(".", "prod", "shop", "analytics", {"use_new_rates": False}),
        params={"source_dataset": "shop.raw"},
        features={
            "customer_features.discount_sensitivity": FeatureConfig(
                "features/customer_features.sql", "discount_sensitivity"
            ),
            "seasonality_features.seasonality_index": FeatureConfig(code="features/seasonality.py"),
        },
        models={
            "churn_propensity_v4": ModelConfig(
                serving=True, owner="growth-ml", features=("customer_features.discount_sensitivity",), logins=("aman",)
            )
        },
        serving=ServingConfig(
            "serving", ("champion", "prod"), ("urn:li:tag:mlflow_production",), {"deployed": ("true",)}
        ),
        policy=PolicyConfig("warn", "a pilot", {"meaning_changed": "warn"}),
        mode="observe",
        fork_incidents=True,
        share_evidence_with=("same-visibility", "acme/features"),
        llm=False,
    )

    assert parse_config(WHOLE) == expected


@pytest.mark.parametrize("word", ["off", "'off'", "warn"])
def test_a_rule_can_be_off(word: str) -> None:
    config = parse_config(f"version: 1\npolicy: {{rules: {{meaning_changed: {word}}}}}\n")

    assert config.policy.rules == {"meaning_changed": word.strip("'")}


def test_no_file_is_all_defaults() -> None:
    assert parse_config(None) == Config()


def test_a_file_with_the_version_alone_is_found() -> None:
    assert parse_config("version: 1\n") == Config(found=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ".tether.yml line 1: must be a mapping"),
        ("- a\n", ".tether.yml line 1: must be a mapping"),
        ("dialect: duckdb\n", ".tether.yml line 1: `version` is missing"),
        ("version: 2\n", ".tether.yml line 1: `version` must be 1"),
        ("version: 1\n\nfoo: 2\n", ".tether.yml line 3: unknown key `foo`"),
        (
            "version: 1\ncatalog:\n  platfrom: x\n",
            ".tether.yml line 3: unknown key `catalog.platfrom`: did you mean `platform`?",
        ),
        ("version: 1\nrootz: []\n", ".tether.yml line 2: unknown key `rootz`: did you mean `roots`?"),
        (
            "version: 1\nroots: [{path: a, kind: dbt, dialekt: duckdb}]\n",
            ".tether.yml line 2: unknown key `roots.0.dialekt`: did you mean `dialect`?",
        ),
        ("version: 1\ndbt: {pth: x}\n", ".tether.yml line 2: unknown key `dbt.pth`: did you mean `path`?"),
        (
            "version: 1\nmodels: {a: {onwer: x}}\n",
            ".tether.yml line 2: unknown key `models.a.onwer`: did you mean `owner`?",
        ),
        ("version: 1\nmode: enforce\nmode: observe\n", ".tether.yml line 3: `mode` stands here for the second time"),
        ("version: 1\na: &x 1\nb: *x\n", ".tether.yml line 2: anchors and aliases are not allowed"),
        ("version: 1\nmode: [\n", ".tether.yml line 3: not YAML"),
        ("version: 1\n? [a]\n: b\n", ".tether.yml line 2: a key must be a word"),
        ("version: 1\nmode: shout\n", ".tether.yml line 2: `mode` must be 'enforce' or 'observe'"),
        ("version: 1\nmodels:\n  a:\n    serving: 'yes'\n", ".tether.yml line 4: `models.a.serving`"),
        ("version: 1\nroots: [{path: a}]\n", ".tether.yml line 2: `roots.0.kind` is missing"),
        ("version: 1\nparams: {a: 2026-13-45}\n", ".tether.yml line 2: `2026-13-45` is read as timestamp and is none"),
        ("version: !!int ''\n", ".tether.yml line 1: `` is read as int and is none; write a text in quotes"),
        ("version: !!float '.'\n", ".tether.yml line 1: `.` is read as float and is none"),
        ("version: !!bool x\n", ".tether.yml line 1: `x` is read as bool and is none"),
        ("version: 1\nparams: {a: !!timestamp x}\n", ".tether.yml line 2: `x` is read as timestamp and is none"),
        ("version: " + "59:" * 80_000 + "1.5\n", ".tether.yml line 1: `59:59:59"),
        ("version: 1\nparams:\n" + "  k: v\n" * 20_000, ".tether.yml line 10000: more than 20,000 keys and values"),
        ("version: 1\nx: !!python/object/apply:os.system ['true']\n", ".tether.yml line 2: unknown key `x`"),
        ("version: 1\nparams: {a: !!python/name:os.system }\n", ".tether.yml line 2: not YAML"),
        ("version: 1\npolicy:\n  unassessable: off\n", ".tether.yml line 3: `policy.unassessable`"),
        ("version: 1\nx: " + "[" * 30_000, ".tether.yml"),
        ("version: 1\n# " + "x" * 300_000, ".tether.yml: larger than 256 KiB"),
        ("version: 1\nx: \x00\n", ".tether.yml"),
        ("versoin: 1\n", ".tether.yml line 1: unknown key `versoin`"),
        (
            "version: 1\npolicy:\n  rules:\n    meaning_chaned: off\n",
            ".tether.yml line 4: `policy.rules`: there is no rule 'meaning_chaned'; did you mean `meaning_changed`",
        ),
        (
            "version: 1\npolicy: {rules: {x9: off}}\n",
            ".tether.yml line 2: `policy.rules`: there is no rule 'x9'; rules are",
        ),
        (
            "version: 1\npolicy: {rules: {relation_is_unknown: warn}}\n",
            ".tether.yml line 2: `policy.rules.relation_is_unknown` may be weakened only with",
        ),
    ],
)
def test_one_sentence_with_the_line(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_config(text)

    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_all_faults_of_a_file_are_told_at_once_in_the_order_of_its_lines() -> None:
    with pytest.raises(ConfigError) as caught:
        parse_config("version: 1\nrootz: []\nmode: shout\nmodels:\n  a: {onwer: x, serving: 7.5}\nroots: [{path: a}]\n")

    assert str(caught.value) == (
        ".tether.yml line 2: unknown key `rootz`: did you mean `roots`?; line 3: `mode` must be 'enforce' or 'observe'; "
        "line 5: unknown key `models.a.onwer`: did you mean `owner`?; line 5: `models.a.serving` must be a valid boolean; "
        "line 6: `roots.0.kind` is missing"
    )


def test_all_rules_that_are_not_there_are_told_at_once_and_a_long_list_ends_in_a_number() -> None:
    rules = "".join(f"    y{number}: off\n" for number in range(13))
    with pytest.raises(ConfigError, match=r"line 4: .*'y0'.*; line 13: .*'y9'.*; and 3 more$"):
        parse_config(f"version: 1\npolicy:\n  rules:\n{rules}")


def test_another_file_is_called_by_its_name() -> None:
    with pytest.raises(ConfigError, match=r"^pilot/mine\.yml line 2: unknown key `nonsense`$"):
        parse_config("version: 1\nnonsense: 1\n", name="pilot/mine.yml")


@given(st.text(max_size=200))
def test_any_text_is_a_configuration_or_an_error(text: str) -> None:
    try:
        found = parse_config(text).found
    except ConfigError as error:
        found = str(error).startswith(".tether.yml")
    assert found


# --- the organisation's defaults ------------------------------------------------------------------------------------

ORG = """\
version: 1
repositories: [acme/warehouse]
catalog: {platform: snowflake, database: shop}
serving: {aliases: [live]}
models:
  churn: {owner: growth-ml, serving: true}
policy:
  because: the lake is not ingested yet
  rules: {meaning_changed: block, position_changed: warn}
"""
DEFAULTS = Defaults(ORG, "acme/.github .tether.yml")


def test_the_repository_s_own_values_win_and_the_others_hold() -> None:
    own = (
        "version: 1\ncatalog: {database: lake}\nmodels: {churn: {owner: me}}\npolicy: {rules: {meaning_changed: off}}\n"
    )
    config = parse_config(own, defaults=DEFAULTS)

    assert config.catalog == CatalogNaming("snowflake", database="lake")
    assert config.serving.aliases == ("live",)
    assert config.models == {"churn": ModelConfig(owner="me")}  # an entry is taken whole
    assert config.policy.rules == {"meaning_changed": "off", "position_changed": "warn"}


def test_the_defaults_set_up_the_repositories_that_they_list() -> None:
    assert parse_config(None, defaults=DEFAULTS, repo="acme/warehouse").found
    assert not parse_config(None, defaults=DEFAULTS, repo="acme/website").found
    assert parse_config(None, defaults=DEFAULTS).catalog.platform == "snowflake"


def test_a_reason_of_the_organisation_counts_and_without_one_the_own_line_is_named() -> None:
    own = "version: 1\npolicy:\n  unassessable: warn\n"
    assert parse_config(own, defaults=DEFAULTS).policy.because == "the lake is not ingested yet"
    bare = Defaults("version: 1\npolicy: {rules: {relation_is_unknown: off}}\n", "acme/.github .tether.yml")

    with pytest.raises(ConfigError, match=r"^\.tether\.yml line 3: `policy\.unassessable`"):
        parse_config(own, defaults=Defaults("version: 1\n", "acme/.github .tether.yml"))
    with pytest.raises(ConfigError, match=r"^acme/\.github \.tether\.yml line 2: `policy\.rules\.relation_is_unknown`"):
        parse_config(None, defaults=bare)


def test_an_error_in_the_defaults_names_their_file() -> None:
    with pytest.raises(ConfigError, match=r"^acme/\.github \.tether\.yml line 2: unknown key `nonsense`$"):
        parse_config("version: 1\n", defaults=Defaults("version: 1\nnonsense: 1\n", "acme/.github .tether.yml"))


def test_only_the_organisation_lists_repositories() -> None:
    with pytest.raises(ConfigError, match=r"line 2: unknown key `repositories`"):
        parse_config("version: 1\nrepositories: [a/b]\n")
    assert parse_config(ORG, name="acme/.github .tether.yml").found


def test_every_value_says_where_it_comes_from() -> None:
    own = "version: 1\ncatalog:\n  database: lake\nmodels: {churn: {owner: me}}\n"
    told = {one.key: (one.value, one.source) for one in explain_config(own, defaults=DEFAULTS)}

    assert told["catalog.database"] == ("lake", ".tether.yml line 3")
    assert told["catalog.platform"] == ("snowflake", "acme/.github .tether.yml line 3")
    assert told["catalog.env"] == ("PROD", "default")
    assert told["models.churn.owner"] == ("me", ".tether.yml line 4")
    assert told["models.churn.serving"] == (None, "default")
    assert told["policy.rules.position_changed"] == ("warn", "acme/.github .tether.yml line 9")
    assert told["mode"] == ("enforce", "default")


# --- the schema for editors -----------------------------------------------------------------------------------------

SCHEMA = Path(__file__).parents[2] / "deploy" / "tether.schema.json"
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.just(1.5), st.sampled_from(["", " ", "a", "warn", "off", "block"])
)


def of_schema(schema: Any, root: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Mostly what the schema allows."""
    if "$ref" in schema:
        return of_schema(root["$defs"][schema["$ref"].rpartition("/")[2]], root, depth)
    if "const" in schema or "enum" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    if "anyOf" in schema and "properties" not in schema:
        return st.one_of([of_schema(one, root, depth) for one in schema["anyOf"]])
    if schema.get("type") == "array":
        return st.lists(of_schema(schema["items"], root, depth + 1), max_size=2)
    if schema.get("type") == "object":
        known = {key: of_schema(one, root, depth + 1) for key, one in schema.get("properties", {}).items()}
        named = schema.get("additionalProperties")
        inner = of_schema(named, root, depth + 1) if isinstance(named, dict) else SCALARS
        some = st.fixed_dictionaries({}, optional=known) if known else st.just({})
        more = st.dictionaries(st.sampled_from(["x", "y.z"]), inner, max_size=2) if named else st.just({})
        required = {key: known[key] for key in schema.get("required", [])}
        return st.tuples(some, more, st.fixed_dictionaries(required)).map(lambda parts: parts[0] | parts[1] | parts[2])
    return SCALARS.filter(lambda value: value is not None) if isinstance(schema.get("type"), list) else SCALARS


def spoil(value: Any, choice: int, wrong: Any) -> Any:
    """One place of the value replaced by something else, or a key added."""
    if not isinstance(value, dict) or not value:
        return wrong
    key = sorted(value)[choice % len(value)]
    if choice % 5 == 0:
        return {**value, "nonsense": wrong}
    return {**value, key: spoil(value[key], choice // 2, wrong)}


VALIDATOR = jsonschema.Draft202012Validator(config_schema())
CONFIGS = of_schema(config_schema(), config_schema())
SPOILT = st.tuples(CONFIGS, st.integers(0, 1000), st.one_of(SCALARS, st.just([]), st.just({"a": 1}))).map(
    lambda parts: spoil(*parts)
)


@examples(100)
@given(st.one_of(CONFIGS, SPOILT))
def test_the_schema_and_the_parser_agree(value: Any) -> None:
    try:
        parse_config(json.dumps(value))
    except ConfigError as error:
        parsed = str(error)
    else:
        parsed = ""
    refused = [error.message for error in VALIDATOR.iter_errors(value)]

    assert bool(parsed) == bool(refused), f"parser: {parsed or 'fine'}; schema: {refused or 'fine'}"


def test_the_schema_is_shipped() -> None:
    assert json.loads(SCHEMA.read_text()) == config_schema(), "tether config --schema > deploy/tether.schema.json"


def test_the_example_of_the_documentation_is_valid() -> None:
    page = (SCHEMA.parents[1] / "docs" / "configure.md").read_text()
    (example,) = re.findall(r"```yaml\n(version: 1\n.*?)```", page, re.S)

    assert parse_config(example).found
