"""Carries out what a review planned: incidents and edges in the catalog, then the check run, then the comment.

Every effect has a key and looks for what it already did: in our rows, then outside. So a step that is run again after a crash
changes nothing twice. What the catalog refuses never keeps the check from being concluded; the check says it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal

from app.edges.store import (
    AuditRow,
    PullKey,
    load_audit,
    load_comment_row,
    set_comment,
    set_review,
    set_shown,
)
from app.effects import (
    CHECK_BYTES,
    COMMENT_MARKER,
    CheckOutput,
    Performed,
    ReviewFacts,
    cut_bytes,
    escape,
    plan_edge_writes,
    plan_suggestions,
    render_check,
    render_comment,
    render_resolved_comment,
)
from app.requests import Job
from app.review.conclude import RANKS, conclude_check
from app.review.context import Begun, ReviewContext, pull_key
from app.review.incidents import perform_incidents
from app.review.journal import name_job
from app.words import Permanent, Repo

log = logging.getLogger(__name__)
#: what people did, in one check: the last few
MOST_PRESSED = 5
LABELS = {"confirm": "Confirm edges", "reject": "Reject edges", "re-run": "Re-run"}


async def perform(context: ReviewContext, job: Job, begun: Begun, facts: ReviewFacts) -> str:
    """The verdict's word. Raises `Superseded` before the first effect of a head that is no longer the newest."""
    incidents = await perform_incidents(context, job, facts)
    edges = await _perform_edges(context, job, facts)
    facts = replace(
        facts, performed=(*facts.performed, *incidents, *edges), pressed=await _remember(context, job, edges)
    )
    repo, word = facts.subject.repo, facts.verdict.word
    output = render_check(facts)
    await conclude_check(context, job, repo, output, rank=RANKS[word], by=job.owner)
    commented, _ = await context.store.run(load_comment_row, pull_key(job))
    if facts.subject.pull is not None and (problem := await _perform_comment(context, job, repo, facts)):
        await conclude_check(context, job, repo, add_problem(output, problem), rank=RANKS[word], by=job.owner)
    # Suggestions follow the comment: where our rows know of none and reach back far enough, there are no suggestions either.
    earlier: Literal["no", "maybe"] = "maybe"
    if not commented and await context.knows_all_of(job, begun.opened):
        earlier = "no"
    await _perform_suggestions(context, job, repo, facts, earlier)
    seconds = round(time.time() - begun.started, 3)
    await context.store.run(
        set_review,
        pull_key(job),
        head_sha=facts.subject.head_sha,
        word=word,
        removals=len(facts.removals),
        duration_s=seconds,
    )
    verdict = facts.verdict
    log.info(
        "%s: concluded %s (%s) in %.1f s, %s findings, %s unknowns, %s catalog effects (%s failed)",
        name_job(job.request),
        word,
        verdict.conclusion,
        seconds,
        len(verdict.findings),
        len(verdict.unknowns),
        len(facts.performed),
        sum(one.outcome == "failed" for one in facts.performed),
    )
    return word


def add_problem(output: CheckOutput, problem: str) -> CheckOutput:
    """The output with a sentence before its summary; GitHub's limit is 65,535 bytes, cut at a character's boundary."""
    return replace(output, summary=cut_bytes(f"{escape(problem)}\n\n{output.summary}", CHECK_BYTES, "\n\n… cut"))


# --- edges ---------------------------------------------------------------------------------------------------------


async def _perform_edges(context: ReviewContext, job: Job, facts: ReviewFacts) -> list[Performed]:
    """What this change showed to be missing, and what an ingestion dropped of ours along the trails since it was written."""
    edges = facts.edges if facts.subject.to_default_branch else ()
    if why := facts.permitted.no_edges:
        return [Performed(f"{len(edges)} edges", "edge", "not allowed", why)] if edges else []
    key = pull_key(job)
    writer = context.open_lineage(
        job.owner, job.request.installation_id, (key.repo_id, key.pull), lambda: context.check_newest(job)
    )
    fresh = await writer.write(plan_edge_writes(edges, job.owner))
    touched = {edge.entity for edge in edges}
    along = {urn for finding in facts.verdict.findings for urn in finding.trail} - touched
    kept = await writer.keep(along) if along else ()
    # what people refused is never proposed again, and need not be told with every review
    return [one for one in (*fresh, *kept) if one.outcome not in ("rejected", "declared")]


async def _remember(context: ReviewContext, job: Job, edges: Sequence[Performed]) -> tuple[str, ...]:
    """Which edges this check's buttons are about; and what was done with the buttons before."""
    key = pull_key(job)
    pull = (key.repo_id, key.pull)
    shown = [one.what.partition(" -> ") for one in edges if one.outcome in ("written", "already there")]
    triples = [(upstream, downstream) for upstream, arrow, downstream in shown if arrow]
    await context.store.run(set_shown, job.request.installation_id, pull, triples)
    rows = await context.store.run(load_audit, pull=pull, limit=MOST_PRESSED)
    return tuple(tell_pressed(row) for row in rows)


def tell_pressed(row: AuditRow) -> str:
    day = f"{datetime.fromtimestamp(row.at, UTC):%Y-%m-%d}"
    return f"{row.who} pressed {LABELS[row.what]} on {day}: {row.outcome}"


# --- the comment ---------------------------------------------------------------------------------------------------


async def _perform_comment(context: ReviewContext, job: Job, repo: Repo, facts: ReviewFacts) -> str:
    """One comment per pull request; "" or a sentence for the check when GitHub does not let us comment."""
    await context.check_newest(job)
    key = pull_key(job)
    known, comment_id = await context.store.run(load_comment_row, key)
    body = render_comment(facts)
    if body is None and not known:
        return ""
    try:
        await _upsert_comment(context, job, repo, key, body, comment_id, render_resolved_comment(facts))
    except Permanent as error:
        return f"Tether could not write its comment: {error}"
    return ""


async def _upsert_comment(
    context: ReviewContext, job: Job, repo: Repo, key: PullKey, body: str | None, comment_id: int | None, resolved: str
) -> None:
    forge = context.forge(job)
    text = resolved if body is None else body
    if comment_id is not None and await forge.update_comment(repo, comment_id, text):
        return
    if comment_id is None:
        await context.store.run(set_comment, key, None)
        found = await forge.fetch_comment(repo, key.pull, COMMENT_MARKER)
        if found is not None:
            await context.store.run(set_comment, key, found[0])
            if found[1] != text:
                await forge.update_comment(repo, found[0], text)
            return
    if body is not None:  # somebody deleted the last one: a resolved one is not worth a new comment
        await context.store.run(set_comment, key, await forge.create_comment(repo, key.pull, text))


# --- suggestions ---------------------------------------------------------------------------------------------------


async def _perform_suggestions(
    context: ReviewContext, job: Job, repo: Repo, facts: ReviewFacts, earlier: Literal["no", "maybe"]
) -> None:
    """Buttons beside the lines; the check shows the same, so that one which GitHub does not take is only logged."""
    for suggestion in plan_suggestions(facts) if facts.subject.pull is not None else ():
        await context.check_newest(job)
        try:
            number = pull_key(job).pull
            await context.forge(job).ensure_suggestion(
                repo, number, facts.subject.head_sha, suggestion, earlier=earlier
            )
        except Permanent as error:
            log.info("%s: no suggestion: %s", name_job(job.request), error)
