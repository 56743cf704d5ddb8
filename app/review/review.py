"""One review, on one page: begin, judge, publish. Fetch, decide, plan, perform; whatever happens, the check run is concluded.

The queue runs these as checkpointed steps and may run any of them again from its start, so each looks before it acts. Each
effect asks first whether its head is still the newest. Deliberately absent: what a change means (`app.review.assess` and the
core), how effects are carried out (`app.review.publish`), retries and their waits (`app.jobs.queue`).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any, TypeVar

from app.edges.store import HeadEvent, move_head
from app.effects import ReviewFacts, ReviewSubject
from app.ports import Forge, Pull
from app.requests import Job, MergeGroupRequest, ReviewRequest, Superseded, make_review
from app.review.advise import advise
from app.review.assess import Assessment, ChangeInputs
from app.review.conclude import RANKS, cancel_check, conclude_check, ensure_check, fetch_posted_output
from app.review.config_verdict import add_config_finding, judge_config
from app.review.context import Begun, ReviewContext
from app.review.failures import Cause, observe_failure, render_given_up, render_waiting
from app.review.fetch_config import fetch_observed
from app.review.gather import gather
from app.review.journal import name_job, quote
from app.review.permitted import find_permitted
from app.review.publish import add_problem, perform
from app.review.soften import QuestionBudget, soften_block
from app.words import Permanent, Repo, Transient

T = TypeVar("T")
log = logging.getLogger(__name__)


class Reviews:
    """The steps of a review, which `app.jobs.work` runs and stores the answers of."""

    def __init__(self, context: ReviewContext) -> None:
        self._context = context

    async def begin(self, job: Job) -> Begun:
        """The check run stands on the head, in progress, before anything takes time."""
        started = time.time()
        await self._context.check_newest(job)
        repo, pull = await _fetch_subject(self._context.forge(job), job.reviewed)
        check_run_id = await ensure_check(self._context, job, repo, opened=pull.created_at if pull else "")
        log.info("%s: begun, attempt %s", name_job(job.request), job.attempt + 1)
        return Begun(repo, check_run_id, started, pull)

    async def judge(self, job: Job, begun: Begun) -> ReviewFacts:
        """The long part. It is given up as soon as a newer head is known."""
        return await _unless_superseded(self._context, job, _judge(self._context, job, begun))

    async def publish(self, job: Job, begun: Begun, facts: ReviewFacts) -> str:
        """Catalog first, so that the check can say what came of it; then the check; then the comment. The verdict's word."""
        return await perform(self._context, job, begun, facts)

    async def conclude_failed(self, job: Job, why: str, retry_in: float | None, cause: Cause = "outside") -> None:
        context, request = self._context, job.reviewed
        repo = Repo(request.repo_id, request.repo_full_name)  # asking for the current name may be what does not work
        if not why:
            await cancel_check(context, job, repo)
            return
        try:
            await self._conclude_with_reason(job, repo, why, retry_in, cause)
        except Superseded:
            await cancel_check(context, job, repo)

    async def _conclude_with_reason(self, job: Job, repo: Repo, why: str, retry_in: float | None, cause: Cause) -> None:
        """A verdict that was told already stands: only what was to come after it is missing."""
        posted = await fetch_posted_output(self._context, job)
        if posted is None:
            output = render_given_up(why, cause) if retry_in is None else render_waiting(why, retry_in)
            rank = RANKS["unassessable"]
            if await _fetch_observed(self._context, job, repo):
                output, rank = observe_failure(output), RANKS["warn"]
            await conclude_check(self._context, job, repo, output, rank=rank)
        elif retry_in is None:
            output = add_problem(posted[0], f"Not everything that follows from this verdict could be done: {why}")
            await conclude_check(self._context, job, repo, output, rank=posted[1], by=job.owner)


async def _fetch_subject(forge: Forge, request: ReviewRequest | MergeGroupRequest) -> tuple[Repo, Pull | None]:
    """The repository as it is now, by its id, and the pull request, which tells both in one answer."""
    if isinstance(request, MergeGroupRequest):
        return await forge.fetch_repo(request.repo_id), None
    pull = await forge.fetch_pull(Repo(request.repo_id, request.repo_full_name), request.pull)
    if pull.base_repo is not None and pull.base_repo.id == request.repo_id:
        return pull.base_repo, pull
    repo = await forge.fetch_repo(request.repo_id)  # another repository has that name now
    return repo, await forge.fetch_pull(repo, request.pull)


