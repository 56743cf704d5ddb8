"""A review that something else than its pull request made necessary: a re-run, or a push to a default branch."""

from __future__ import annotations

from dataclasses import replace

from app.ports import Pull
from app.requests import Job, Reason, ReviewRequest, make_review
from app.words import Repo


def make_again(job: Job, repo: Repo, pull: Pull, reason: Reason) -> ReviewRequest:
    """Its delivery is made from the job's, so that a job that is run again asks for nothing twice."""
    made = make_review(job.request.installation_id, repo, pull)
    return replace(made, delivery=f"{job.request.delivery}:{repo.id}:{pull.number}", reason=reason)
