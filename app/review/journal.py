"""How the log names a job, and how it quotes what strangers wrote: one line, escaped, cut.

Titles, branches, errors and repository names come from pull requests and other servers; a line break in one of them must not
make a line of its own in the log. Deliberately absent: tokens, payloads and texts of changes, which no line may hold.
"""

from __future__ import annotations

from typing import Final

from app.requests import (
    InstallationRequest,
    JobRequest,
    MergeGroupRequest,
    RepairRequest,
    ReviewRequest,
    SweepRequest,
)

MOST: Final = 300  # characters of a reason


def quote(text: str, most: int = MOST) -> str:
    """Printable, in quotes, at most `most` characters of it."""
    return repr(text if len(text) <= most else f"{text[:most]}…")


def name_job(request: JobRequest) -> str:
    """`review of 'acme/warehouse' pull 7 head 1a2b3c4d5e6f`, or what other kinds of jobs are about."""
    match request:
        case ReviewRequest():
            return f"review of {quote(request.repo_full_name, 140)} pull {request.pull} head {_short(request.head_sha)}"
        case MergeGroupRequest():
            return f"review of {quote(request.repo_full_name, 140)} merge group head {_short(request.head_sha)}"
        case InstallationRequest():
            return f"{request.kind} {request.change} of installation {request.installation_id}"
        case RepairRequest():
            return f"{request.kind} of installation {request.installation_id} ({request.reason})"
        case SweepRequest():
            return f"sweep of installation {request.installation_id}" if request.installation_id else "sweep"
        case _:
            return f"{request.kind} of {quote(request.repo_full_name, 140)}"


def _short(sha: str) -> str:
    return quote(sha[:12])[1:-1]
