"""`.tether.yml`: everything it can say, and one clear sentence with the line for everything it cannot."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.job.config import ConfigError, parse_config
from app.words import CatalogNaming, Config, DbtConfig, FeatureConfig, ModelConfig, PolicyConfig, Root, ServingConfig

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
privacy: {share_evidence_with: [same-visibility]}
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
        ("version: 2\n", ".tether.yml line 1: `version`: input should be 1"),
        ("version: 1\n\nfoo: 2\n", ".tether.yml line 3: unknown key `foo`"),
        ("version: 1\ncatalog:\n  platfrom: x\n", ".tether.yml line 3: unknown key `catalog.platfrom`"),
        ("version: 1\nmode: enforce\nmode: observe\n", ".tether.yml line 3: `mode` stands here for the second time"),
        ("version: 1\na: &x 1\nb: *x\n", ".tether.yml line 2: anchors and aliases are not allowed"),
        ("version: 1\nmode: [\n", ".tether.yml line 3: not YAML"),
        ("version: 1\n? [a]\n: b\n", ".tether.yml line 2: a key must be a word"),
        ("version: 1\nmode: shout\n", ".tether.yml line 2: `mode`: input should be 'enforce' or 'observe'"),
        ("version: 1\nmodels:\n  a:\n    serving: 'yes'\n", ".tether.yml line 4: `models.a.serving`"),
        ("version: 1\nroots: [{path: a}]\n", ".tether.yml line 2: `roots.0.kind` is missing"),
        ("version: 1\nparams: {a: 2026-13-45}\n", ".tether.yml line 2: month must be in 1..12"),
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
