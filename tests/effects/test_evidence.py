from __future__ import annotations

import pytest

from app.effects.evidence import permalink
from app.words import Evidence


def test_names_the_line_at_its_commit() -> None:
    evidence = Evidence("features/a.sql", 12, "AVG(x)", "base", "acme/features", "abc123")

    assert permalink(evidence) == "https://github.com/acme/features/blob/abc123/features/a.sql#L12"


def test_takes_the_repository_under_review_for_evidence_that_names_none() -> None:
    evidence = Evidence("m/1.sql", 3)

    assert (
        permalink(evidence, web_url="https://ghe.acme.io/", repo="acme/shop", commit="f00")
        == "https://ghe.acme.io/acme/shop/blob/f00/m/1.sql#L3"
    )


def test_escapes_what_a_path_may_hold() -> None:
    evidence = Evidence("a b/[x](y)#?é.sql", 1, repo="acme/shop", commit="f00")

    assert permalink(evidence) == "https://github.com/acme/shop/blob/f00/a%20b/%5Bx%5D%28y%29%23%3F%C3%A9.sql#L1"


@pytest.mark.parametrize(
    "evidence",
    [
        Evidence("a.sql", 1, commit="f00"),
        Evidence("a.sql", 1, repo="acme/shop"),
        Evidence("a.sql", 1, repo="a-directory", commit="f00"),
        Evidence("a.sql", 1, repo="acme/shop/extra", commit="f00"),
        Evidence("urn:li:dataset:x", 1, side="catalog", repo="acme/shop", commit="f00"),
    ],
)
def test_is_none_where_there_is_no_page(evidence: Evidence) -> None:
    assert permalink(evidence) is None
