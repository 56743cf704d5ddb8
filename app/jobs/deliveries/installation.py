"""Tether was installed, removed, suspended, or given or denied repositories.

Data of what left goes; the SQL of what came is indexed, and its open pull requests are judged.
"""

from __future__ import annotations

import logging

from app.jobs.retention import forget_left, forget_others
from app.requests import InstallationRequest, Job, RepairRequest, SweepRequest
from app.review.context import ReviewContext
from app.review.journal import quote
from app.source.selection import choose_read
from app.words import Permanent

log = logging.getLogger(__name__)


async def settle_installation(context: ReviewContext, job: Job, request: InstallationRequest) -> None:
    """The first review need not wait for SQL to be indexed."""
    await forget_left(context, request)
    if request.change == "deleted":
        return
    if request.change in ("created", "unsuspended") or request.added:
        only = None if request.change != "repositories" else frozenset(repo_id for repo_id, _ in request.added)
        await index_installation(context, job, only)
        await context.enqueue(RepairRequest(f"{request.delivery}:repair", request.installation_id, "install"))
    if request.change not in ("deleted", "suspended"):  # what was opened before, or could not be judged, is judged now
        await context.enqueue(SweepRequest(f"{request.delivery}:sweep", request.installation_id))


async def index_installation(context: ReviewContext, job: Job, only: frozenset[int] | None = None) -> None:
    """Brings the index of the installation's repositories up to date (`only` None: of all), and drops that of others.

    What cannot be read is skipped here: a review that needs it says so.
    """
    forge, index = context.forge(job), context.index(job)
    listed = await forge.fetch_repositories()
    await forget_others(context, job.request.installation_id, listed)
    for repo in listed:
        if only is None or repo.id in only:
            try:
                await index.update(forge, repo, choose_read)
            except Permanent as error:
                log.warning("repository %s cannot be indexed: %s", repo.id, quote(str(error)))
