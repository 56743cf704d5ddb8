"""Our check run on a head: made once, concluded by whoever is newest, and never left in progress.

Own row first, then GitHub, then create: a job that died in between finds what it made. Jobs that share a head take turns.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from typing import Final, Literal

from app.codec import decode, encode
from app.edges.store import (
    CheckKey,
    CheckRow,
    claim_check,
    load_check,
    load_head,
    load_is_head_elsewhere,
    load_result,
    release_check,
    set_check_run_id,
    set_concluded,
    set_output_unknown,
    set_result,
)
from app.effects import Annotation, CheckOutput
from app.requests import Job, ReviewRequest
from app.review.context import ReviewContext, pull_key
from app.review.failures import render_superseded
from app.words import Repo, Transient

#: how bad a verdict is, for two pull requests that share a head; a failed review ranks as unassessable
RANKS: Final = {"pass": 0, "warn": 1, "unassessable": 2, "block": 3}
CLAIM_POLL_S: Final = 0.2
CLAIM_TRIES: Final = 400  # longer than a claim lasts: whoever died in it has lost it by then


async def ensure_check(context: ReviewContext, job: Job, repo: Repo, *, opened: str = "") -> int:
    """The id of the head's check run, created in progress if there is none. `opened`: when the pull request was; GitHub need
    not be asked for a run where our rows would know of it."""
    async with _claimed(context, job) as row:
        if row.check_run_id is not None:
            return row.check_run_id
        if row.is_new and await context.knows_all_of(job, opened):
            return await _create(context, job, repo)
        return await _fetch_or_create(context, job, repo)


async def conclude_check(
    context: ReviewContext, job: Job, repo: Repo, output: CheckOutput, *, rank: int, by: str = ""
) -> None:
    """Tells GitHub, unless it has been told exactly that. Raises `Superseded` when a newer event came meanwhile.

    Of several pull requests with this head the worst output shows. `by` names the job whose verdict this is.
    """
    async with _claimed(context, job) as row:
        await context.check_newest(job)
        mine = {**encode(output), "by": by}
        worst = await context.store.run(set_result, key_of(context, job), pull_key(job).pull, rank=rank, output=mine)
        shown = output if worst is mine else decode(CheckOutput, dict(worst))
        # After a Re-run GitHub waits for the check to be completed again, even if there is nothing new to say.
        if _is_asked_again(job) or row.digest != _digest(shown):
            await _post_output(context, job, repo, row, shown)


def _is_asked_again(job: Job) -> bool:
    request = job.reviewed
    return request.reason == "rerequested" if isinstance(request, ReviewRequest) else request.again


async def fetch_posted_output(context: ReviewContext, job: Job) -> tuple[CheckOutput, int] | None:
    """The verdict that this job has told GitHub already, with its rank; None before that."""
    row = await context.store.run(load_check, key_of(context, job))
    found = await context.store.run(load_result, key_of(context, job), pull_key(job).pull)
    if row is None or not row.concluded or found is None or found.output.get("by") != job.owner:
        return None
    return decode(CheckOutput, dict(found.output)), found.rank


async def cancel_check(context: ReviewContext, job: Job, repo: Repo) -> None:
    """Concludes a superseded head's check run as cancelled: only on its own sha, only if it is still in progress."""
    request = job.reviewed
    if await context.store.run(load_check, key_of(context, job)) is None:
        return
    if isinstance(request, ReviewRequest):
        head = await context.store.run(load_head, request.repo_id, request.pull)
        if head is not None and head.head_sha == request.head_sha and not head.closed:
            return  # the newer job is about the same commit and concludes the same check run
        if await context.store.run(load_is_head_elsewhere, request.repo_id, request.pull, request.head_sha):
            return
    async with _claimed(context, job) as row:
        if row.concluded:
            return
        found = row.check_run_id or await context.forge(job).fetch_check_run(repo, request.head_sha, context.check_name)
        if found is not None:
            await _post_output(context, job, repo, replace(row, check_run_id=found), render_superseded())


def key_of(context: ReviewContext, job: Job) -> CheckKey:
    request = job.reviewed
    return CheckKey(request.installation_id, request.repo_id, request.head_sha, context.check_name)


@asynccontextmanager
async def _claimed(context: ReviewContext, job: Job) -> AsyncIterator[CheckRow]:
    key = key_of(context, job)
    for _ in range(CLAIM_TRIES):
        row = await context.store.run(claim_check, key, job.owner)
        if row is not None:
            break
        await context.sleep(CLAIM_POLL_S)
    else:
        raise Transient(f"another review of {key.head_sha[:12]} does not let go of its check run")
    try:
        yield row
    finally:
        await context.store.run(release_check, key, job.owner)


async def _fetch_or_create(context: ReviewContext, job: Job, repo: Repo) -> int:
    key = key_of(context, job)
    found = await context.forge(job).fetch_check_run(repo, key.head_sha, key.name)
    if found is None:
        return await _create(context, job, repo)
    await context.store.run(
        set_output_unknown, key
    )  # made by a job whose rows are lost, or that died: it may have said things
    await context.store.run(set_check_run_id, key, found)
    return found


async def _create(context: ReviewContext, job: Job, repo: Repo) -> int:
    key = key_of(context, job)
    made = await context.forge(job).create_check_run(repo, key.head_sha, key.name, external_id=job.owner)
    await context.store.run(set_check_run_id, key, made)
    return made


async def _post_output(context: ReviewContext, job: Job, repo: Repo, row: CheckRow, output: CheckOutput) -> None:
    """GitHub appends annotations with every update, so those it has are left out."""
    key = key_of(context, job)
    check_run_id = row.check_run_id
    if check_run_id is None:
        check_run_id = await _fetch_or_create(context, job, repo)
        now = await context.store.run(load_check, key)
        row = row if now is None else now
    new = tuple(a for a in output.annotations if _digest(a) not in row.annotated)
    annotated: Literal["no", "maybe"] = "no" if row.digest is None else "maybe"
    await context.store.run(set_output_unknown, key)
    await context.forge(job).conclude_check_run(
        repo, check_run_id, replace(output, annotations=new), annotated=annotated
    )
    await context.store.run(
        set_concluded,
        key,
        conclusion=output.conclusion,
        digest=_digest(output),
        annotated=row.annotated | {_digest(a) for a in new},
    )


def _digest(value: CheckOutput | Annotation) -> str:
    return hashlib.sha256(json.dumps(asdict(value), sort_keys=True).encode()).hexdigest()