async def _fetch_observed(context: ReviewContext, job: Job, repo: Repo) -> bool:
    """What cannot be read is enforced: the reason may be the very thing that did not work."""
    try:
        return await fetch_observed(context.index(job), context.forge(job), repo, job.reviewed.base_ref)
    except (Transient, Permanent) as error:
        log.info("%s: the mode could not be read: %s", name_job(job.request), quote(str(error)))
        return False


async def _judge(context: ReviewContext, job: Job, begun: Begun) -> ReviewFacts:
    subject = await _settle_subject(context, job, begun)
    gathered = await gather(context.forge(job), context.index(job), subject)
    facts = judge_config(gathered)
    if facts is None:
        assessment = await _assess(context, job, gathered.inputs)
        facts = add_config_finding(assessment.facts, gathered.head_config_error, gathered.inputs.config.policy)
    return replace(facts, permitted=find_permitted(facts, gathered.inputs.config))


async def _assess(context: ReviewContext, job: Job, change: ChangeInputs) -> Assessment:
    """What the change takes away; a block softened where a reading of it proves the judge wrong, and with its advice."""
    ports = context.ports_of(job)
    catalog, isolation, cache = ports.catalog, ports.isolation, ports.cache
    assessment = await context.assess(change, catalog=catalog, isolation=isolation, cache=cache)
    if not change.subject.from_fork:
        budget = QuestionBudget(context.store, job.request.installation_id, context.llm_daily)
        assessment = await soften_block(change, assessment, context.assess, ports, budget)
    return await advise(change, assessment, context.assess, catalog=catalog, isolation=isolation, cache=cache)


async def _settle_subject(context: ReviewContext, job: Job, begun: Begun) -> ReviewSubject:
    request = job.reviewed
    subject = ReviewSubject(
        begun.repo, request.head_sha, request.base_ref, web_url=context.web_url, rules_url=context.rules_url
    )
    if isinstance(request, MergeGroupRequest):
        return replace(subject, base_sha=request.base_sha)
    pull = await _settle(context, job, request, begun)
    return replace(
        subject,
        pull=request.pull,
        # An event that is newer than the API's answer knows better which branch the pull request goes to.
        base_ref=pull.base_ref if pull.updated_at >= request.updated_at else request.base_ref,
        base_sha=pull.base_sha,
        from_fork=pull.head_repo_id != begun.repo.id,  # None: the fork is gone, and it was one
        is_draft=pull.draft,
    )


async def _settle(context: ReviewContext, job: Job, request: ReviewRequest, begun: Begun) -> Pull:
    """The pull request now. Right after a push the API may still answer the old head, and an old event names an old one:
    so it is asked twice, and if they still differ, the API's head gets a review of its own; the newer of the two wins."""
    forge, repo = context.forge(job), begun.repo
    pull = begun.pull or await forge.fetch_pull(repo, request.pull)
    if pull.head_sha != request.head_sha:
        await context.sleep(context.settle)
        pull = await forge.fetch_pull(repo, request.pull)
    if pull.state == "closed" and pull.updated_at >= request.updated_at:
        delivery = f"closed:{repo.id}:{pull.number}:{pull.updated_at}"
        event = HeadEvent(
            repo.id, pull.number, request.installation_id, pull.head_sha, pull.updated_at, delivery, closed=True
        )
        await context.store.run(move_head, event)
    elif pull.head_sha != request.head_sha:
        await context.enqueue(make_review(request.installation_id, repo, pull))
    await context.check_newest(job)
    return pull


async def _unless_superseded(context: ReviewContext, job: Job, work: Coroutine[Any, Any, T]) -> T:
    """The work's answer; raises `Superseded`, and ends the work, as soon as a newer event of the pull request is known."""
    running = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({running}, timeout=context.watch))[0]:
            await context.check_newest(job)
        return running.result()
    finally:
        if not running.done():
            running.cancel()
            await asyncio.wait({running})
