"""For every test: what passes through the GitHub stand-in is held against GitHub's own description."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.types import ASGIApp

from app.standin.github import serving
from tests.contracts.github_description import Watched

WATCHED: list[Watched] = []


@pytest.fixture(autouse=True, scope="session")
def _watch_the_stand_in() -> Iterator[None]:
    """Whoever serves it, in whatever test, serves it behind the judge."""
    plain = serving.create_app

    def watched(*arguments: object, **options: object) -> ASGIApp:
        app = Watched(plain(*arguments, **options))  # type: ignore[arg-type]  # handed on as they are
        WATCHED.append(app)
        return app

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serving, "create_app", watched)
        yield


@pytest.fixture(autouse=True)
def _everything_fits_githubs_description() -> Iterator[None]:
    yield
    wrong = [problem for app in WATCHED for problem in app.wrong]
    for app in WATCHED:
        app.wrong.clear()
    assert not wrong, "GitHub's description says otherwise:\n" + "\n".join(dict.fromkeys(wrong))
