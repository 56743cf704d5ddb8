"""A block may be softened: one question to a language model, its reading verified, the change judged again under it.

Deliberately absent: any way from the answer to a verdict but through `verify_witness` and the judge. Off without a key, on
forks, where `.tether.yml` says so, and under `mode: observe`, where nothing blocks.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from app.edges.store import LlmKey, Store, claim_llm_call, set_llm_answer
from app.ports import Advisor, Isolation, ModelAnswer, Ports
from app.review.assess import Assess, Assessment, ChangeInputs
from app.source.parsing import TreeParser
from app.verdict import (
    ANSWER_SCHEMA,
    SYSTEM,
    Amendment,
    Blocked,
    Ground,
    NoReading,
    find_blocked,
    find_cleared,
    parse_answer,
    render_prompt,
    soften,
    stand,
    verify_witness,
)
from app.words import Permanent, Transient, Tree


@dataclass(frozen=True, slots=True)
class QuestionBudget:
    """Where questions are counted: for whom, and how many a day over all of them."""

    store: Store
    installation_id: int
    daily: int


async def soften_block(
    change: ChangeInputs, assessment: Assessment, assess: Assess, ports: Ports, budget: QuestionBudget
) -> Assessment:
    """The assessment, its verdict softened or with a line that says why not; untouched unless it blocks and there is a model
    to ask. Raises nothing of its own: whatever fails, the block stands."""
    blocked = find_blocked(assessment.facts.verdict)
    if blocked is None or ports.advisor is None or not change.config.llm:
        return assessment
    ground = _ground(change, assessment, blocked)
    answer = await _ask(ground, ports.advisor, budget, change.repo.id)
    reading = parse_answer(answer.text) if not answer.why else NoReading(answer.why)
    if not isinstance(reading, NoReading):
        amended = await asyncio.to_thread(verify_witness, reading, ground)
        if isinstance(amended, Amendment):
            return await _judge_again(change, assessment, blocked, amended, assess, ports)
        reading = amended
    return _with(assessment, blocked, reading.why)


def _ground(change: ChangeInputs, assessment: Assessment, blocked: Blocked) -> Ground:
    taken = frozenset((one.evidence.path, one.evidence.line) for one in assessment.facts.removals)
    configured = frozenset(change.config.features)
    head = {**_untouched(change), **{p: text for p, text in change.head.files.items() if p in change.changed}}
    return Ground(
        blocked,
        change.base.files,
        head,
        change.tip.files,
        change.changed,
        taken=taken,
        configured=configured,
        repo=change.repo.full_name,
    )


def _untouched(change: ChangeInputs) -> dict[str, str]:
    """What the change leaves alone, as it stands on the base branch now: that is what will be after the merge."""
    return {path: text for path, text in change.tip.files.items() if path not in change.changed}


async def _ask(ground: Ground, advisor: Advisor, budget: QuestionBudget, repo_id: int) -> ModelAnswer:
    """At most one question for what is shown, whatever comes of it."""
    prompt = await asyncio.to_thread(render_prompt, ground)
    digest = hashlib.sha256(f"{SYSTEM}\n{prompt}".encode()).hexdigest()
    key = LlmKey(budget.installation_id, repo_id, digest)
    day = datetime.now(UTC).date().isoformat()
    claim = await budget.store.run(claim_llm_call, key, day=day, most=budget.daily)
    match claim.state:
        case "answered":
            return ModelAnswer(claim.text)
        case "failed":
            return ModelAnswer(why=claim.text)
        case "asked":
            return ModelAnswer(why="the question was put already, and its answer was lost")
        case "spent":
            return ModelAnswer(why=f"the {budget.daily} questions of today are spent (TETHER_LLM_DAILY_BUDGET)")
    answer = await advisor.propose(SYSTEM, prompt, ANSWER_SCHEMA)
    state: Literal["answered", "failed"] = "failed" if answer.why else "answered"
    await budget.store.run(set_llm_answer, key, answer.why or answer.text, state=state)
    return answer


async def _judge_again(
    change: ChangeInputs, assessment: Assessment, blocked: Blocked, amended: Amendment, assess: Assess, ports: Ports
) -> Assessment:
    under = _amend(change, amended)
    try:
        for path, column in ((one.sql, one.column) for one in amended.features.values()):
            if not await _parse_has_output(under, path or "", column or "", ports.isolation):
                return _with(assessment, blocked, f"no statement of {path} has the output {column}")
        again = await assess(under, catalog=ports.catalog, isolation=ports.isolation, cache=ports.cache)
    except (Transient, Permanent) as error:
        return _with(assessment, blocked, f"the change could not be judged under the reading: {error}")
    cleared = find_cleared(again.facts.verdict)
    if cleared is None:
        return _with(assessment, blocked, f"under the reading it is still red: {again.facts.verdict.title}")
    verdict = soften(blocked, cleared, amended.said)
    return replace(assessment, facts=replace(assessment.facts, verdict=verdict))


def _amend(change: ChangeInputs, amended: Amendment) -> ChangeInputs:
    """The change as it is under the reading."""
    base, tip = (_with_texts(tree, amended.everywhere) for tree in (change.base, change.tip))
    head = _with_texts(_with_texts(change.head, amended.everywhere), amended.head)
    features = {**change.config.features, **amended.features}
    return replace(change, base=base, head=head, tip=tip, config=replace(change.config, features=features))


def _with_texts(tree: Tree, texts: Mapping[str, str]) -> Tree:
    known = {path: text for path, text in texts.items() if path in tree.files}
    return replace(tree, files={**tree.files, **known})


async def _parse_has_output(change: ChangeInputs, path: str, column: str, isolation: Isolation) -> bool:
    """Parsed in a child, like all SQL of a change."""
    tree = Tree({path: change.head.files[path]}, change.head.commit, change.repo.full_name)
    parsed = await TreeParser(isolation, change.config).parse(tree, {}, lasting=False)
    outputs = [out for file in parsed.files for statement in file.statements for out in statement.outputs]
    return any(out.name.strip('"').lower() == column.lower() for out in outputs)


def _with(assessment: Assessment, blocked: Blocked, why: str) -> Assessment:
    return replace(assessment, facts=replace(assessment.facts, verdict=stand(blocked, why)))
