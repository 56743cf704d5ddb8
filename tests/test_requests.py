"""Job requests survive the queue: JSON and back without loss, and across an upgrade that adds a key."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.codec import encode
from app.requests import (
    CloseRequest,
    InstallationRequest,
    JobRequest,
    MergeGroupRequest,
    PushRequest,
    RepairRequest,
    RerequestRequest,
    ReviewRequest,
    decode_request,
)
from app.words import Permanent
from tests.jobs.requests import review

REQUESTS = st.one_of(
    *(
        st.builds(kind)
        for kind in (ReviewRequest, CloseRequest, RerequestRequest, PushRequest, MergeGroupRequest, RepairRequest)
    ),
    st.builds(InstallationRequest),
)


@given(REQUESTS)
def test_a_request_comes_back_as_it_was(request_: JobRequest) -> None:
    assert decode_request(json.loads(json.dumps(encode(request_)))) == request_


@given(REQUESTS)
def test_jobs_of_one_installation_share_a_partition(request_: JobRequest) -> None:
    assert request_.partition == str(request_.installation_id)


@given(REQUESTS)
def test_a_key_of_a_later_version_is_left_out(request_: JobRequest) -> None:
    assert decode_request({**encode(request_), "added_later": 1}) == request_


def test_what_is_no_request_is_refused() -> None:
    with pytest.raises(Permanent, match="'mail'"):
        decode_request({"kind": "mail"})
    with pytest.raises(Permanent, match="installation_id"):
        decode_request({"kind": "review", "delivery": "d"})


def test_a_request_of_an_earlier_version_still_loads() -> None:
    """As version 1.0 stored them: with keys that have gone since, and a head that was said to be a fork's twice."""
    stored = {
        "kind": "review",
        "delivery": "d",
        "installation_id": 9,
        "repo_id": 1,
        "repo_full_name": "acme/warehouse",
        "pull": 7,
        "head_sha": "a" * 40,
        "base_ref": "main",
        "updated_at": "2026-01-01T00:00:01Z",
        "reason": "synchronize",
        "head_repo_id": 1,
        "head_fork": False,
        "draft": False,
    }

    assert decode_request(stored) == review("d", second=1)
