"""The kinds of effect, and the facts that their texts are rendered from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from app.change import Removal
from app.repair import ProvenEdge, Refusal
from app.verdict import Advice, Verdict
from app.words import Evidence, Repo

CatalogOutcome: TypeAlias = Literal[
    "written", "already there", "declared", "withdrawn", "failed", "not allowed", "rejected", "taken back"
]


@dataclass(frozen=True, slots=True)
class Annotation:
    """On a changed line of the head. GitHub: message <= 64 KB, title <= 255 characters, 50 a request."""

    path: str
    line: int
    level: Literal["failure", "warning", "notice"]
    title: str
    message: str


@dataclass(frozen=True, slots=True)
class CheckOutput:
    """A finished check run. GitHub: title 255 characters, summary and text 65,535 bytes each, 3 actions."""

    conclusion: Literal["failure", "neutral", "success", "cancelled"]
    title: str
    summary: str
    text: str = ""
    annotations: tuple[Annotation, ...] = ()
    actions: tuple[tuple[str, str, str], ...] = ()  # label <= 20, description <= 40, identifier <= 20


@dataclass(frozen=True, slots=True)
class Incident:
    """One per (dataset, column, model); `urn` is a digest of the three, so that creating it twice is one incident."""

    urn: str
    dataset: str
    column: str | None
    model: str
    title: str
    description: str
    pulls: tuple[str, ...]  # links to the pull requests, this one first
    formerly: str = ""  # this one's link while the repository, or GitHub, had another address


@dataclass(frozen=True, slots=True)
class EdgeWrite:
    """`known` is what the ledger says of it: "new", or that it stood in the catalog before ("written"), or that a person vouched
    for it ("confirmed"): then the tag that says so is written with it.
    """

    edge: ProvenEdge
    run_id: str
    known: Literal["new", "written", "confirmed"] = "new"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A review comment on lines `first` to `last` of the head, all of them changed; its body starts with its `marker`."""

    path: str
    first: int
    last: int
    body: str
    marker: str


@dataclass(frozen=True, slots=True)
class Performed:
    """What came of one catalog effect; a failure is said in the check, never hidden.

    "withdrawn": this pull request is off the incident, which is resolved when it was the last one. "declared": somebody else
    wrote that edge, and it is theirs. "rejected": people refused Tether's edges on that entity. "taken back": an edge of ours
    is gone from the catalog.
    """

    what: str  # e.g. incident urn, or "dataset -> feature"
    kind: Literal["incident", "edge"]
    outcome: CatalogOutcome
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Completeness:
    """What was looked at; printed at the end of every check."""

    files_read: int = 0
    relations_resolved: int = 0
    hops: int = 0
    entities: int = 0
    feature_sql_read: int = 0
    feature_sql_refused: int = 0
    models_without_inputs: tuple[str, ...] = ()
    unbound: tuple[
        str, ...
    ] = ()  # for each feature that a model takes and no table is known of, the line that would tell it
    index: str = ""  # which repositories' SQL was looked at, and how old it is
    unseen: tuple[str, ...] = ()
    settings: str = ""  # where the configuration comes from, if not from the repository alone
    requests: int = 0  # of the walk, the listing of models among them


@dataclass(frozen=True, slots=True)
class ReviewSubject:
    """What is reviewed, and where its texts link to: one value from the gathering to the last sentence.

    `base_sha`: the commit that the base was when the pull request or the merge group was made. `from_fork`: the head stands in
    another repository, or in one that is gone.
    """

    repo: Repo
    head_sha: str = ""
    base_ref: str = ""  # "" on the command line
    pull: int | None = None  # None: a merge group, or the command line
    base_sha: str = ""
    from_fork: bool = False
    is_draft: bool = False
    changed_lines: tuple[tuple[str, int], ...] = ()  # (path, line) at the head that may carry an annotation
    web_url: str = "https://github.com"
    rules_url: str = ""  # below it stands a page for each rule; "" when Tether's own address is not known

    @property
    def to_default_branch(self) -> bool:
        return self.base_ref in ("", self.repo.default_branch)


@dataclass(frozen=True, slots=True)
class Permitted:
    """What a review may write to the catalog. `no_edges`: the reason that no edge is written, "" when edges may be."""

    incidents: bool = False
    no_edges: str = ""


@dataclass(frozen=True, slots=True)
class ReviewFacts:
    """What a review came to: everything that is written and said is made from it."""

    subject: ReviewSubject
    verdict: Verdict
    removals: tuple[Removal, ...] = ()
    edges: tuple[ProvenEdge, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    performed: tuple[Performed, ...] = ()
    completeness: Completeness = Completeness()
    evidence_repos: tuple[Repo, ...] = ()
    sharing: dict[str, tuple[str, ...]] = field(default_factory=dict)
    datasets: tuple[tuple[str, str], ...] = ()  # (relation, dataset urn) of every removal that the catalog knows
    notes: tuple[Evidence, ...] = ()
    advice: Advice | None = None  # judged: the head passes with it
    permitted: Permitted = Permitted()
    pressed: tuple[str, ...] = ()  # what people did with this pull request's buttons, a sentence each
