"""Repair of one whole installation: what SQL of all its default branches proves, kept in the catalog.

Asked for by an installation (the back-fill), by every push to a default branch, and by the clock. Running it again changes
nothing: everything is looked up first.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import Final

from app.effects import BackFill
from app.lineage.backfill import back_fill
from app.lineage.keep import KeptEdges, keep_edges
from app.lineage.plan import Branch, RepairPlan, fetch_repair_plan
from app.lineage.writer import LineageWriter
from app.ports import Forge
from app.requests import Job, RepairRequest
from app.review.config import ConfigError, Defaults, find_config_text, parse_config
from app.review.context import ReviewContext
from app.review.fetch_config import fetch_defaults, name_config
from app.review.journal import quote
from app.source.repo_files import Allowance, OrgIndex, for_each
from app.source.selection import choose_read
from app.words import Permanent, Repo, Transient

log = logging.getLogger(__name__)
#: repositories are read a few at a time
REPOSITORIES_AT_ONCE: Final = 3


@dataclass(frozen=True, slots=True)
class Branches:
    """What was read; `read` are the full names of repositories that were read whole, `notes` say what was not."""

    branches: tuple[Branch, ...]
    read: frozenset[str]
    notes: tuple[str, ...]


async def repair_installation(context: ReviewContext, job: Job, request: RepairRequest) -> BackFill:
    """Raises `Transient` when an edge could not be written because the catalog was away: the job tries again."""
    ports = context.ports_of(job)
    gathered = await gather_branches(context.forge(job), context.index(job))
    plan = await fetch_repair_plan(
        gathered.branches, catalog=ports.catalog, isolation=ports.isolation, cache=ports.cache
    )
    writer = LineageWriter(context.store, ports.writes, job.owner, request.installation_id)
    kept, fresh = await keep_edges(writer, plan, read=gathered.read)
    report = await back_fill(fresh, catalog=ports.catalog, write=writer.write, run_id=job.owner)
    report = replace(report, notes=(*gathered.notes, *report.notes))
    _log_repair(request, kept, report, plan)
    failed = [one for one in (*kept.restored, *kept.taken_back, *report.performed) if one.outcome == "failed"]
    if failed:
        raise Transient(f"{len(failed)} edges could not be settled: {failed[0].detail}")
    return report


async def gather_branches(forge: Forge, index: OrgIndex, only: str | None = None) -> Branches:
    """Every repository of the installation at its default branch, or the one of that full name. One that only observes writes
    nothing, so it is left out.
    """
    allowance = Allowance()
    defaults: dict[str, Defaults | None] = {}

    async def fetch(repo: Repo) -> tuple[Repo, Branch | None, str]:
        try:
            found = await index.fetch_repository(forge, repo, choose_read, allowance)
            if found.tree is None:
                return repo, None, found.unknown.why if found.unknown else ""
            owner = repo.full_name.partition("/")[0]
            if owner not in defaults:
                defaults[owner] = await fetch_defaults(forge, repo)
            text = find_config_text(found.tree)
            config = parse_config(text, name=name_config(repo), defaults=defaults[owner], repo=repo.full_name)
        except (Permanent, ConfigError) as error:
            return repo, None, str(error)
        if config.mode == "observe":
            return repo, None, "its `mode: observe` writes nothing to the catalog"
        return repo, Branch(repo, found.tree, config), found.unknown.why if found.unknown else ""

    listed = await forge.fetch_repositories()
    wanted = [repo for repo in listed if only is None or repo.full_name.lower() == only.lower()]
    found = await for_each(fetch, wanted, REPOSITORIES_AT_ONCE)
    branches = tuple(branch for _, branch, _ in found if branch is not None)
    whole = frozenset(repo.full_name for repo, branch, why in found if branch is not None and not why)
    return Branches(branches, whole, tuple(f"{repo.full_name}: {why}" for repo, _, why in found if why))


def _log_repair(request: RepairRequest, kept: KeptEdges, report: BackFill, plan: RepairPlan) -> None:
    log.info(
        "repair of installation %s (%s): %s edges new, %s restored, %s taken back, %s refused by people, %s not looked at;"
        " %s of %s serving models have undeclared inputs (%s before), %s without any; run %s",
        request.installation_id,
        request.reason,
        sum(one.outcome == "written" for one in report.performed),
        sum(one.outcome == "written" for one in kept.restored),
        sum(one.outcome == "taken back" for one in kept.taken_back),
        len(kept.rejected),
        kept.unsure,
        sum(bool(one.undeclared_after) for one in report.models),
        len(report.models),
        sum(bool(one.undeclared_before) for one in report.models),
        len(report.unknown),
        quote(report.run_id),
    )
    log.info("repair of installation %s: %s connections refused", request.installation_id, len(plan.refusals))
