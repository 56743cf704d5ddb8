"""Which rule decides that a model serves, in order; who is told; when it was trained."""

from __future__ import annotations

from typing import Any

import pytest

from app.trail import (
    Serving,
    Step,
    Trail,
    Trained,
    decide_serving,
    find_last_trained,
    find_owner,
    find_training_runs,
)
from app.trail.training import find_day
from app.words import Config, ModelConfig
from tests.build import World, deployment, drop, feature, feature_entity, model, model_entity, table

STAGE = {"propertyUrn": "urn:li:structuredProperty:ml.stage", "values": [{"string": "prod"}]}
ARN = "arn:aws:sagemaker:eu-west-1:111122223333:endpoint/pricing-live"


def endpoint(name: str, status: str | None = None) -> tuple[str, dict[str, Any]]:
    held = {"status": status} if status else {}
    return deployment(name), {"mlModelDeploymentKey": {}, "mlModelDeploymentProperties": held}


def decide(name: str, *entities: tuple[str, dict[str, Any]], config: Config | None = None) -> Serving:
    return decide_serving(model(name), World.of(*entities).graph(), config or Config())


def deployed(name: str, *names: str, **fields: Any) -> tuple[str, dict[str, Any]]:
    return model_entity(name, serving=None, properties={"deployments": [deployment(n) for n in names]}, **fields)


def test_the_configuration_comes_first_and_takes_globs() -> None:
    config = Config(models={"churn_*": ModelConfig(serving=False)})
    served = decide("churn_v4", deployed("churn_v4", "live"), endpoint("live", "IN_SERVICE"), config=config)

    assert served == Serving("not_serving", ".tether.yml: models.churn_*.serving = false")


@pytest.mark.parametrize("status", ["IN_SERVICE", "UPDATING", "ROLLING_BACK"])
def test_a_deployment_in_service_beats_a_deprecation(status: str) -> None:
    old = deployed("m", "live", "old", deprecation={"deprecated": True})

    assert decide("m", old, endpoint("live", status), endpoint("old", "OUT_OF_SERVICE")).state == "serving"


def test_all_deployments_out_is_not_serving_and_retired_when_deprecated() -> None:
    out = endpoint("old", "OUT_OF_SERVICE")

    assert decide("m", deployed("m", "old"), out).state == "not_serving"
    assert decide("m", deployed("m", "old", deprecation={"deprecated": True}), out).state == "retired"


def test_all_deployments_out_beats_a_champion_alias() -> None:
    aliases = {"aliases": [{"versionTag": "champion"}]}

    assert (
        decide("m", deployed("m", "old", versionProperties=aliases), endpoint("old", "FAILED")).state == "not_serving"
    )


def test_an_endpoint_arn_is_the_endpoint_of_that_name() -> None:
    served = decide("m", deployed("m", ARN), endpoint("pricing-live", "IN_SERVICE"))

    assert served == Serving("serving", "deployment pricing-live is IN_SERVICE")


def test_a_deployment_without_status_serves_and_says_so() -> None:
    served = decide("m", deployed("m", "somewhere"), endpoint("somewhere"))

    assert served.state == "serving"
    assert "without status" in served.rule


def test_an_evaluation_is_no_deployment() -> None:
    assert decide("m", deployed("m", "proj.model_evaluation.7"), endpoint("proj.model_evaluation.7")).state == "unknown"


@pytest.mark.parametrize(
    ("aspects", "rule"),
    [
        ({"versionProperties": {"aliases": [{"versionTag": "Champion"}]}}, "alias Champion"),
        ({"globalTags": {"tags": [{"tag": "urn:li:tag:mlflow_production"}]}}, "tag mlflow_production"),
        (
            {"structuredProperties": {"properties": [STAGE]}},
            "property stage = prod",
        ),
    ],
)
def test_aliases_tags_and_structured_properties(aspects: dict[str, Any], rule: str) -> None:
    assert decide("m", model_entity("m", serving=None, **aspects)) == Serving("serving", rule)


