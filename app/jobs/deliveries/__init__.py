"""What each delivery asks for that is no review of one head: one module for each kind of request.

`pull_request` (opened, pushed to) and `merge_group` (checks requested) are reviews: `app.review.review`.
"""

from __future__ import annotations

from typing import assert_never

from app.jobs.deliveries.close import close
from app.jobs.deliveries.installation import settle_installation
from app.jobs.deliveries.merge_group import drop_group
from app.jobs.deliveries.push import review_after_push
from app.jobs.deliveries.rerequest import review_again
from app.jobs.sweep import sweep
from app.lineage.scheduled import repair_installation
from app.requests import (
    CloseRequest,
    InstallationRequest,
    Job,
    MergeGroupRequest,
    PushRequest,
    RepairRequest,
    RerequestRequest,
    ReviewRequest,
    SweepRequest,
)
from app.review.context import ReviewContext


async def perform_other(context: ReviewContext, job: Job) -> None:
    request = job.request
    match request:
        case CloseRequest():
            await close(context, job, request)
        case RerequestRequest():
            await review_again(context, job, request)
        case PushRequest():
            await review_after_push(context, job, request)
        case InstallationRequest():
            await settle_installation(context, job, request)
        case RepairRequest():
            await repair_installation(context, job, request)
        case MergeGroupRequest():
            drop_group(request)
        case SweepRequest():
            await sweep(context, job, request)
        case ReviewRequest():
            raise TypeError("a review is run in steps of its own")
        case _:
            assert_never(request)
