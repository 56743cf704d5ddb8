"""Which file configures a repository, and what it is called."""

from __future__ import annotations

import asyncio

from app.review.fetch_config import fetch_defaults, name_config
from app.words import Repo
from tests.fakes.forge import FakeForge

DEFAULTS = "version: 1\nmode: observe\n"


def test_the_organisation_s_own_repository_has_no_defaults_above_it() -> None:
    forge = FakeForge()
    repo = forge.add_repo(3, "acme/.github", {".tether.yml": DEFAULTS})

    assert asyncio.run(fetch_defaults(forge, repo)) is None
    assert forge.calls["fetch_file"] == 0
    assert name_config(repo) == "acme/.github .tether.yml"


def test_every_other_repository_of_the_owner_stands_on_it() -> None:
    forge = FakeForge()
    forge.add_repo(3, "acme/.github", {".tether.yml": DEFAULTS})
    found = asyncio.run(fetch_defaults(forge, Repo(1, "acme/warehouse")))

    assert found is not None
    assert (found.text, found.name) == (DEFAULTS, "acme/.github .tether.yml")
    assert asyncio.run(fetch_defaults(forge, Repo(2, "other/warehouse"))) is None
    assert name_config(Repo(1, "acme/warehouse")) == ".tether.yml"
