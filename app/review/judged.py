"""What a review has begun with, what it may write, and what .tether.yml alone makes of a change."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.effects import Permitted, ReviewFacts
from app.ports import Pull
from app.review.gather import Gathered
from app.verdict import Finding, Verdict
from app.words import CONFIG_PATH, Config, Evidence, Repo, Unknown


@dataclass(frozen=True, slots=True)
class Begun:
    """`started` in seconds since the epoch; `pull` as GitHub had it then, None for a merge group."""

    repo: Repo
    check_run_id: int
    started: float
    pull: Pull | None = None

    @property
    def opened(self) -> str:
        """When the pull request was opened, as GitHub writes it; "" when it is not known."""
        return self.pull.created_at if self.pull else ""


def find_permitted(facts: ReviewFacts, config: Config) -> Permitted:
    subject = facts.subject
    if subject.pull is None:
        return Permitted(no_edges="a merge group writes nothing to the catalog")
    if facts.verdict.observed is not None:
        return Permitted(no_edges="`mode: observe` writes nothing to the catalog")
    if not subject.to_default_branch:
        return Permitted(no_edges="pull requests to another branch than the default one write nothing to the catalog")
    if subject.from_fork:
        return Permitted(config.fork_incidents, "a pull request from a fork never writes to the catalog")
    return Permitted(incidents=True)


def judge_config(gathered: Gathered) -> ReviewFacts | None:
    """The verdict when the base's .tether.yml cannot be used; None when it can."""
    error = gathered.config_error
    if error is None:
        return None
    called = CONFIG_PATH if error.name.startswith(CONFIG_PATH) else error.name
    place = (CONFIG_PATH, error.line or None) if called == CONFIG_PATH else (None, None)
    facts = ReviewFacts(
        gathered.inputs.subject,
        Verdict(
            "unassessable",
            f"Unassessable: {called} of the base branch cannot be used",
            unknowns=(Unknown(f"{called} of the base branch", str(error), *place),),
        ),
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
    lines = (*facts.subject.changed_lines, (CONFIG_PATH, error.line or 1))
    return replace(
        facts,
        subject=replace(facts.subject, changed_lines=tuple(dict.fromkeys(lines))),
        verdict=replace(verdict, findings=(*verdict.findings, finding)),
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
