"""Job requests as tests need them."""

from app.requests import CloseRequest, ReviewRequest


def review(
    delivery: str = "d1",
    *,
    sha: str = "a" * 40,
    pull: int = 7,
    second: int = 1,
    repo_id: int = 1,
    installation: int = 9,
) -> ReviewRequest:
    return ReviewRequest(
        delivery=delivery,
        installation_id=installation,
        repo_id=repo_id,
        repo_full_name="acme/warehouse",
        pull=pull,
        head_sha=sha,
        base_ref="main",
        updated_at=f"2026-01-01T00:{second // 60:02d}:{second % 60:02d}Z",
        reason="synchronize",
    )


def close(delivery: str = "d9", *, merged: bool = False, pull: int = 7, second: int = 9) -> CloseRequest:
    return CloseRequest(
        delivery=delivery,
        installation_id=9,
        repo_id=1,
        repo_full_name="acme/warehouse",
        pull=pull,
        head_sha="a" * 40,
        base_ref="main",
        updated_at=f"2026-01-01T00:00:{second:02d}Z",
        merged=merged,
    )
