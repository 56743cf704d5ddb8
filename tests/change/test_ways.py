"""Conditions of templates that nobody can decide: the change is judged both ways."""

from __future__ import annotations

from tests.change.trees import briefs, review

PROJECT = {"dbt_project.yml": "name: shop\nversion: '1.0'\nprofile: shop\nmodel-paths: [models]\n"}
PLAIN = "{{ config(schema='mart') }}\nselect a, b, c, k from shop.raw.t\n"


def model(text: str) -> dict[str, str]:
    return {**PROJECT, "models/m.sql": text}


def change(base: str, head: str) -> tuple[list[str], int]:
    report = review(model(base), model(head), dialect="snowflake")
    return briefs(report), len(report.unknowns)


def test_what_is_lost_only_one_way_is_uncertain() -> None:
    found, unknowns = change(PLAIN, PLAIN.replace(" b,", "{% if var('slim') %}{% else %} b,{% endif %}"))
    assert found == ["output_removed m.b block/stops?"]
    assert unknowns == 0


def test_what_is_lost_both_ways_is_lost() -> None:
    both = PLAIN.replace(" b,", "{% if var('slim') %} d,{% else %} e,{% endif %}")
    found, _ = change(PLAIN, both)
    assert any(line.endswith(".b block/stops") for line in found)


def test_what_is_lost_no_way_takes_nothing_away() -> None:
    more = PLAIN.replace(", k", ", k{% if var('more') %}, d{% endif %}")
    assert change(PLAIN, more) == ([], 0)


def test_the_reason_is_said() -> None:
    slim = PLAIN.replace(" b,", "{% if var('slim') %}{% else %} b,{% endif %}")
    report = review(model(PLAIN), model(slim), dialect="snowflake")
    (removal,) = [one for one in report.removals if one.kind == "output_removed"]
    assert "var('slim')" in removal.detail
    assert not removal.certain


def test_a_condition_that_stood_there_before_is_paired() -> None:
    slim = PLAIN.replace(" b,", "{% if var('slim') %}{% else %} b,{% endif %}")
    assert change(slim, slim.replace("select", "-- all of it\nselect")) == ([], 0)
    found, unknowns = change(slim, slim.replace(" c,", ""))
    assert any(line.endswith(".c block/stops") for line in found)
    assert not any(".b " in line for line in found)
    assert unknowns == 0


def test_a_value_that_is_written_out_stays_unknown() -> None:
    found, unknowns = change(PLAIN, PLAIN.replace(" b,", " {{ var('which') }},"))
    assert (found, unknowns) == ([], 1)
