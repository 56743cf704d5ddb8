"""What is said of which change: levels, precedence, policy, scope, titles; and that nothing added makes it greener."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.change import Removal, RemovalReport
from app.trail import OpenQuestion, SqlIndex, Trail, Walk
from app.verdict import RULES, Finding, Verdict, find_word, judge, observe, render_title
from app.words import Config, Evidence, ModelConfig, PolicyConfig, ServingConfig, Unknown
from tests.build import (
    World,
    deployment,
    drop,
    feature,
    feature_entity,
    follow,
    index,
    model,
    model_entity,
    opaque,
    readers,
    report,
    table,
)

GREENNESS = {"block": 0, "unassessable": 1, "warn": 2, "pass": 3}
ORDERS = table("shop.raw.orders", "order_id customer_id discount_pct quantity")
CF = table("shop.features.customer_features", "customer_id discount_sensitivity")
DISCOUNT = feature_entity("customer_features.discount_sensitivity", "shop.features.customer_features")
AVG = """CREATE TABLE shop.features.customer_features AS
SELECT customer_id, AVG(discount_pct) AS discount_sensitivity
FROM shop.raw.orders GROUP BY customer_id"""
LOST = drop("shop.raw.orders.discount_pct")


def churn(*, serving: bool | None = True, name: str = "churn_v4", **fields: Any) -> tuple[str, dict[str, Any]]:
    return model_entity(name, "customer_features.discount_sensitivity", serving=serving, owner="growth-ml", **fields)


def verdict(
    *entities: tuple[str, dict[str, Any]],
    change: Removal | RemovalReport = LOST,
    sql: SqlIndex | None = None,
    config: Config | None = None,
    in_scope: bool = True,
    extra: tuple[Unknown, ...] = (),
) -> Verdict:
    settings = config or Config()
    facts = change if isinstance(change, RemovalReport) else report(change)
    world = World.of(ORDERS, CF, DISCOUNT, *entities)
    walked, graph, naming = follow(facts, sql or index(readers(AVG)), world, settings)
    return judge(facts, walked, graph, naming, settings, in_scope=in_scope, extra=extra)


def rules(found: Verdict) -> list[str]:
    return [finding.rule for finding in found.findings]


# --- block ---------------------------------------------------------------------------------------------------------


def test_a_serving_model_that_loses_an_input_blocks() -> None:
    found = verdict(churn(properties={"created": {"time": 1_783_987_200_000}}))

    assert found.word == "block"
    assert found.conclusion == "failure"
    assert found.title == "Blocked: churn_v4 would lose discount_sensitivity (shop.raw.orders.discount_pct)"
    (finding,) = found.findings
    assert (finding.rule, finding.level, finding.disposition) == ("removed_column_is_read", "block", "open")
    assert (
        *(finding.owner, finding.last_trained, finding.serving),
        finding.serving_rule,
    ) == ("growth-ml", "2026-07-14", "serving", "property serving = true")
    assert [e.path for e in finding.evidence] == ["migrations/0002_change.sql", "features/customer_features.sql"]
    assert feature("customer_features.discount_sensitivity") == finding.feature


def test_an_unknown_serving_state_counts_as_serving_unless_the_configuration_says_otherwise() -> None:
    relaxed = Config(serving=ServingConfig(unknown="not_serving"))

    assert verdict(churn(serving=None)).word == "block"
    assert verdict(churn(serving=None), config=relaxed).word == "warn"


def test_the_features_own_column_has_a_rule_of_its_own() -> None:
    gone = drop("shop.features.customer_features.discount_sensitivity", "output_removed")

    assert rules(verdict(churn(), change=gone, sql=index())) == ["feature_output_removed"]


def test_a_whole_relation_has_a_rule_of_its_own() -> None:
    assert rules(verdict(churn(), change=drop("shop.raw.orders", "relation_dropped"))) == ["removed_relation_is_read"]


@pytest.mark.parametrize("kind", ["values_lost", "type_changed"])
def test_lost_values_and_types_block_as_far_as_the_removal_allows(kind: str) -> None:
    assert verdict(churn(), change=drop("shop.raw.orders.discount_pct", kind)).word == "block"
    assert verdict(churn(), change=drop("shop.raw.orders.discount_pct", kind, level="warn")).word == "warn"


def test_several_trails_to_one_column_and_model_are_one_finding() -> None:
    second = feature_entity("customer_features.customer_id", "shop.features.customer_features")
    both = model_entity("churn_v4", "customer_features.discount_sensitivity", "customer_features.customer_id")
    found = verdict(second, both)

    assert len(found.findings) == 1
    assert "customer_features.customer_id" in found.findings[0].message
    assert "customer_features.discount_sensitivity" in found.findings[0].message


def test_several_models_share_the_title() -> None:
    found = verdict(churn(), churn(name="churn_v5"))

    assert found.title == "Blocked: 2 serving models would lose an input: churn_v4, churn_v5"


def test_a_title_counts_what_changed_and_not_whom_it_meets() -> None:
    change = drop("shop.raw.orders.discount_pct", "meaning_changed", level="warn", detail="zz_week_start(a) -> a")
    found = verdict(churn(), churn(name="churn_v5"), change=change)

    assert len(found.findings) == 2
    assert found.title.startswith("Warning: churn_v4: ")
    assert "(week_start(a) -> a)" in found.title


# --- warn and pass -------------------------------------------------------------------------------------------------


def test_a_model_that_does_not_serve_is_a_warning() -> None:
    found = verdict(churn(serving=False))

    assert found.word == "warn"
    assert found.conclusion == "neutral"
    assert rules(found) == ["reader_not_serving"]


def test_a_change_of_meaning_warns_and_may_be_made_louder_or_silent() -> None:
    change = drop("shop.raw.orders.discount_pct", "meaning_changed", level="warn")

    def under(level: Any) -> Verdict:
        config = Config(policy=PolicyConfig(rules={"meaning_changed": level}))
        return verdict(churn(), change=change, config=config)

    assert verdict(churn(), change=change).word == "warn"
    assert under("block").word == "block"
    assert under("off").word == "pass"


def test_a_feature_without_a_model_is_a_warning() -> None:
    found = verdict()

    assert rules(found) == ["feature_without_model"]
    assert found.word == "warn"


def test_a_retired_model_is_mentioned_and_passes() -> None:
    out = deployment("old"), {"mlModelDeploymentProperties": {"status": "OUT_OF_SERVICE"}}
    retired = churn(serving=None, properties={"deployments": [deployment("old")]}, deprecation={"deprecated": True})
    found = verdict(out, retired)

    assert found.word == "pass"
    assert found.conclusion == "success"
    assert found.findings == ()
    assert "churn_v4 reads it and is retired" in found.notes[0]


def test_versions_that_share_a_deployment_and_disagree_are_a_warning_that_asks_for_a_rule() -> None:
    live: tuple[str, dict[str, Any]] = (deployment("ltv"), {"mlModelDeploymentProperties": {}})
    shared = {"deployments": [deployment("ltv")]}
    one = churn(serving=None, properties=shared)
    other = model_entity("churn_v5", "other.feature", serving=None, properties=shared)

    assert verdict(live, one).word == "block"
    found = verdict(live, one, other)
    assert rules(found) == ["serving_version_is_unclear"]
    assert "models:" in found.findings[0].message
    settled = Config(models={"churn_v4": ModelConfig(serving=True)})
    assert verdict(live, one, other, config=settled).word == "block"


def test_a_contradicted_edge_is_a_warning() -> None:
    stale = table(
        "shop.features.customer_features",
        "customer_id discount_sensitivity",
        upstream={"discount_sensitivity": "shop.raw.orders.discount_pct"},
    )
    found = verdict(stale, churn(), sql=index(readers(AVG.replace("discount_pct", "quantity"))))

    assert rules(found) == ["edge_contradicted_by_sql"]
    assert found.word == "warn"


def test_nothing_lost_passes() -> None:
    found = verdict(churn(), change=report())

    assert (found.word, found.conclusion, found.title) == ("pass", "success", "Passed: no model loses an input")


# --- unassessable --------------------------------------------------------------------------------------------------


def test_changed_sql_that_could_not_be_read() -> None:
    unread = report(unknowns=(Unknown("migrations/3.sql", "no SQL", "migrations/3.sql", 4),))
    found = verdict(churn(), change=unread)

    assert found.word == "unassessable"
    assert found.conclusion == "failure"
    assert rules(found) == ["changed_sql_is_unreadable"]
    assert found.title.startswith("Cannot be assessed: migrations/3.sql")
    assert (found.findings[0].evidence[0].path, found.findings[0].evidence[0].line) == ("migrations/3.sql", 4)


def test_a_relation_that_the_catalog_does_not_know() -> None:
    found = verdict(churn(), change=drop("shop.raw.nowhere.x"))

    assert rules(found) == ["relation_is_unknown"]
    assert found.word == "unassessable"
    assert "not in the catalog" in found.unknowns[0].why or "no dataset" in found.unknowns[0].why


def test_a_relation_that_the_change_itself_made_is_not_unknown() -> None:
    made = report(drop("shop.raw.nowhere.x"), created=frozenset({"shop.raw.nowhere"}))

    assert verdict(churn(), change=made).word == "pass"


def test_what_the_shell_could_not_fetch() -> None:
    assert rules(verdict(change=report(), extra=(Unknown("a file", "too large"),))) == ["review_is_incomplete"]


def test_a_walk_that_was_not_finished() -> None:
    naming_walk = Walk(wanted=frozenset({"urn:li:dataset:x"}))
    _, graph, naming = follow(report(), index(), World.of(ORDERS))

    assert judge(report(), naming_walk, graph, naming, Config(), in_scope=True).word == "unassessable"


def test_an_uncertain_removal_under_a_serving_model() -> None:
    found = verdict(churn(), change=replace(LOST, certain=False))

    assert rules(found) == ["change_is_uncertain"]
    assert found.word == "unassessable"


def test_an_undecided_type_only_warns() -> None:
    undecided = drop("shop.raw.orders.discount_pct", "type_changed", certain=False)

    assert verdict(churn(), change=undecided).word == "warn"


def test_an_opaque_reader_under_a_removal_that_may_only_warn_is_a_warning() -> None:
    change = drop("shop.raw.orders.discount_pct", "meaning_changed", level="warn")
    found = verdict(change=change, sql=index(opaque=[opaque("train.py", "discount_pct orders")]))

    assert found.word == "warn"
    assert found.unknowns == ()


def test_block_comes_before_unassessable() -> None:
    both = report(LOST, unknowns=(Unknown("x", "y"),))
    found = verdict(churn(), change=both)

    assert found.word == "block"
    assert (Unknown("x", "y"),) == found.unknowns


# --- policy and scope ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", ["warn", "off"])
def test_unassessable_is_weakened_only_with_a_reason_and_never_to_silence(level: Any) -> None:
    unread = report(unknowns=(Unknown("x", "y"),))
    bare = Config(policy=PolicyConfig(unassessable=level))
    reasoned = Config(policy=PolicyConfig(unassessable=level, because="a pilot"))

    assert verdict(change=unread, config=bare).word == "unassessable"
    found = verdict(change=unread, config=reasoned)
    assert found.word == "warn"
    assert any("a pilot" in note for note in found.notes)


@pytest.mark.parametrize(
    ("policy", "what"),
    [
        (PolicyConfig(unassessable="warn", because="a pilot"), "what cannot be assessed"),
        (PolicyConfig(rules={"relation_is_unknown": "off"}, because="a pilot"), "what relation_is_unknown cannot tell"),
    ],
)
def test_every_check_says_that_red_is_weakened(policy: PolicyConfig, what: str) -> None:
    said = f"the policy lets {what} pass with a warning, because: a pilot"
    config = Config(policy=policy)

    for found in (
        verdict(config=config, change=report()),
        verdict(churn(), config=config),
        verdict(config=config, in_scope=False),
    ):
        assert said in found.notes
    assert verdict(config=config, change=report()).title == "Passed: no model loses an input"


def test_observing_keeps_every_finding_and_blocks_nothing() -> None:
    blocked = verdict(churn())
    found = observe(blocked)

    assert (found.word, found.judged, found.conclusion) == ("warn", "block", "neutral")
    assert found.findings == blocked.findings
    assert found.title.startswith("Observing only; this would fail: Blocked: churn_v4")
    assert observe(found) == found


def test_a_rule_that_is_off_is_said_and_counted() -> None:
    off = verdict(churn(), config=Config(policy=PolicyConfig(rules={"removed_column_is_read": "off"})))

    assert (off.word, off.findings, off.muted) == ("pass", (), 1)
    assert off.title == (
        "Passed by policy: 1 finding is not counted, because removed_column_is_read is off in .tether.yml"
    )
    assert off.notes == ("rule removed_column_is_read is off by .tether.yml: 1 finding not counted",)


def test_a_block_that_only_warns_says_why() -> None:
    quiet = verdict(churn(), config=Config(policy=PolicyConfig(rules={"removed_column_is_read": "warn"})))

    assert (quiet.word, quiet.muted) == ("warn", 0)
    assert quiet.notes == ("rule removed_column_is_read only warns by .tether.yml: 1 finding made quieter",)


@given(
    st.dictionaries(
        st.sampled_from([rule.id for rule in RULES]), st.sampled_from(["block", "unassessable", "warn", "off"])
    ),
    st.sampled_from(["block", "unassessable", "warn", "off"]),
    st.sampled_from([None, "a pilot"]),
    st.booleans(),
    st.booleans(),
)
def test_no_policy_makes_a_silent_pass(
    rules: dict[str, Any], unassessable: Any, because: str | None, in_scope: object, odd: object
) -> None:
    extra = (Unknown("a.sql", "it cannot be read"),) if odd else ()
    bare = verdict(churn(), in_scope=bool(in_scope), extra=extra)
    policy = PolicyConfig(unassessable, because, rules)
    found = verdict(churn(), config=Config(policy=policy), in_scope=bool(in_scope), extra=extra)

    assert bare.word in ("block", "unassessable")
    if GREENNESS[found.word] > GREENNESS["unassessable"]:
        assert found.notes
        assert "no model loses an input" not in found.title
    if found.word == "pass":
        assert found.muted
        assert "not counted" in found.title


def test_one_unassessable_rule_can_be_weakened_by_id() -> None:
    policy = PolicyConfig(rules={"relation_is_unknown": "warn"}, because="the lake is not ingested")
    config = Config(policy=policy)

    assert verdict(change=drop("shop.raw.nowhere.x"), config=config).word == "warn"
    assert verdict(change=report(unknowns=(Unknown("x", "y"),)), config=config).word == "unassessable"


def test_out_of_scope_is_neutral_and_names_the_setting() -> None:
    found = verdict(change=drop("x.y.z"), in_scope=False)

    assert (found.word, found.conclusion) == ("warn", "neutral")
    assert found.title.startswith("Not set up here")
    assert ".tether.yml" in found.title


def test_a_provable_block_is_said_even_out_of_scope() -> None:
    assert verdict(churn(), in_scope=False).word == "block"


# --- laws ----------------------------------------------------------------------------------------------------------


def test_every_rule_has_its_own_id_and_page() -> None:
    ids = [rule.id for rule in RULES]

    assert len(ids) == len(set(ids))
    assert all(rule.summary and rule.advice for rule in RULES)
    assert all(type(rule).__name__ == "Rule" and rule.level != "off" for rule in RULES)


_LEVELS = st.sampled_from(["block", "unassessable", "warn"])
_FINDINGS = st.lists(
    st.builds(
        Finding,
        rule=st.just("r"),
        level=_LEVELS,
        message=st.text(max_size=5),
        relation=st.just("t"),
        column=st.none(),
        disposition=st.sampled_from(["open", "softened", "waived"]),
    ),
    max_size=5,
)
_UNKNOWNS = st.lists(st.builds(Unknown, what=st.text(max_size=3), why=st.text(max_size=3)), max_size=3)


@given(_FINDINGS, _FINDINGS, _UNKNOWNS, _UNKNOWNS)
def test_more_findings_or_unknowns_never_make_the_word_greener(
    some: list[Finding], more: list[Finding], unknowns: list[Unknown], others: list[Unknown]
) -> None:
    before = find_word(some, unknowns)

    assert GREENNESS[find_word([*some, *more], [*unknowns, *others])] <= GREENNESS[before]


def _walk(trails: list[Trail], unknowns: list[Unknown], questions: list[OpenQuestion]) -> Walk:
    return Walk(trails=tuple(trails), unknowns=tuple(unknowns), questions=tuple(questions))


_KINDS = st.sampled_from(
    [
        LOST,
        drop("shop.raw.orders", "relation_dropped"),
        drop("shop.raw.orders.discount_pct", "meaning_changed", level="warn"),
        drop("shop.raw.orders.discount_pct", "type_changed"),
        replace(LOST, certain=False),
    ]
)
_TRAILS = st.lists(
    st.builds(
        lambda removal, name, effect: Trail(removal, (), effect, feature("customer_features.d"), name),
        _KINDS,
        st.sampled_from([None, *(model(f"m_{state}") for state in ("true", "false", "none", "retired"))]),
        st.sampled_from(["stops", "values"]),
    ),
    max_size=4,
)
_QUESTIONS = st.lists(
    st.builds(
        lambda rule, removal, text: OpenQuestion(rule, removal, Unknown("q", text)),
        st.sampled_from(["reader_is_unknown", "lineage_is_incomplete", "column_is_ambiguous"]),
        _KINDS,
        st.text(max_size=3),
    ),
    max_size=3,
)


@given(_TRAILS, _TRAILS, _UNKNOWNS, _UNKNOWNS, _QUESTIONS, _QUESTIONS)
def test_more_trails_unknowns_or_questions_never_make_the_verdict_greener(
    trails: list[Trail],
    more: list[Trail],
    unknowns: list[Unknown],
    others: list[Unknown],
    questions: list[OpenQuestion],
    asked: list[OpenQuestion],
) -> None:
    out = deployment("old"), {"mlModelDeploymentProperties": {"status": "OUT_OF_SERVICE"}}
    world = World.of(
        ORDERS,
        out,
        model_entity("m_true", serving=True),
        model_entity("m_false", serving=False),
        model_entity("m_none", serving=None),
        model_entity("m_retired", properties={"deployments": [deployment("old")]}, deprecation={"deprecated": True}),
    )
    _, graph, naming = follow(report(), index(), world)
    facts = report(LOST)

    def word(walked: Walk) -> str:
        return judge(facts, walked, world.graph(), naming, Config(), in_scope=True).word

    before = word(_walk(trails, unknowns, questions))
    after = word(_walk([*trails, *more], [*unknowns, *others], [*questions, *asked]))
    assert GREENNESS[after] <= GREENNESS[before]
    assert graph.complete


@given(st.sampled_from(["block", "unassessable", "warn", "pass"]), st.text(max_size=600), st.text(max_size=600))
def test_a_title_is_one_line_of_at_most_255_characters_verdict_first(word: Any, name: str, message: str) -> None:
    finding = Finding("r", word if word != "pass" else "warn", message, "t", "c", model="m", model_name=name)
    title = render_title(word, [finding], [])

    assert len(title) <= 255
    assert title == " ".join(title.split())
    assert title.startswith(("Blocked", "Cannot be assessed", "Warning", "Passed"))


def test_evidence_starts_with_the_line_that_takes_the_column_away() -> None:
    (finding,) = verdict(churn()).findings

    assert Evidence(*(LOST.evidence.path, 1, LOST.evidence.text, "head")) == finding.evidence[0]