@pytest.mark.parametrize("value", ["true", '"true"', "Production", "live"])
def test_a_property_may_stand_in_quotes(value: str) -> None:
    entity = model_entity("m", serving=None, properties={"customProperties": {"deployed": value}})

    assert decide("m", entity).state == "serving"


def test_a_scoring_job_makes_a_batch_model_serve() -> None:
    job = "urn:li:dataJob:(urn:li:dataFlow:(vertexai,weekly,PROD),score)"
    entity = model_entity("m", serving=None, properties={"downstreamJobs": [job]})

    assert decide("m", entity).state == "serving"


@pytest.mark.parametrize(
    "aspects",
    [
        {"globalTags": {"tags": [{"tag": "urn:li:tag:mlflow_staging"}]}},
        {"globalTags": {"tags": [{"tag": "urn:li:tag:mlflow_archived"}]}},
        {"versionProperties": {"aliases": [{"versionTag": "challenger"}]}},
        {"deprecation": {"deprecated": True}},
    ],
)
def test_what_says_the_opposite(aspects: dict[str, Any]) -> None:
    assert decide("m", model_entity("m", serving=None, **aspects)).state == "not_serving"


def test_serving_false_is_believed() -> None:
    assert decide("m", model_entity("m", serving=False)).state == "not_serving"


@pytest.mark.parametrize(("maturity", "state"), [("high", "serving"), ("low", "not_serving"), ("", "unknown")])
def test_an_exposure_serves_by_its_maturity(maturity: str, state: str) -> None:
    urn = "urn:li:dashboard:(dbt,exposure.shop.churn)"
    held = {"dashboardInfo": {"customProperties": {"maturity": maturity}}, "subTypes": {"typeNames": ["ML Model"]}}

    assert decide_serving(urn, World.of((urn, held)).graph(), Config()).state == state


def test_another_version_of_the_group_that_serves_decides_for_the_rest() -> None:
    group = "urn:li:mlModelGroup:(urn:li:dataPlatform:mlflow,churn,PROD)"
    old = model_entity("churn_1", serving=None, properties={"groups": [group]})
    new = model_entity("churn_2", serving=True, properties={"groups": [group]})
    new[1]["mlModelProperties"]["customProperties"] = {"serving": "true"}

    assert decide("churn_1", old, new).state == "not_serving"
    assert "churn_2" in decide("churn_1", old, new).rule


def test_prod_in_a_urn_and_nothing_else_decides_nothing() -> None:
    assert decide("m", model_entity("m", serving=None)).state == "unknown"


# --- owner ---------------------------------------------------------------------------------------------------------


def owned(urn: str, name: str) -> tuple[str, dict[str, Any]]:
    return urn, {"ownership": {"owners": [{"owner": f"urn:li:corpGroup:{name}"}]}}


def trail(model_urn: str | None = None) -> Trail:
    steps = (Step(table("shop.raw.orders")[0], "discount_pct", "sql"), Step(feature("t.f"), None, "relationship"))
    return Trail(drop("shop.raw.orders.discount_pct"), steps, "stops", feature("t.f"), model_urn or model("churn"))


def test_the_models_own_owner_stands_bare() -> None:
    graph = World.of(model_entity("churn", "t.f", owner="growth-ml")).graph()

    assert find_owner(trail(), graph, Config()) == "growth-ml"


