"""Projects that no configuration names: where they build follows from what the catalog or a manifest has seen."""

from __future__ import annotations

import pytest

from app.render import KnownNames, Parts, Seen, find_names, render_tree
from app.words import CatalogNaming, Config, DbtConfig
from tests.render.trees import project

PLAIN = Config(dialect="snowflake")
FILES = project(
    {
        "models/stg.sql": "select * from {{ source('raw', 'orders') }}",
        "models/mart.sql": "{{ config(schema='marts', alias='orders') }}select * from {{ ref('stg') }}",
        "models/sources.yml": "sources: [{name: raw, tables: [{name: orders}]}]",
        "seeds/codes.csv": "a,b\n1,2\n",
    }
)
STG, MART = "model.shop.stg", "model.shop.mart"


def nodes(**names: str | tuple[str, ...]) -> Seen:
    """`stg="db.core.stg"`, or several of them."""
    return Seen(nodes={f"model.shop.{name}": tuple(map(parts, texts(found))) for name, found in names.items()})


def texts(found: str | tuple[str, ...]) -> tuple[str, ...]:
    return (found,) if isinstance(found, str) else found


def parts(name: str) -> Parts:
    return tuple(name.split("."))


def relations(files: dict[str, str], known: KnownNames, config: Config = PLAIN) -> dict[str, str | None]:
    return {text.path: text.relation for text in render_tree(files, config, known)}


def named(seen: Seen, files: dict[str, str] = FILES, config: Config = PLAIN) -> dict[str, str | None]:
    return relations(files, find_names(files, config, seen), config)


def test_what_one_model_is_called_tells_where_all_are() -> None:
    found = named(nodes(stg="DB.CORE.STG"))

    assert found == {
        "models/mart.sql": "db.core_marts.orders",
        "models/stg.sql": "db.core.stg",
        "seeds/codes.csv": "db.core.codes",
    }


def test_a_source_without_a_database_stands_where_the_project_builds() -> None:
    (stg,) = (
        t for t in render_tree(FILES, PLAIN, find_names(FILES, PLAIN, nodes(stg="db.core.stg"))) if "stg" in t.path
    )

    assert stg.sql == "select * from db.raw.orders"


def test_the_default_schema_is_found_behind_a_custom_one() -> None:
    assert named(nodes(mart="db.core_marts.orders"))["models/stg.sql"] == "db.core.stg"


def test_the_own_rule_of_a_project_is_followed() -> None:
    rule = "{% macro generate_schema_name(custom, node) %}{{ custom if custom is not none else target.schema }}{% endmacro %}"
    files = FILES | {"macros/names.sql": rule}

    found = named(nodes(mart="db.marts.orders", stg="db.core.stg"), files)

    assert (found["models/mart.sql"], found["models/stg.sql"]) == ("db.marts.orders", "db.core.stg")


def test_where_every_schema_is_custom_the_default_one_stays_open() -> None:
    rule = "{% macro generate_schema_name(custom, node) %}{{ custom or target.schema }}{% endmacro %}"
    files = FILES | {"macros/names.sql": rule}

    found = named(nodes(mart="db.marts.orders"), files)

    assert (found["models/mart.sql"], found["models/stg.sql"]) == ("db.marts.orders", "stg")


@pytest.mark.parametrize(
    ("seen", "config", "expected"),
    [
        (("prod.core.stg", "dev.core.stg"), PLAIN, "prod.core.stg"),
        (("prod.core.stg", "dev.core.stg"), Config(dialect="snowflake", dbt=DbtConfig(target="dev")), "dev.core.stg"),
        (("db.analytics_prod.stg", "db.dbt_bob.stg"), PLAIN, "db.analytics_prod.stg"),
        (("prod.analytics.stg", "prod.dbt_bob.stg"), PLAIN, "stg"),
        (("db.analytics.stg", "db.dbt_bob.stg"), PLAIN, "stg"),
        (("db.analytics.stg", "db.dbt_bob.stg"), Config(dbt=DbtConfig(schema="analytics")), "db.analytics.stg"),
        (("a.core.stg", "b.core.stg"), Config(catalog=CatalogNaming(database="b")), "b.core.stg"),
    ],
)
def test_of_two_targets_the_configured_one_counts_or_none(seen: tuple[str, ...], config: Config, expected: str) -> None:
    assert named(nodes(stg=seen), config=config)["models/stg.sql"] == expected


