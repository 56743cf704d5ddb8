"""What a step hands on comes back as it was, through JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.codec import decode, encode
from app.effects import CheckOutput, Incident, ReviewFacts
from app.review.context import Begun
from app.words import Permanent, Repo
from tests.laws import examples

st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))


@examples(20)
@given(st.from_type(ReviewFacts))
def test_a_judgement_survives_json(judged: ReviewFacts) -> None:
    assert decode(ReviewFacts, json.loads(json.dumps(encode(judged)))) == judged


@given(st.one_of(st.from_type(CheckOutput), st.from_type(Incident), st.from_type(Begun)))
def test_the_smaller_ones_too(value: object) -> None:
    assert decode(type(value), json.loads(json.dumps(encode(value)))) == value


def test_a_job_outlives_an_upgrade() -> None:
    stored = {"id": 1, "full_name": "a/b", "colour": "from a later version"}
    assert decode(Repo, stored) == Repo(1, "a/b")


@pytest.mark.parametrize(
    "stored",
    [
        None,
        {},
        {"id": "1", "full_name": "a/b"},
        {"id": True, "full_name": "a/b"},
        {"id": 1, "full_name": None},
        {"id": 1, "full_name": "a/b", "visibility": "secret"},
    ],
)
def test_what_is_not_such_a_value_is_refused_with_a_reason(stored: object) -> None:
    with pytest.raises(Permanent, match="replay it"):
        decode(Repo, stored)


def test_only_values_can_be_stored() -> None:
    with pytest.raises(TypeError, match="set"):
        encode({1})
