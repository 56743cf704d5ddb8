"""A merge queue's group: `checks_requested` is a review of base...head, `destroyed` ends it, a re-run asks for it again.

The review itself is that of a pull request (`app.review.review`), with the group's base in place of the branch's tip. It writes
no comment and nothing to the catalog; its rows are kept under pull 0.
"""

from __future__ import annotations

import logging
import re

from app.requests import MergeGroupRequest, RerequestRequest
from app.review.journal import name_job

log = logging.getLogger(__name__)


def drop_group(request: MergeGroupRequest) -> None:
    """Nothing to do: a review that still runs concludes a commit that nobody waits for any more."""
    log.info("%s: the queue has given it up", name_job(request))


def find_group(request: RerequestRequest) -> MergeGroupRequest | None:
    """The merge group whose check is asked for again: its branch is named after its base and the commit it starts from."""
    found = re.fullmatch(r"gh-readonly-queue/(.+)/pr-\d+-([0-9a-f]{40,64})", request.head_branch)
    if found is None:
        return None
    return MergeGroupRequest(
        delivery=f"{request.delivery}:group",
        installation_id=request.installation_id,
        repo_id=request.repo_id,
        repo_full_name=request.repo_full_name,
        head_sha=request.head_sha,
        base_sha=found[2],
        base_ref=found[1],
        again=True,
    )
