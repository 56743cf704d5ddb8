"""Job requests survive the queue: JSON and back without loss, and across an upgrade that adds a key."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.requests import (
    CloseRequest,
    InstallationRequest,
    JobRequest,
    MergeGroupRequest,
    PushRequest,
    RepairRequest,
    RerequestRequest,
    ReviewRequest,
    from_json,
)

REQUESTS = st.one_of(
    *(
        st.builds(kind)
        for kind in (ReviewRequest, CloseRequest, RerequestRequest, PushRequest, MergeGroupRequest, RepairRequest)
    ),
    st.builds(InstallationRequest),
)


@given(REQUESTS)
def test_a_request_comes_back_as_it_was(request_: JobRequest) -> None:
    assert from_json(json.loads(json.dumps(request_.to_json()))) == request_


@given(REQUESTS)
def test_jobs_of_one_installation_share_a_partition(request_: JobRequest) -> None:
    assert request_.partition == str(request_.installation_id)


@given(REQUESTS)
def test_a_key_of_a_later_version_is_left_out(request_: JobRequest) -> None:
    assert from_json({**request_.to_json(), "added_later": 1}) == request_


def test_what_is_no_request_is_refused() -> None:
    with pytest.raises(ValueError, match="'mail'"):
        from_json({"kind": "mail"})
    with pytest.raises(TypeError):
        from_json({"kind": "review", "delivery": "d"})
