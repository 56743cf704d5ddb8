"""What one review may write to the catalog: incidents, edges, or neither, and why not."""

from __future__ import annotations

from app.effects import Permitted, ReviewFacts
from app.words import Config


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
    return Permitted(incidents=config.draft_incidents or not subject.is_draft)
