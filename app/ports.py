"""What the shell needs from outside, as Protocols; `app.edges` fulfils them, `tests/fakes` too.

Every method may raise `Transient` (retry later) or `Permanent` (conclude, and say why); nothing else. What is tried again, and
how often, stands here too (`RETRIES`), once for all adapters.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any, Final, Literal, Protocol, TypeVar

from app.effects import Annotation, CheckOutput, EdgeWrite, Incident, Performed, Suggestion, TakenBack
from app.repair import ProvenEdge
from app.trail import GraphSlice, ModelListing
from app.words import Permanent, Repo

A = TypeVar("A")
B = TypeVar("B")


class TooLarge(Permanent):
    """A file that GitHub does not give out by its path: it is larger than 1 MB."""


@dataclass(frozen=True, slots=True)
class Retries:
    """How often an adapter asks again after a `Transient`, and how long it waits in between, in seconds."""

    tries: int = 1  # in all
    first_pause: float = 0.5  # doubled each time
    longest_pause: float = 8.0
    most_asked: float = 20.0  # what a server asks for beyond this is left to the queue

    def find_pause(self, failures: int, asked: float | None = None) -> float | None:
        """Before the next try after so many failures: what the server asked for, else with jitter against herds. None: no
        more here."""
        if failures >= self.tries or (asked or 0.0) > self.most_asked:
            return None
        own = min(self.longest_pause, self.first_pause * 2.0 ** (failures - 1)) * random.uniform(0.5, 1.0)  # noqa: S311
        return max(asked or 0.0, own)


#: The whole policy. An adapter repeats a read, and a write that it finds again by its key; the queue repeats a job; nothing
#: else repeats anything. So the longest outage costs tries * (len(JOB_BACKOFF) + 1) requests of one kind.
RETRIES: Final[Mapping[Literal["github reads", "github writes", "datahub", "anthropic"], Retries]] = {
    "github reads": Retries(tries=3),
    "github writes": Retries(tries=2),
    "datahub": Retries(tries=4),
    "anthropic": Retries(tries=1),  # a question costs money, and its answer is a courtesy
}
#: Seconds before each later attempt of a job that could not finish, unless TETHER_RETRY_BACKOFF says otherwise.
JOB_BACKOFF: Final = (30.0, 120.0, 600.0, 1800.0, 3600.0)


@dataclass(frozen=True, slots=True)
class Pull:
    """A pull request as the API has it now. `head_repo` is None when the fork was deleted."""

    number: int
    state: Literal["open", "closed"]
    head_sha: str
    head_repo_id: int | None
    base_ref: str
    base_sha: str
    updated_at: str
    draft: bool
    merged: bool
    title: str
    html_url: str
    base_repo: Repo | None = None  # as it is now: name, visibility, default branch
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class CommitComparison:
    """`merge_base` of base and head; `base` is the commit that the base is. `files` are at most 300 changed paths: never
    conclude from their absence."""

    merge_base: str
    files: tuple[str, ...]
    truncated: bool
    base: str = ""


@dataclass(frozen=True, slots=True)
class TreeEntry:
    path: str
    sha: str
    mode: str  # 100644, 100755, 120000 symlink, 160000 submodule
    size: int | None


@dataclass(frozen=True, slots=True)
class TreeListing:
    sha: str
    entries: tuple[TreeEntry, ...]
    truncated: bool


class Forge(Protocol):
    """GitHub, as one installation sees it."""

    async def fetch_repositories(self) -> tuple[Repo, ...]: ...
    async def fetch_repo(self, repo_id: int) -> Repo: ...
    async def fetch_pull(self, repo: Repo, number: int) -> Pull: ...
    async def fetch_open_pulls(self, repo: Repo, head_sha: str | None = None) -> tuple[Pull, ...]: ...
    async def fetch_branch_head(self, repo: Repo, branch: str) -> str | None: ...
    async def fetch_comparison(self, repo: Repo, base: str, head: str) -> CommitComparison:
        """`base` is a branch or a commit."""
        ...

    async def fetch_tree(self, repo: Repo, commit: str) -> TreeListing: ...
    async def fetch_blob(self, repo: Repo, sha: str) -> bytes: ...
    async def fetch_archive(self, repo: Repo, commit: str, into: IO[bytes], *, most: int) -> None:
        """All files of a commit as a gzipped tar, into an open file; `Permanent` above `most` bytes."""
        ...

    async def fetch_file(self, full_name: str, path: str) -> bytes | None:
        """A file on a repository's default branch; None when it, or the repository, is not there for this installation.
        Raises `TooLarge`."""
        ...

    async def fetch_check_run(self, repo: Repo, head_sha: str, name: str) -> int | None: ...
    async def create_check_run(self, repo: Repo, head_sha: str, name: str, *, external_id: str) -> int: ...
    async def conclude_check_run(
        self, repo: Repo, check_run_id: int, output: CheckOutput, *, annotated: Literal["no", "maybe"] = "maybe"
    ) -> None:
        """`annotated` "no": the run is known to carry no annotation yet, so that nobody has to look."""
        ...

    async def fetch_comment(self, repo: Repo, pull: int, marker: str) -> tuple[int, str] | None:
        """(id, body) of the oldest comment that carries the marker AND that this App wrote, over all pages."""
        ...

    async def ensure_suggestion(
        self, repo: Repo, pull: int, head_sha: str, suggestion: Suggestion, *, earlier: Literal["no", "maybe"] = "maybe"
    ) -> None:
        """Made unless it stands there already, by its marker and our authorship. `earlier` "no": there is none for sure."""
        ...

    async def create_comment(self, repo: Repo, pull: int, body: str) -> int: ...
    async def update_comment(self, repo: Repo, comment_id: int, body: str) -> bool:
        """False when the comment is gone."""
        ...


class Forges(Protocol):
    """GitHub, as the App sees it."""

    def installation(self, installation_id: int) -> Forge: ...
    async def fetch_installations(self) -> tuple[int, ...]:
        """The ids of all that are not suspended."""
        ...

    async def fetch_failed_deliveries(self, *, since: datetime, attempts: int) -> tuple[int, ...]:
        """Deliveries after `since` whose every attempt failed, fewer than `attempts` of them; the oldest first."""
        ...

    async def redeliver(self, delivery_id: int) -> None: ...


class CatalogReads(Protocol):
    """DataHub, read. One request per hop and kind, never one per entity."""

    async def fetch_neighbours(
        self,
        urns: frozenset[str],
        *,
        known: frozenset[str] = frozenset(),
        guesses: frozenset[str] = frozenset(),
    ) -> GraphSlice:
        """Edges around the frontier; aspects of it and of what points at it, those of `known` left out. `guesses` are urns
        of the frontier that are mere names: their aspects come only if something points at them."""
        ...

    async def fetch_aspects(self, urns: frozenset[str]) -> GraphSlice:
        """The aspects of these urns alone, of runs their last event as well (all events where it is no end); `asked` is empty."""
        ...

    async def fetch_edges(self, urns: frozenset[str]) -> GraphSlice:
        """What the graph index alone says of edges into these urns; no aspects, and `asked` is empty."""
        ...

    async def fetch_models(self) -> ModelListing:
        """What every model takes, as far as nothing points at it. Raises as `fetch_urns`."""
        ...

    async def fetch_urns(self, entity_type: str) -> tuple[str, ...]:
        """Every urn of one type that is not soft-deleted; pages followed to the end; raises `Permanent` above the cap."""
        ...


class LineageWrites(Protocol):
    """Edges into the catalog, each noted in the ledger before it is written; what people refused is never written again."""

    async def write(self, edges: Sequence[EdgeWrite]) -> tuple[Performed, ...]:
        """What came of each, in no particular order; failures are outcomes."""
        ...

    async def keep(self, entities: Iterable[str]) -> tuple[Performed, ...]:
        """Writes again what an ingestion dropped on these entities; only what changed is told."""
        ...


class CatalogWrites(Protocol):
    """DataHub, written. Idempotent by key: writing what is there already answers "already there"."""

    async def raise_incident(self, incident: Incident) -> Performed: ...
    async def resolve_incident(self, urn: str, pull_url: str, message: str) -> Performed: ...
    async def write_edge(self, write: EdgeWrite) -> Performed: ...
    async def retract_edges(self, edges: Sequence[ProvenEdge], *, why: TakenBack, run_id: str) -> tuple[Performed, ...]:
        """Take exactly these edges of ours back; one outcome each. "rejected" also leaves the tag that says so."""
        ...


@dataclass(frozen=True, slots=True)
class Right:
    """Whether the catalog lets us write one kind of thing, found out without writing any. `said` is the server's own reason."""

    what: str
    outcome: Literal["allowed", "not allowed", "unguarded", "failed"]
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The child died or ran over a limit while it worked on this item."""

    why: str


class Isolation(Protocol):
    """Runs a picklable pure function over items in killable child processes."""

    async def run(self, function: Callable[[A], B], items: Sequence[A]) -> tuple[B | Unfinished, ...]: ...


class ParseRows(Protocol):
    """What was parsed before, by digest. It may forget anything at any time, and raises nothing: a cache that fails is empty."""

    async def fetch_parsed(self, keys: Sequence[str]) -> Mapping[str, bytes]:
        """Those that are there."""
        ...

    async def store_parsed(self, rows: Mapping[str, bytes]) -> None: ...


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What the language model said, or in one sentence why it said nothing that can be used."""

    text: str = ""
    why: str = ""


class Advisor(Protocol):
    """A language model, asked once for each call; raises nothing: whatever goes wrong is a reason."""

    async def propose(self, system: str, prompt: str, schema: Mapping[str, Any]) -> ModelAnswer: ...


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything a review needs. `annotations` and settings that only texts need come with the request."""

    forges: Forges
    catalog: CatalogReads
    writes: CatalogWrites
    isolation: Isolation
    cache: ParseRows | None = None
    advisor: Advisor | None = None


__all__ = [
    "JOB_BACKOFF",
    "RETRIES",
    "Advisor",
    "Annotation",
    "CatalogReads",
    "CatalogWrites",
    "CommitComparison",
    "Forge",
    "Forges",
    "Isolation",
    "LineageWrites",
    "ModelAnswer",
    "ParseRows",
    "Ports",
    "Pull",
    "Retries",
    "Right",
    "TooLarge",
    "TreeEntry",
    "TreeListing",
    "Unfinished",
]