def test_a_few_models_of_another_target_do_not_decide() -> None:
    files = project({f"models/m{n}.sql": "select 1 as a" for n in range(9)})
    everywhere = {f"m{n}": (f"db.live.m{n}", f"db.bob.m{n}") if n < 2 else f"db.live.m{n}" for n in range(9)}

    assert named(nodes(**everywhere), files)["models/m0.sql"] == "db.live.m0"


def test_the_configuration_beats_the_catalog() -> None:
    config = Config(dbt=DbtConfig(database="mine", schema="here"))

    assert named(nodes(stg="db.core.stg"), config=config)["models/stg.sql"] == "mine.here.stg"


def test_a_change_that_moves_a_model_is_not_hidden_by_the_old_name() -> None:
    """Names were told of the base; the head names the model by the same rule."""
    known = find_names(FILES, PLAIN, nodes(stg="db.core.stg", mart="db.core_marts.orders"))
    head = FILES | {
        "models/mart.sql": "{{ config(schema='reports', alias='orders') }}select * from {{ ref('stg') }}",
        "models/stg.sql": "{{ config(alias='stage') }}select * from {{ source('raw', 'orders') }}",
    }

    found = relations(head, known)

    assert (found["models/mart.sql"], found["models/stg.sql"]) == ("db.core_reports.orders", "db.core.stage")


COMPUTED = "{{ config(schema=env_var('WHERE')) }}select 1 as a"


def test_a_name_that_nobody_can_compute_is_the_one_that_was_seen() -> None:
    files = project({"models/stg.sql": COMPUTED})

    assert named(nodes(stg="db.odd.stg"), files)["models/stg.sql"] == "db.odd.stg"


@pytest.mark.parametrize("text", [COMPUTED.replace("WHERE", "ELSEWHERE"), COMPUTED + ", 2 as b"])
def test_but_not_once_it_may_have_changed(text: str) -> None:
    files = project({"models/stg.sql": COMPUTED})
    known = find_names(files, PLAIN, nodes(stg="db.odd.stg"))

    assert relations(project({"models/stg.sql": text}), known)["models/stg.sql"] == "stg"


def test_nor_once_the_rule_of_the_project_has_changed() -> None:
    rule = "{% macro generate_schema_name(custom, node) %}{{ env_var('A') }}{% endmacro %}"
    files = project({"models/stg.sql": "select 1 as a", "macros/n.sql": rule})
    known = find_names(files, PLAIN, nodes(stg="db.odd.stg"))

    assert relations(files, known)["models/stg.sql"] == "db.odd.stg"
    assert relations(files | {"macros/n.sql": rule.replace("'A'", "'B'")}, known)["models/stg.sql"] == "stg"


SOURCE = "sources: [{name: raw, schema: \"{{ env_var('RAW') }}\", tables: [{name: orders}]}]"


def test_a_source_whose_schema_nobody_can_compute() -> None:
    files = FILES | {"models/sources.yml": SOURCE}
    seen = Seen(nodes={"source.shop.raw.orders": (("lake", "raw_eu", "orders"),)})
    known = find_names(files, PLAIN, seen)
    moved = files | {"models/sources.yml": SOURCE.replace("RAW", "OTHER")}

    def reads(tree: dict[str, str]) -> str:
        return next(text.sql for text in render_tree(tree, PLAIN, known) if text.path == "models/stg.sql")

    assert reads(files) == "select * from lake.raw_eu.orders"
    assert reads(moved) == "select * from orders"


@pytest.mark.parametrize("call", ["ref('fivetran', 'accounts')", "ref('accounts')", "source('billing', 'accounts')"])
def test_a_package_that_is_not_in_the_tree(call: str) -> None:
    files = project({"models/m.sql": "select * from {{ call }}".replace("call", call)})
    seen = Seen(
        nodes={"model.fivetran.accounts": (("db", "ft", "accounts"),)},
        manifest={"source.fivetran.billing.accounts": ("db", "ft", "accounts")},
    )

    (text,) = render_tree(files, PLAIN, find_names(files, PLAIN, seen))

    assert text.sql == "select * from db.ft.accounts"


