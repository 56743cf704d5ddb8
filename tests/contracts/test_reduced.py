"""The reduced description is what the script makes of the locked package."""

from __future__ import annotations

import json

import pytest

from tests.contracts.github_description import FILE as REDUCED
from tests.contracts.reduce_openapi import FILE, read_package
from tests.more import HERE, OPENAPI, npm_is_absent


@pytest.mark.skipif(not (OPENAPI / FILE).exists(), reason=npm_is_absent(OPENAPI))
def test_the_committed_form_is_the_scripts() -> None:
    assert REDUCED.read_text() == read_package(OPENAPI)


def test_it_says_which_version_it_is_of() -> None:
    locked = json.loads((HERE / "package-lock.json").read_text())["packages"]["node_modules/@octokit/openapi"][
        "version"
    ]
    assert f"@octokit/openapi {locked} " in json.loads(REDUCED.read_text())["source"]


def test_the_lock_names_no_address() -> None:
    lock = json.loads((HERE / "package-lock.json").read_text())
    packages = {name: one for name, one in lock["packages"].items() if name}
    assert len(packages) > 1
    assert all(one["integrity"].startswith("sha512-") for one in packages.values())
    assert "http" not in json.dumps(lock)