def test_other_levels_are_named() -> None:
    group = "urn:li:mlModelGroup:(urn:li:dataPlatform:mlflow,churn,PROD)"
    live = deployment("live")
    feature_table = "urn:li:mlFeatureTable:(urn:li:dataPlatform:feast,t)"
    churn = model_entity("churn", "t.f", properties={"groups": [group], "deployments": [live]})
    holds = (feature_table, {"mlFeatureTableProperties": {"mlFeatures": [feature("t.f")]}})
    levels = [
        (owned(group, "a"), "a (owner of the model group)"),
        (owned(live, "b"), "b (owner of the deployment)"),
        (owned(table("shop.raw.orders")[0], "d"), "d (owner of the feature's dataset)"),
    ]

    for level, said in levels:
        assert said == find_owner(trail(), World.of(churn, level).graph(), Config())
    both = (feature_table, {**holds[1], **owned(feature_table, "c")[1]})
    assert find_owner(trail(), World.of(churn, both).graph(), Config()) == "c (owner of the feature table)"


def test_the_configuration_answers_last_and_else_nobody() -> None:
    graph = World.of(model_entity("churn", "t.f"), feature_entity("t.f")).graph()

    assert find_owner(trail(), graph, Config(models={"churn": ModelConfig(owner="crm")})) == "crm (.tether.yml)"
    assert find_owner(trail(), graph, Config()) == "unknown"


# --- last trained --------------------------------------------------------------------------------------------------

JULY_14 = 1_783_987_200_000  # 2026-07-14T00:00:00Z


def test_the_end_of_a_completed_run_is_when_it_was_trained() -> None:
    run = "urn:li:dataProcessInstance:abc"
    event = {"status": "COMPLETE", "timestampMillis": JULY_14 + 3_600_000}
    entity = model_entity("m", properties={"trainingJobs": [run], "created": {"time": 1}})
    graph = World.of(entity, (run, {"dataProcessInstanceRunEvent": event})).graph()

    assert find_last_trained(model("m"), graph).day == "2026-07-14"


DAY = 86_400_000


def told(status: str, day: int, result: str | None = None) -> dict[str, Any]:
    held: dict[str, Any] = {"status": status, "timestampMillis": JULY_14 + day * DAY}
    return {**held, "result": {"type": result, "nativeResultType": "mlflow"}} if result else held


@pytest.mark.parametrize(
    ("events", "day"),
    [
        ([told("COMPLETE", 0, "SUCCESS"), told("STARTED", 3)], "2026-07-14"),
        ([told("COMPLETE", 2, "FAILURE"), told("COMPLETE", 0, "SUCCESS"), told("STARTED", 1)], "2026-07-14"),
        ([told("STARTED", -1), told("COMPLETE", 1, "SUCCESS"), told("COMPLETE", 0, "SUCCESS")], "2026-07-15"),
        ([told("COMPLETE", 0), told("COMPLETE", 5, "SKIPPED"), told("COMPLETE", 6, "UP_FOR_RETRY")], "2026-07-14"),
        ([told("STARTED", 0), told("COMPLETE", 1, "FAILURE")], "unknown"),
        ([{"status": "COMPLETE", "timestampMillis": "today"}, {"status": 7}, {}], "unknown"),
    ],
    ids=["under way", "failed later", "out of order", "no result", "never ended well", "odd"],
)
def test_of_several_events_the_newest_good_end_counts(events: list[dict[str, Any]], day: str) -> None:
    run = "urn:li:dataProcessInstance:abc"
    graph = World.of(
        model_entity("m", properties={"trainingJobs": [run]}),
        (run, {"dataProcessInstanceRunEvent": {"events": events}}),
    ).graph()

    assert find_last_trained(model("m"), graph).day == day


def test_the_newest_of_several_runs_is_named() -> None:
    runs = {
        f"urn:li:dataProcessInstance:{name}": told("COMPLETE", day, "SUCCESS") for name, day in (("a", 3), ("b", 1))
    }
    entities = [(urn, {"dataProcessInstanceRunEvent": event}) for urn, event in runs.items()]
    graph = World.of(model_entity("m", properties={"trainingJobs": list(runs)}), *entities).graph()

    assert find_last_trained(model("m"), graph) == Trained("2026-07-17", "training run a completed")


