"""Control of pull requests, check runs and merge groups: what people click."""

from __future__ import annotations

from typing import Any

from app.standin.github import checking, pulling
from app.standin.github.controls import Controls, RepoRef, UserRef
from app.standin.github.git_merge import Signature, commit_tree, merge_commits
from app.standin.github.merging import MergeAsk
from app.standin.github.pulling import Opening
from app.standin.github.records import CheckRun, Comment
from app.standin.github.shapes_git import hook_commit_json


class PullControls(Controls):
    """Pull requests and what hangs on them."""

    def open_pull(
        self,
        repo: RepoRef,
        head_branch: str,
        base: str = "main",
        title: str = "A change",
        *,
        body: str | None = None,
        fork_of: RepoRef | None = None,
        draft: bool = False,
        by: UserRef = None,
    ) -> int:
        """Open a pull request; its number. With `fork_of`, `repo` is the fork and the request goes to `fork_of`."""
        source = self.repo(repo)
        target = source if fork_of is None else self.repo(fork_of)
        opening = Opening(target, source, head_branch, base, title, body, self.account(by), draft)
        with self.state.lock:
            return pulling.open_pull(self.state, self.events, opening).number

    def update_pull(
        self,
        repo: RepoRef,
        number: int,
        *,
        title: str | None = None,
        body: str | None = None,
        base: str | None = None,
        draft: bool | None = None,
        by: UserRef = None,
    ) -> None:
        """Edit it; a new head comes by pushing to its branch."""
        pull, sender = self.pull(repo, number), self.account(by)
        with self.state.lock:
            pulling.edit_pull(self.state, self.events, pull, sender, title=title, body=body, base=base)
            if draft is not None:
                pulling.set_draft(self.state, self.events, pull, sender, draft=draft)

    def close_pull(self, repo: RepoRef, number: int, *, by: UserRef = None) -> None:
        """Close it unmerged."""
        with self.state.lock:
            pulling.close_pull(self.state, self.events, self.pull(repo, number), self.account(by))

    def reopen_pull(self, repo: RepoRef, number: int, *, by: UserRef = None) -> None:
        with self.state.lock:
            pulling.reopen_pull(self.state, self.events, self.pull(repo, number), self.account(by))

    def merge(self, repo: RepoRef, number: int, *, method: str = "merge", by: UserRef = None) -> str:
        """Press the merge button; the new commit. Raises `GitHubError` 405 when a required check stands in the way."""
        with self.state.lock:
            ask = MergeAsk(method=method)
            return pulling.merge(self.state, self.events, self.pull(repo, number), self.account(by), ask)

    def lag(self, repo: RepoRef, number: int, *, head_sha: str, reads: int = 1) -> None:
        """The next `reads` answers of `GET pulls/{n}` still show this older head, as GitHub's replicas do after a push."""
        pull = self.pull(repo, number)
        pull.stale_head, pull.stale_reads = head_sha, reads

    def comment(self, repo: RepoRef, number: int, body: str, *, by: UserRef = None) -> Comment:
        """A person comments."""
        with self.state.lock:
            user = self.account(by)
            return pulling.add_comment(self.state, self.events, self.pull(repo, number), user, body, None)

    def delete_comment(self, comment_id: int) -> None:
        with self.state.lock:
            comment = self.state.comments.pop(comment_id)
            self.events.issue_comment("deleted", comment, self.account(None))

    def rerequest(self, check_run_id: int, *, by: UserRef = None) -> None:
        """Press "Re-run" of a check run."""
        with self.state.lock:
            checking.rerequest_run(self.state, self.events, self.check_run(check_run_id), self.account(by))

    def press(self, check_run_id: int, action: str, *, by: UserRef = None) -> None:
        """Press one of a check run's buttons, named by its identifier."""
        with self.state.lock:
            checking.press_action(self.events, self.check_run(check_run_id), action, self.account(by))

    def check_run(self, check_run_id: int) -> CheckRun:
        return self.state.runs[check_run_id]

    def queue_merge(self, repo: RepoRef, *numbers: int) -> str:
        """Put pull requests into a merge group: a temporary branch, and the event; the group's head SHA."""
        target, user = self.repo(repo), self.account(None)
        pulls = [self.pull(target, number) for number in numbers]
        base_ref, git = pulls[0].base_ref, self.state.git(target)
        with self.state.lock:
            start = head = str(git.branch_head(base_ref))
            for pull in pulls:
                tree = merge_commits(git, head, pull.head_sha)
                if tree is None:
                    raise ValueError(f"#{pull.number} conflicts with what stands before it in the queue")
                who = Signature(user.login, f"{user.login}@users.noreply.github.com", self.state.clock.now())
                head = commit_tree(git, tree, (head, pull.head_sha), f"Merge pull request #{pull.number}", who)
            branch = f"gh-readonly-queue/{base_ref}/pr-{pulls[-1].number}-{start}"
            git.set_ref(f"refs/heads/{branch}", head)
            for pull in pulls:
                self.events.pull_request("enqueued", pull, user)
            self._merge_group("checks_requested", target, branch, head, (base_ref, start))
        return head

    def leave_queue(self, repo: RepoRef, head_sha: str, *, reason: str = "dequeued") -> None:
        """End a merge group: reason "merged", "invalidated" or "dequeued"."""
        target = self.repo(repo)
        git = self.state.git(target)
        with self.state.lock:
            prefix = "gh-readonly-queue/"
            branch = next(b for b, sha in git.branches().items() if sha == head_sha and b.startswith(prefix))
            base_ref, start = branch.removeprefix(prefix).rsplit("/", 1)[0], branch.rsplit("-", 1)[1]
            self._merge_group("destroyed", target, branch, head_sha, (base_ref, start), reason=reason)
            git.set_ref(f"refs/heads/{branch}", None)

    def _merge_group(
        self, action: str, repo: RepoRef, branch: str, head: str, base: tuple[str, str], **more: Any
    ) -> None:
        target = self.repo(repo)
        commit = hook_commit_json(self.state.git(target).commit(head))
        group = {
            "head_sha": head,
            "head_ref": f"refs/heads/{branch}",
            "base_sha": base[1],
            "base_ref": f"refs/heads/{base[0]}",
            "head_commit": commit,
        }
        body = {"action": action, "merge_group": group, **more}
        self.events.announce("merge_group", body, target, self.account(None))
