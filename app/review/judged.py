"""What a judgement hands to publishing, and what .tether.yml alone makes of a change. Values that can be stored."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.effects import ReviewFacts
from app.ports import Pull
from app.repair import ProvenEdge
from app.review.assess import Assessment
from app.review.gather import Gathered
from app.verdict import Finding, Verdict
from app.words import CONFIG_PATH, Evidence, Repo, Unknown


@dataclass(frozen=True, slots=True)
class Begun:
    """`started` in seconds since the epoch; `pull` as GitHub had it then, None for a merge group."""

    repo: Repo
    check_run_id: int
    started: float
    pull: Pull | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """`refused` is the reason that nothing is written to the catalog, "" when it may be; `incidents` apart from that."""

    repo: Repo
    facts: ReviewFacts
    edges: tuple[ProvenEdge, ...] = ()
    incidents: bool = False
    refused: str = ""
    started: float = 0.0
    opened: str = ""  # when the pull request was, as GitHub writes it


def find_permissions(gathered: Gathered, assessment: Assessment, *, fork: bool) -> tuple[bool, str]:
    """(whether incidents may be raised, why no edge may be written or "")."""
    inputs = gathered.inputs
    if inputs.pull is None:
        return False, "a merge group writes nothing to the catalog"
    if assessment.facts.verdict.observed is not None:
        return False, "`mode: observe` writes nothing to the catalog"
    if not inputs.default_branch:
        return False, "pull requests to another branch than the default one write nothing to the catalog"
    if fork:
        may = assessment.incidents_allowed and inputs.config.fork_incidents
        return may, "a pull request from a fork never writes to the catalog"
    return assessment.incidents_allowed, ""


def judge_config(gathered: Gathered) -> ReviewFacts | None:
    """The verdict when the base's .tether.yml cannot be used; None when it can."""
    error = gathered.config_error
    if error is None:
        return None
    inputs = gathered.inputs
    called = CONFIG_PATH if error.name.startswith(CONFIG_PATH) else error.name
    place = (CONFIG_PATH, error.line or None) if called == CONFIG_PATH else (None, None)
    facts = ReviewFacts(
        inputs.repo,
        inputs.head_sha,
        inputs.base_ref,
        inputs.pull,
        Verdict(
            "unassessable",
            f"Unassessable: {called} of the base branch cannot be used",
            unknowns=(Unknown(f"{called} of the base branch", str(error), *place),),
        ),
        web_url=inputs.web_url,
        catalog_url=inputs.catalog_url,
    )
    if gathered.only_config and gathered.head_config_error is None:
        said = f"{CONFIG_PATH} of the base branch cannot be used ({error}); this change touches only that file and repairs it"
        return replace(facts, verdict=Verdict("warn", "Warning: " + said[:240], findings=(_finding(said, 1),)))
    return facts


def add_config_finding(facts: ReviewFacts, gathered: Gathered) -> ReviewFacts:
    """The head's .tether.yml is always looked at: once merged, an error in it would stop every later review."""
    error, verdict = gathered.head_config_error, facts.verdict
    if error is None:
        return facts
    finding = _finding(f"once merged, no review of this repository could be made: {error}", error.line or 1)
    if verdict.word == "pass":
        verdict = replace(verdict, word="warn", title=f"Warning: {error}"[:255])
    lines = (*facts.changed_lines, (CONFIG_PATH, error.line or 1))
    return replace(
        facts,
        verdict=replace(verdict, findings=(*verdict.findings, finding)),
        changed_lines=tuple(dict.fromkeys(lines)),
    )


def _finding(message: str, line: int) -> Finding:
    return Finding(
        rule="config_is_invalid",
        level="warn",
        message=message,
        relation=CONFIG_PATH,
        column=None,
        evidence=(Evidence(CONFIG_PATH, line),),
    )
