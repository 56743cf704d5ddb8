"""A graph index that lags, or is being rebuilt, is never green: over HTTP, with scenarios that need no index to be told apart."""

from __future__ import annotations

import pytest

from app.review import lag
from tests.fakes.serving import Answer, json_answer
from tests.judgement import Fault, Judge
from tests.suite import scenario

SCROLL = "/openapi/v3/relationship/scroll"

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lag, "PAUSE", 0)


def empty(until: int) -> Fault:
    """An index that answers with nothing, the first so many times."""

    def fault(method: str, path: str, before: int) -> Answer | None:
        del method
        return json_answer({"results": []}) if path == SCROLL and before < until else None

    return fault


@pytest.mark.parametrize("name", ["drop_unread_column", "declared_column_edge_and_no_sql", "feature_without_sources"])
async def test_an_empty_index_is_red_and_named(name: str) -> None:
    with Judge(scenario(name)) as judge:
        facts = await judge.assess(empty(1000))

    assert facts.verdict.word in ("block", "unassessable")
    assert "graph index is behind" in " ".join(unknown.why for unknown in facts.verdict.unknowns)


async def test_what_aspects_tell_is_followed_all_the_same() -> None:
    with Judge(scenario("declared_column_edge_and_no_sql")) as judge:
        facts = await judge.assess(empty(1000))

    assert facts.verdict.word == scenario("declared_column_edge_and_no_sql").verdict


@pytest.mark.parametrize("name", ["drop_unread_column", "declared_column_edge_and_no_sql"])
async def test_an_index_that_has_caught_up_when_asked_again_decides_nothing(name: str) -> None:
    with Judge(scenario(name)) as judge:
        facts = await judge.assess(empty(1))

    assert facts.verdict.word == scenario(name).verdict
    assert facts.verdict.unknowns == ()


async def test_an_edge_that_tether_just_wrote_is_no_contradiction() -> None:
    with Judge(scenario("feature_without_sources")) as judge:
        cold = await judge.assess()
        judged = await judge.repair(cold)
        facts = await judge.assess(lambda _, path, __: without(judged.plan.proven, path))

    assert facts.verdict.unknowns == cold.verdict.unknowns == ()


def without(written: object, path: str) -> Answer | None:
    """The index as it was before the repair: models and features only."""
    if path != SCROLL or not written:
        return None
    feature = "urn:li:mlFeature:(customer_features,discount_sensitivity)"
    model = "urn:li:mlModel:(urn:li:dataPlatform:mlflow,churn_propensity_v4,PROD)"
    row = {"relationshipType": "Consumes", "source": {"urn": model}, "destination": {"urn": feature}}
    return json_answer({"results": [row]})
