"""GitHub as one installation sees it: fulfils `app.ports.Forge`.

Repositories are known by id. A path that answers 404 or a redirect is tried once more under the name that the id has now,
so that a rename in the middle of a review is no failure, and a stranger's repository under the old name is never written to.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import IO, Final, Literal, TypeVar
from urllib.parse import quote

from app.edges.github import checks, comments, suggestions
from app.edges.github.app import AppClient
from app.edges.github.errors import Denied
from app.edges.github.shapes import field, find_blob, find_comparison, find_pull, find_repo, find_tree
from app.edges.github.wire import GitHubWire, NotThere, read_json
from app.effects import COMMENT_MARKER, CheckOutput, Suggestion
from app.ports import RETRIES, CommitComparison, Pull, TreeListing
from app.words import Permanent, Repo

T = TypeVar("T")
_CONTENTS: Final = "contents: read"
_PULLS: Final = "pull requests: read"


class InstallationForge:
    """Every method raises `Transient` or `Permanent` and nothing else."""

    def __init__(self, wire: GitHubWire, app: AppClient, installation_id: int) -> None:
        self.wire = wire
        self._app = app
        self._installation_id = installation_id
        self._names: dict[int, str] = {}  # as last listed: a hint for fetch_repo, checked before it is believed
        self._moved: dict[tuple[int, str], str] = {}  # (id, name found gone) -> name

    async def fetch_repositories(self) -> tuple[Repo, ...]:
        """All repositories of the installation, as they are named now."""
        listed = await self.wire.pages("/installation/repositories", "list the repositories", key="repositories")
        repos = tuple(find_repo(body) for body in listed)
        self._names = {repo.id: repo.full_name for repo in repos}
        return repos

    async def fetch_repo(self, repo_id: int) -> Repo:
        """The repository by its id; Permanent when the installation does not include it."""
        # GitHub documents no lookup by id, so the name comes from the listing and is checked against the answer.
        name = self._names.get(repo_id)
        if name is not None:
            try:
                answer = await self.wire.get(f"/repos/{name}", "read the repository")
                repo = find_repo(read_json(answer, "read the repository"))
                if repo.id == repo_id:
                    return repo
            except NotThere:
                del self._names[repo_id]
        for repo in await self.fetch_repositories():
            if repo.id == repo_id:
                return repo
        raise Permanent(
            f"GitHub: installation {self._installation_id} does not include the repository with id {repo_id}: "
            "add it under the installation's repository access"
        )

    async def fetch_pull(self, repo: Repo, number: int) -> Pull:
        path, what = f"/pulls/{number}", f"read pull request {number}"
        return await self._in(repo, lambda name: self._read(f"/repos/{name}{path}", what, find_pull, needs=_PULLS))

    async def fetch_open_pulls(self, repo: Repo, head_sha: str | None = None) -> tuple[Pull, ...]:
        """Open pull requests, those with this head only when one is given (forks included, which GitHub cannot filter)."""

        async def listed(name: str) -> tuple[Pull, ...]:
            path = f"/repos/{name}/pulls"
            found = await self.wire.pages(path, "list the open pull requests", params={"state": "open"}, needs=_PULLS)
            return tuple(find_pull(body) for body in found)

        pulls = await self._in(repo, listed)
        return tuple(pull for pull in pulls if head_sha in (None, pull.head_sha))

    async def fetch_branch_head(self, repo: Repo, branch: str) -> str | None:
        """The commit at the branch's tip, None when there is no such branch."""
        path = f"/branches/{quote(branch, safe='/')}"
        try:
            return await self._in(
                repo,
                lambda name: self._read(
                    f"/repos/{name}{path}",
                    f"read branch {branch}",
                    lambda body: str(field(body, "commit", "sha")),
                    needs=_CONTENTS,
                ),
            )
        except NotThere:
            return None

    async def fetch_comparison(self, repo: Repo, base: str, head: str) -> CommitComparison:
        path, what = (
            f"/compare/{quote(base, safe='/')}...{quote(head, safe='/')}",
            f"compare {base[:12]} with {head[:12]}",
        )
        return await self._in(
            repo, lambda name: self._read(f"/repos/{name}{path}", what, find_comparison, needs=_CONTENTS)
        )

    async def fetch_tree(self, repo: Repo, commit: str) -> TreeListing:
        path, what = f"/git/trees/{quote(commit, safe='/')}", f"list the files of {commit[:12]}"

        async def read(name: str) -> TreeListing:
            params = {"recursive": "1"}
            answer = await self.wire.get(f"/repos/{name}{path}", what, params=params, needs=_CONTENTS)
            return find_tree(read_json(answer, what))

        return await self._in(repo, read)

    async def fetch_blob(self, repo: Repo, sha: str) -> bytes:
        path, what = f"/git/blobs/{quote(sha, safe='')}", f"read file {sha[:12]}"
        return await self._in(repo, lambda name: self._read(f"/repos/{name}{path}", what, find_blob, needs=_CONTENTS))

    async def fetch_archive(self, repo: Repo, commit: str, into: IO[bytes], *, most: int) -> None:
        """All files of a commit as a gzipped tar; Permanent above `most` bytes. GitHub answers with the place to get it at."""
        path, what = f"/tarball/{quote(commit, safe='')}", f"read the archive of {commit[:12]}"

        async def read(name: str) -> None:
            await self.wire.download(f"/repos/{name}{path}", what, into, most=most, needs=_CONTENTS)

        await self._in(repo, read)

    async def fetch_file(self, full_name: str, path: str) -> bytes | None:
        """A file on a repository's default branch; None when it, or the repository, is not there for this installation."""
        where = f"/repos/{full_name}/contents/{quote(path)}"
        try:
            return await self._read(where, f"read {path} of {full_name}", find_blob, needs=_CONTENTS)
        except (NotThere, Denied):  # a repository that the installation does not include
            return None

    async def fetch_check_run(self, repo: Repo, head_sha: str, name: str) -> int | None:
        app_id = await self._app.fetch_id()
        return await self._in(repo, lambda full: checks.fetch_check_run(self.wire, full, head_sha, name, app_id))

    async def create_check_run(self, repo: Repo, head_sha: str, name: str, *, external_id: str) -> int:
        """A new run, in progress. Look for one first (`fetch_check_run`): GitHub would make a second one."""

        async def create(failures: int) -> int:
            if failures and (found := await self.fetch_check_run(repo, head_sha, name)) is not None:
                return found
            return await self._in(
                repo, lambda full: checks.create_check_run(self.wire, full, head_sha, name, external_id=external_id)
            )

        return await self._repeat(create)

    async def conclude_check_run(
        self, repo: Repo, check_run_id: int, output: CheckOutput, *, annotated: Literal["no", "maybe"] = "maybe"
    ) -> None:
        async def conclude(failures: int) -> None:
            there: Literal["no", "maybe"] = "maybe" if failures else annotated
            await self._in(
                repo, lambda name: checks.conclude_check_run(self.wire, name, check_run_id, output, annotated=there)
            )

        await self._repeat(conclude)

    async def fetch_comment(self, repo: Repo, pull: int, marker: str) -> tuple[int, str] | None:
        app_id, login = await self._app.fetch_id(), await self._app.fetch_login()
        return await self._in(
            repo, lambda name: comments.fetch_comment(self.wire, name, pull, marker, app_id=app_id, login=login)
        )

    async def ensure_suggestion(
        self, repo: Repo, pull: int, head_sha: str, suggestion: Suggestion, *, earlier: Literal["no", "maybe"] = "maybe"
    ) -> None:
        """Made unless it stands there; Permanent when GitHub does not take it (a line that its diff does not show)."""
        app_id, login = await self._app.fetch_id(), await self._app.fetch_login()

        async def ensure(failures: int) -> None:
            there: Literal["no", "maybe"] = "maybe" if failures else earlier
            await self._in(
                repo,
                lambda name: suggestions.ensure_suggestion(
                    self.wire, name, pull, head_sha, suggestion, app_id=app_id, login=login, earlier=there
                ),
            )

        await self._repeat(ensure)

    async def create_comment(self, repo: Repo, pull: int, body: str) -> int:
        """A new comment. Look for ours first (`fetch_comment`): GitHub would make a second one."""

        async def create(failures: int) -> int:
            found = await self.fetch_comment(repo, pull, COMMENT_MARKER) if failures else None
            if found is not None:
                return found[0]
            return await self._in(repo, lambda name: comments.create_comment(self.wire, name, pull, body))

        return await self._repeat(create)

    async def update_comment(self, repo: Repo, comment_id: int, body: str) -> bool:
        try:
            await self._repeat(
                lambda _: self._in(repo, lambda name: comments.update_comment(self.wire, name, comment_id, body))
            )
        except NotThere:
            return False
        return True

    async def _read(self, path: str, what: str, parse: Callable[[object], T], *, needs: str) -> T:
        return parse(read_json(await self.wire.get(path, what, needs=needs), what))

    async def _repeat(self, write: Callable[[int], Awaitable[T]]) -> T:
        """A write that finds by its key what an earlier try may have left; it is told how many tries failed."""
        return await self.wire.repeat(write, RETRIES["github writes"])

    async def _in(self, repo: Repo, act: Callable[[str], Awaitable[T]]) -> T:
        """`act` under the repository's name; once more when the name has changed."""
        known_as = (repo.id, repo.full_name)
        name = self._moved.get(known_as, repo.full_name)
        try:
            return await act(name)
        except NotThere:
            now = next((found.full_name for found in await self.fetch_repositories() if found.id == repo.id), name)
            if now == name:
                raise
        self._moved[known_as] = now
        return await act(now)
