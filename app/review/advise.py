"""For a block: the smallest safe change, offered only because the judge passed the head with it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import Final

from app.ports import CatalogReads, Isolation, ParseRows
from app.review.assess import Assess, Assessment, ChangeInputs
from app.source.remembered import RememberedCatalog
from app.verdict import Advice, Draft, apply_edits, find_candidates
from app.words import Permanent, Transient

log = logging.getLogger(__name__)
#: advice is a courtesy: no check waits longer for it
MOST_SECONDS: Final = 20.0


async def advise(
    change: ChangeInputs,
    assessment: Assessment,
    assess: Assess,
    *,
    catalog: CatalogReads,
    isolation: Isolation,
    cache: ParseRows | None = None,
) -> Assessment:
    """The assessment with its advice; without any unless the verdict blocks and a candidate passes. Raises nothing of its own."""
    facts = assessment.facts
    if facts.verdict.judged != "block":
        return assessment
    draft = Draft(change.base.files, change.head.files, assessment.schema, change.repo.full_name)
    candidates = await asyncio.to_thread(find_candidates, facts.removals, facts.verdict.findings, draft)
    same = RememberedCatalog(catalog)
    try:
        async with asyncio.timeout(MOST_SECONDS):
            for candidate in candidates:
                again = await assess(_patch(change, candidate), catalog=same, isolation=isolation, cache=cache)
                if again.facts.verdict.judged in ("pass", "warn"):
                    return replace(assessment, facts=replace(facts, advice=candidate))
    except (Transient, Permanent, TimeoutError) as error:
        log.info("no advice: %s", type(error).__name__)
    return assessment


def _patch(change: ChangeInputs, advice: Advice) -> ChangeInputs:
    """The change with the edits in its head."""
    edited = apply_edits(change.head.files, advice.edits)
    head = replace(change.head, files={**change.head.files, **edited})
    return replace(change, head=head, changed=change.changed | edited.keys())
