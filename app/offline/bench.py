"""One round of the bench: the same changes, each reviewed as the App reviews them, over the catalog as it is now.

A case counts as caught by what its check would show: conclusion block, and the model that breaks named in an open finding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.effects import BenchCase, Judged, ReviewFacts, Round, find_name
from app.lineage.plan import RepairPlan
from app.offline.judge import judge_trees
from app.offline.local import LocalSide
from app.offline.scenario import Scenario
from app.ports import CatalogReads, Isolation
from app.repair import Refusal
from app.verdict import Finding
from app.words import Repo

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Case:
    """`model` is the name of the serving model that the change breaks, None where it breaks nothing.

    `base` is the merge base, `tip` the branch `base_ref` of `repo` as it is now.
    """

    id: str
    title: str
    model: str | None
    base: LocalSide
    head: LocalSide
    tip: LocalSide
    repo: Repo
    base_ref: str


async def run_round(
    cases: Sequence[Case],
    *,
    catalog: CatalogReads,
    isolation: Isolation,
    say: Say,
    refused: Mapping[str, Sequence[Refusal]] | None = None,
) -> Round:
    """`refused`: model name -> what a repair refused to connect of its inputs. Raises as the catalog."""
    done: list[BenchCase] = []
    for case in cases:
        assessment = await judge_trees(
            case.base,
            case.head,
            tip=case.tip,
            catalog=catalog,
            isolation=isolation,
            repo=case.repo,
            base_ref=case.base_ref,
        )
        done.append(judge_case(case, assessment.facts, (refused or {}).get(case.model or "", ())))
        say(f"{case.id}: {done[-1].check_title}")
    return Round(tuple(done))


def judge_case(case: Case, facts: ReviewFacts, refusals: Sequence[Refusal] = ()) -> BenchCase:
    """What the review of a case came to. Pure."""
    blocks = find_blocks(facts)
    shown = next((one for one in blocks if one.model_name == case.model), next(iter(blocks), None))
    found = BenchCase(
        id=case.id,
        title=case.title,
        expected=case.model,
        verdict=facts.verdict.word,
        check_title=facts.verdict.title,
        models=tuple(dict.fromkeys(one.model_name for one in blocks)),
        lost=tuple(dict.fromkeys(".".join(filter(None, (r.relation, r.column))) for r in facts.removals)),
        trail=shown.trail if shown else (),
        evidence=shown.evidence if shown else (),
    )
    return found if found.caught else replace(found, reason=_find_reason(facts, refusals))


def find_blocks(facts: ReviewFacts) -> list[Finding]:
    """The open findings that block and name a model."""
    return [f for f in facts.verdict.findings if f.level == "block" and f.disposition == "open" and f.model]


def _find_reason(facts: ReviewFacts, refusals: Sequence[Refusal]) -> str:
    unknown = next(iter(facts.verdict.unknowns), None)
    if unknown is not None:
        return f"{unknown.what}: {unknown.why}"
    if facts.verdict.findings:
        return facts.verdict.findings[0].message
    if refusals:
        sentence = (f"{find_name(refusal.feature)}: {refusal.reason}" for refusal in refusals)
        return "the repair refused to connect " + "; ".join(dict.fromkeys(sentence))
    return f"nothing leads from what is lost to the model ({facts.verdict.title})"


def find_refused_inputs(plan: RepairPlan) -> dict[str, list[Refusal]]:
    """Model name -> what a repair refused to connect of its inputs."""
    served = plan.served
    found: dict[str, list[Refusal]] = {}
    for model, inputs in served.inputs.items():
        refused = [refusal for refusal in plan.refusals if refusal.feature in inputs]
        if refused:
            found.setdefault(served.name(model), []).extend(refused)
    return found


def judge_scenario(scenario: Scenario, facts: ReviewFacts) -> Judged:
    """One scenario against what its page expects. Pure."""
    models = tuple(dict.fromkeys(finding.model_name for finding in find_blocks(facts)))
    return Judged(scenario.name, scenario.verdict, facts.verdict.word, scenario.models, models)
