"""Merged history judged again, commit by commit, against the catalog as it is today."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.effects import Replayed
from app.offline.judge import judge_trees
from app.offline.local import LocalSide
from app.ports import CatalogReads, Isolation
from app.source.remembered import RememberedCatalog, RunParseCache
from app.verdict import Finding, Verdict
from app.words import Config, Permanent, Transient


@dataclass(frozen=True, slots=True)
class MergedCommit:
    """One commit of the first-parent line; `date` is an ISO day."""

    commit: str
    parent: str
    date: str
    author: str
    subject: str


async def replay(
    history: Sequence[MergedCommit],
    read: Callable[[str], LocalSide],
    touches: Callable[[MergedCommit], bool],
    config: Config,
    *,
    catalog: CatalogReads,
    isolation: Isolation,
    report: Callable[[int, Replayed], None],
) -> tuple[Replayed, ...]:
    """The history in its order. `read` answers a commit's tree, `touches` whether a change can matter at all; `tell` is called
    with the number (from 1) of each change that is done. A change that cannot be judged is red with the reason."""
    snapshot, memory = RememberedCatalog(catalog), RunParseCache()

    async def judge(merged: MergedCommit) -> Verdict:
        """What the commit did to its first parent, under today's configuration."""
        base, head = read(merged.parent), read(merged.commit)
        try:
            assessment = await judge_trees(
                base, head, config=config, catalog=snapshot, isolation=isolation, cache=memory
            )
        except (Transient, Permanent) as error:
            return Verdict("unassessable", f"Could not be judged: {error}")
        return assessment.facts.verdict

    found = []
    for number, merged in enumerate(history, 1):
        started = time.perf_counter()
        verdict = await judge(merged) if touches(merged) else None
        found.append(_replayed(merged, verdict, time.perf_counter() - started))
        report(number, found[-1])
    return tuple(found)


def _replayed(merged: MergedCommit, verdict: Verdict | None, seconds: float) -> Replayed:
    if verdict is None:
        return Replayed(merged.commit, merged.date, merged.author, merged.subject, None, seconds=seconds)
    counted = [finding for finding in verdict.findings if _counts(finding, verdict)]
    return Replayed(
        commit=merged.commit,
        date=merged.date,
        author=merged.author,
        subject=merged.subject,
        verdict=verdict.judged,
        title=verdict.title,
        rules=tuple(dict.fromkeys(finding.rule for finding in counted)),
        models=tuple(dict.fromkeys((f.model_name or f.model, f.owner) for f in counted if f.model)),
        seconds=seconds,
    )


def _counts(finding: Finding, verdict: Verdict) -> bool:
    """Red findings where the verdict is red, all of them otherwise."""
    return verdict.judged not in ("block", "unassessable") or finding.level in ("block", "unassessable")
