"""Who may see which line: evidence of a private repository never shows its path or text in a more visible one, and in another
private one its place alone, unless the repository that it stands in shares it (`privacy.share_evidence_with`).

To leave links out is not enough: messages and reasons are sentences that other rooms composed, and they may name the same
path. So whatever is hidden is taken out of every text that is rendered, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from app.effects.evidence import permalink
from app.effects.kinds import ReviewFacts
from app.effects.markdown import code, link
from app.words import Evidence, Repo, Visibility

_RANK: Final[dict[Visibility, int]] = {"public": 0, "internal": 1, "private": 2}
A_PRIVATE_REPOSITORY: Final = "a private repository of this organisation"
A_LINE: Final = "(a line of another private repository)"
#: text: the line itself; place: its repository and path, whose link GitHub opens for whom it may
View: TypeAlias = Literal["text", "place", "nothing"]


def find_view(reader: Repo, other: Repo, shares: Collection[str] = ()) -> View:
    """What of `other` may be shown to everybody who sees `reader`. `shares` are those that it shares its evidence with.

    Number 0 are files of this machine and views of the catalog: they are for whoever sees the reader, as far as that is private.
    """
    as_visible = _RANK[other.visibility] <= _RANK[reader.visibility]
    if reader.id == other.id or (as_visible and (other.visibility != "private" or other.id == 0)):
        return "text"
    same = "same-visibility" in shares and other.visibility == reader.visibility
    if same or "any" in shares or reader.full_name in shares:
        return "text"
    return "place" if as_visible else "nothing"


def may_see(reader: Repo, other: Repo, shares: Collection[str] = ()) -> bool:
    """Whether paths of `other` may be shown there."""
    return find_view(reader, other, shares) != "nothing"


@dataclass(frozen=True, slots=True)
class Sight:
    """What a reader of the pull request's repository may be shown."""

    facts: ReviewFacts
    #: (paths, lines and repository names that must not appear, what is said instead), longest first
    hidden: tuple[tuple[str, str], ...] = ()

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
        said = dict.fromkeys(texts, A_PRIVATE_REPOSITORY)
        for evidence in _all_evidence(facts):
            line = evidence.text.strip()
            if " " in line and sight.find_view(evidence.repo) == "place":
                said.setdefault(line, A_LINE)
        # Two characters or fewer are no secret, and taking them out would tear every word apart.
        kept = ((text, instead) for text, instead in said.items() if len(text) > 2)
        return Sight(facts, tuple(sorted(kept, key=lambda pair: (-len(pair[0]), pair))))

    def find_view(self, full_name: str) -> View:
        """A repository nobody told us about counts as private."""
        here = self.facts.subject.repo
        if full_name in ("", here.full_name):
            return "text"
        known = {repo.full_name: repo for repo in self.facts.evidence_repos}
        other = known.get(full_name, Repo(-1, full_name, visibility="private"))
        return find_view(here, other, self.facts.sharing.get(full_name, ()))

    def may_show_repo(self, full_name: str) -> bool:
        return self.find_view(full_name) != "nothing"

    def may_show(self, evidence: Evidence) -> bool:
        return self.may_show_repo(evidence.repo)

    def redact(self, text: str) -> str:
        """The text without anything hidden."""
        for part, instead in self.hidden:
            text = text.replace(part, instead)
        return text

    def read(self, evidence: Evidence) -> str:
        """The line's text, "" where it is not for this audience."""
        return self.redact(evidence.text) if self.find_view(evidence.repo) == "text" else ""

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
        text = self.read(evidence)
        said = f" {code(text)}" if text.strip() else ""
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