def test_a_run_that_names_the_model_as_its_output_trained_it() -> None:
    run = "urn:li:dataProcessInstance:abc"
    held = {
        "dataProcessInstanceOutput": {"outputs": [model("m")]},
        "dataProcessInstanceRunEvent": told("COMPLETE", 0, "SUCCESS"),
    }
    graph = World.of(model_entity("m"), (run, held)).graph()

    assert find_last_trained(model("m"), graph).day == "2026-07-14"
    assert find_training_runs([model("m")], graph) == {run}


def test_events_that_could_not_be_read_leave_no_other_day() -> None:
    run = "urn:li:dataProcessInstance:abc"
    entity = model_entity("m", properties={"trainingJobs": [run], "created": {"time": JULY_14}})
    graph = World.of(entity, (run, {"dataProcessInstanceKey": {"id": "abc"}}), unread=frozenset({run})).graph()

    assert find_last_trained(model("m"), graph) == Trained(
        "unknown", "the events of training run abc could not be read"
    )


@pytest.mark.parametrize(
    ("properties", "day", "rule"),
    [
        ({"trainingMetrics": [{"name": "auc", "createdAt": JULY_14}], "created": {"time": 1}}, "2026-07-14", "metric"),
        ({"trainingMetrics": [{"name": "auc", "value": "0.9"}], "date": JULY_14}, "2026-07-14", "its version was made"),
        (
            {"version": {"versionTag": "7"}, "created": {"time": JULY_14}, "lastModified": {"time": JULY_14 + DAY}},
            "2026-07-14",
            "version 7 was registered",
        ),
        ({"lastModified": {"time": JULY_14}}, "2026-07-14", "was last changed"),
        ({}, "unknown", "neither a training run"),
    ],
    ids=["metric", "date", "created", "lastModified", "nothing"],
)
def test_without_a_run_the_models_own_properties_tell_and_are_named(
    properties: dict[str, Any], day: str, rule: str
) -> None:
    trained = find_last_trained(model("m"), World.of(model_entity("m", properties=properties)).graph())

    assert trained.day == day
    assert rule in trained.rule


def test_a_sagemaker_job_tells_it_among_its_properties() -> None:
    job = "urn:li:dataJob:(urn:li:dataFlow:(sagemaker,x,PROD),train)"
    held = {"dataJobInfo": {"customProperties": {"TrainingEndTime": "2026-06-30 10:11:12+00:00"}}}
    graph = World.of(model_entity("m", properties={"trainingJobs": [job]}), (job, held)).graph()

    assert find_last_trained(model("m"), graph).day == "2026-06-30"


def test_failing_that_the_day_the_version_was_made() -> None:
    graph = World.of(model_entity("m", properties={"created": {"time": JULY_14}})).graph()

    assert find_last_trained(model("m"), graph).day == "2026-07-14"


@pytest.mark.parametrize("created", [None, {}, {"time": 0}, {"time": "yesterday"}, {"time": True}, "nonsense"])
def test_nothing_trustworthy_is_unknown(created: object) -> None:
    graph = World.of(model_entity("m", properties={"created": created})).graph()

    assert find_last_trained(model("m"), graph).day == "unknown"


def test_an_exposure_has_no_training_day() -> None:
    urn = "urn:li:dashboard:(dbt,exposure.shop.churn)"
    held = {"dashboardInfo": {"lastModified": {"created": {"time": JULY_14}}}}

    assert find_last_trained(urn, World.of((urn, held)).graph()).day == "unknown"


@pytest.mark.parametrize(
    ("millis", "day"),
    [
        (1, "1970-01-01"),
        (951_782_400_000, "2000-02-29"),
        (951_868_800_000, "2000-03-01"),
        (1_709_251_199_999, "2024-02-29"),
        (4_107_542_400_000, "2100-03-01"),
    ],
)
def test_days_of_the_civil_calendar(millis: int, day: str) -> None:
    assert find_day(millis) == day