def test_two_packages_with_one_name_mean_neither() -> None:
    files = project({"models/m.sql": "select * from {{ ref('accounts') }}"})
    seen = Seen(nodes={"model.a.accounts": (("db", "a", "accounts"),), "model.b.accounts": (("db", "b", "accounts"),)})

    (text,) = render_tree(files, PLAIN, find_names(files, PLAIN, seen))

    assert text.sql == "select * from accounts"


# --- tables alone --------------------------------------------------------------------------------------------------


def tables(*names: str) -> Seen:
    found: dict[str, tuple[Parts, ...]] = {}
    for name in map(parts, names):
        found[name[-1]] = (*found.get(name[-1], ()), name)
    return Seen(tables=found)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (tables("db.core.stg", "db.core.codes"), "db.core.stg"),
        (tables("db.core_marts.orders", "db.raw.orders", "db.core.stg"), "db.core.stg"),
        (tables("db.core.stg"), "stg"),  # one of three models
        (tables("db.raw.stg", "db.raw.codes"), "stg"),  # where a source is
        (tables("db.core.stg", "db.core.codes", "db.bob.stg", "db.bob.codes"), "stg"),
        (tables("db.core.stg", "db.other.codes"), "stg"),
    ],
)
def test_tables_tell_where_a_project_builds_only_together(seen: Seen, expected: str) -> None:
    assert named(seen)["models/stg.sql"] == expected


# --- a manifest ----------------------------------------------------------------------------------------------------


def test_a_manifest_tells_it_where_the_catalog_does_not() -> None:
    seen = Seen(manifest={STG: ("db", "core", "stg"), MART: ("db", "core_marts", "orders")})

    assert named(seen)["seeds/codes.csv"] == "db.core.codes"


def test_the_catalog_comes_before_a_manifest_and_is_settled_by_it() -> None:
    manifest = {STG: ("db", "bob", "stg")}

    alone = Seen(nodes={STG: (("db", "core", "stg"),)}, manifest=manifest)
    both = Seen(nodes={STG: (("db", "core", "stg"), ("db", "bob", "stg"))}, manifest=manifest)

    assert named(alone)["models/stg.sql"] == "db.core.stg"
    assert named(both)["models/stg.sql"] == "db.bob.stg"


def test_nothing_seen_changes_nothing() -> None:
    assert find_names(FILES, PLAIN, Seen()) == KnownNames()
    assert named(Seen()) == {"models/mart.sql": "orders", "models/stg.sql": "stg", "seeds/codes.csv": "codes"}


# --- a profile -----------------------------------------------------------------------------------------------------

PROFILE = (
    "shop:\n  target: dev\n  outputs:\n    dev: {type: snowflake, database: db, schema: bob}\n"
    "    prod: {type: snowflake, database: db, schema: core}\n"
)
WITH_PROFILE = FILES | {"dbt_project.yml": "name: shop\nprofile: shop\n", "profiles.yml": PROFILE}


@pytest.mark.parametrize(
    ("profile", "config", "expected"),
    [
        (PROFILE, PLAIN, "db.core.stg"),
        (PROFILE, Config(dbt=DbtConfig(target="dev")), "db.bob.stg"),
        (PROFILE, Config(dbt=DbtConfig(target="staging")), "stg"),
        (PROFILE, Config(dbt=DbtConfig(schema="mine")), "db.mine.stg"),
        (PROFILE.replace("schema: core", "schema: \"{{ env_var('S') }}\""), PLAIN, "stg"),
        (PROFILE.replace("shop:", "other:"), PLAIN, "stg"),
        ("shop: [", PLAIN, "stg"),
        ("shop: {outputs: [1]}", PLAIN, "stg"),
    ],
)
def test_a_profile_tells_the_configured_target(profile: str, config: Config, expected: str) -> None:
    assert named(Seen(), WITH_PROFILE | {"profiles.yml": profile}, config)["models/stg.sql"] == expected


def test_the_catalog_comes_before_a_profile_and_is_settled_by_it() -> None:
    assert named(nodes(stg="db.live.stg"), WITH_PROFILE)["models/stg.sql"] == "db.live.stg"
    assert named(nodes(stg=("db.core.stg", "db.live.stg")), WITH_PROFILE)["models/stg.sql"] == "db.core.stg"


def test_two_profiles_of_one_name_tell_nothing() -> None:
    files = WITH_PROFILE | {"ci/profiles.yml": PROFILE.replace("core", "ci")}

    assert named(Seen(), files)["models/stg.sql"] == "stg"
