"""The signature, with the vector that GitHub documents."""

from __future__ import annotations

import pytest

from app.webhook import is_signed
from tests.webhook.payloads import SECRET, signature

DOCUMENTED = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"


def test_the_documented_vector_fits() -> None:
    assert is_signed(b"Hello, World!", DOCUMENTED, [SECRET])


@pytest.mark.parametrize("position", [0, 1])
def test_either_of_two_active_secrets_fits(position: int) -> None:
    secrets = ["old", "new"]

    assert is_signed(b"{}", signature(b"{}", secrets[position]), secrets)


@pytest.mark.parametrize(
    "given",
    [
        None,
        "",
        "sha256=",
        DOCUMENTED.removeprefix("sha256="),
        DOCUMENTED.upper(),
        "sha1=" + "0" * 40,
        "sha256=é" + "0" * 63,
    ],
)
def test_anything_else_does_not(given: str | None) -> None:
    assert not is_signed(b"Hello, World!", given, [SECRET])


def test_another_body_does_not_fit() -> None:
    assert not is_signed(b"Hello, World", DOCUMENTED, [SECRET])


def test_no_secret_never_fits() -> None:
    assert not is_signed(b"{}", signature(b"{}", ""), [""])
    assert not is_signed(b"{}", signature(b"{}", ""), [])
