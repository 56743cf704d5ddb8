"""The default branch moved: readers may have come or gone, so open pull requests with removals are judged again.

The repository's SQL is indexed anew, and the graph is repaired from it.
"""

from __future__ import annotations

import logging

from app.edges.store import load_pulls_with_removals
from app.jobs.deliveries.again import make_again
from app.ports import Forge
from app.requests import Job, PushRequest, RepairRequest
from app.review.context import ReviewContext
from app.review.journal import quote
from app.source.repo_files import Wanted, find_differences, find_wanted
from app.source.selection import choose_read
from app.words import Permanent, Repo

log = logging.getLogger(__name__)


async def review_after_push(context: ReviewContext, job: Job, request: PushRequest) -> None:
    forge = context.forge(job)
    pushed = await forge.fetch_repo(request.repo_id)
    now = await context.index(job).update(forge, pushed, choose_read)
    matters = await _fetch_sql_changed(forge, pushed, request.before, now)
    waiting = await context.store.run(load_pulls_with_removals, request.installation_id) if matters else ()
    for repo_id, number in waiting:
        try:
            repo = await forge.fetch_repo(repo_id)
            pull = await forge.fetch_pull(repo, number)
        except Permanent as error:  # its repository left: the others are judged all the same
            log.warning("pull request %s of repository %s is not judged again: %s", number, repo_id, quote(str(error)))
            continue
        if pull.state == "open":
            await context.enqueue(make_again(job, repo, pull, "push"))
    await context.enqueue(RepairRequest(f"{request.delivery}:repair", request.installation_id, "push"))


async def _fetch_sql_changed(forge: Forge, repo: Repo, before: str, now: Wanted | None) -> bool:
    """Whether anything that a review reads differs from the commit before the push; yes where that cannot be told.

    What the index held is no measure: a review may have brought it up to date already.
    """
    if now is None or not before.strip("0"):
        return True
    try:
        listing = await forge.fetch_tree(repo, before)
    except Permanent:
        return True
    old = find_wanted(listing, choose_read(entry.path for entry in listing.entries))
    return listing.truncated or now.listing.truncated or bool(find_differences(old, now))
