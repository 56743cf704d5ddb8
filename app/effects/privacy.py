"""Who may see which line: evidence of a private repository never shows its path or text in a more visible one.

To leave links out is not enough: messages and reasons are sentences that other rooms composed, and they may name the same
path. So whatever is hidden is taken out of every text that is rendered, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app.effects.evidence import permalink
from app.effects.kinds import ReviewFacts
from app.effects.markdown import code, link
from app.words import Evidence, Repo, Visibility

_RANK: Final[dict[Visibility, int]] = {"public": 0, "internal": 1, "private": 2}
A_PRIVATE_REPOSITORY: Final = "a private repository of this organisation"


def may_see(reader: Repo, other: Repo) -> bool:
    """Whether what stands in `other` may be shown to everybody who sees `reader`."""
    return reader.id == other.id or _RANK[other.visibility] <= _RANK[reader.visibility]


@dataclass(frozen=True, slots=True)
class Sight:
    """What a reader of the pull request's repository may be shown."""

    facts: ReviewFacts
    hidden: tuple[str, ...] = ()  # paths, lines and repository names that must not appear, longest first

    @staticmethod
    def of(facts: ReviewFacts) -> Sight:
        sight = Sight(facts)
        unseen = [evidence for evidence in _all_evidence(facts) if not sight.may_show(evidence)]
        texts = {part for evidence in unseen for part in (evidence.path, evidence.repo)}
        # A line that is one bare word is a column's name, which everybody here knows; a longer one is somebody's code.
        texts |= {evidence.text.strip() for evidence in unseen if " " in evidence.text.strip()}
        texts |= {repo.full_name for repo in facts.evidence_repos if not sight.may_show_repo(repo.full_name)}
        unknowns = facts.verdict.unknowns
        texts |= {unknown.path for unknown in unknowns if unknown.path and not sight.may_show_repo(unknown.repo)}
        texts |= {unknown.repo for unknown in unknowns if not sight.may_show_repo(unknown.repo)}
        # Two characters or fewer are no secret, and taking them out would tear every word apart.
        return Sight(facts, tuple(sorted((text for text in texts if len(text) > 2), key=lambda t: (-len(t), t))))

    def may_show_repo(self, full_name: str) -> bool:
        """A repository nobody told us about counts as private."""
        here = self.facts.subject.repo
        if full_name in ("", here.full_name):
            return True
        known = {repo.full_name: repo.visibility for repo in self.facts.evidence_repos}
        return _RANK[known.get(full_name, "private")] <= _RANK[here.visibility]

    def may_show(self, evidence: Evidence) -> bool:
        return self.may_show_repo(evidence.repo)

    def redact(self, text: str) -> str:
        """The text without anything hidden."""
        for part in self.hidden:
            text = text.replace(part, A_PRIVATE_REPOSITORY)
        return text

    def place(self, evidence: Evidence) -> str:
        """Markdown: where the line stands, linked at its commit; and its text. Or that it is not for this audience."""
        if not self.may_show(evidence):
            return A_PRIVATE_REPOSITORY
        here = self.facts.subject.repo.full_name
        # The base side of the pull request's own repository has no commit of its own in the facts: then there is no link.
        commit = self.facts.subject.head_sha if evidence.side == "head" and evidence.repo in ("", here) else ""
        url = permalink(evidence, web_url=self.facts.subject.web_url, repo=here, commit=commit)
        prefix = f"{evidence.repo}: " if evidence.repo not in ("", here) else ""
        spot = f"{evidence.path}:{evidence.line}" if evidence.line > 0 else evidence.path
        said = f" {code(self.redact(evidence.text))}" if evidence.text.strip() else ""
        return f"{link(prefix + spot, url)}{said}"


def _all_evidence(facts: ReviewFacts) -> Iterator[Evidence]:
    for finding in facts.verdict.findings:
        yield from finding.evidence
    for removal in facts.removals:
        yield removal.evidence
    for edge in facts.edges:
        yield from edge.evidence
    for refusal in facts.refusals:
        if refusal.evidence is not None:
            yield refusal.evidence
    yield from facts.notes
