"""Which rule decides that a model serves, in order; who is told; when it was trained."""

from __future__ import annotations

from typing import Any

import pytest

from app.trail import Serving, Step, Trail, decide_serving, find_last_trained, find_owner
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

    assert find_last_trained(model("m"), graph) == "2026-07-14"


def test_a_sagemaker_job_tells_it_among_its_properties() -> None:
    job = "urn:li:dataJob:(urn:li:dataFlow:(sagemaker,x,PROD),train)"
    held = {"dataJobInfo": {"customProperties": {"TrainingEndTime": "2026-06-30 10:11:12+00:00"}}}
    graph = World.of(model_entity("m", properties={"trainingJobs": [job]}), (job, held)).graph()

    assert find_last_trained(model("m"), graph) == "2026-06-30"


def test_failing_that_the_day_the_version_was_made() -> None:
    graph = World.of(model_entity("m", properties={"created": {"time": JULY_14}})).graph()

    assert find_last_trained(model("m"), graph) == "2026-07-14"


@pytest.mark.parametrize("created", [None, {}, {"time": 0}, {"time": "yesterday"}, {"time": True}, "nonsense"])
def test_nothing_trustworthy_is_unknown(created: object) -> None:
    graph = World.of(model_entity("m", properties={"created": created})).graph()

    assert find_last_trained(model("m"), graph) == "unknown"


def test_an_exposure_has_no_training_day() -> None:
    urn = "urn:li:dashboard:(dbt,exposure.shop.churn)"
    held = {"dashboardInfo": {"lastModified": {"created": {"time": JULY_14}}}}

    assert find_last_trained(urn, World.of((urn, held)).graph()) == "unknown"


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
