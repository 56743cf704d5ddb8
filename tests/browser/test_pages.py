"""The stand-in's pages and the bench's page in a real browser: everything there, visible, and nothing wider than the window."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.effects import Bench, BenchCase, Round, bench_html
from app.standin.github import ServingGitHub
from app.words import Evidence
from tests.browser.chromium import Chromium, find_chromium
from tests.standin.github.blocked import open_blocked_pull

FITS = "document.documentElement.scrollWidth <= innerWidth"
#: how many of what a selector finds have a size, and stand inside of the window from left to right
SHOWN = """[...document.querySelectorAll({selector!r})].filter(one => {{
  const at = one.getBoundingClientRect();
  return at.width > 0 && at.height > 0 && at.left >= 0 && at.right <= innerWidth;
}}).length"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    program = find_chromium()
    if program is None:
        pytest.skip("chromium: not on PATH; Debian has it as the package chromium")
    with Chromium(program) as found:
        yield found


@pytest.fixture(scope="module")
def pull(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a blocked pull request's page."""
    with ServingGitHub(tmp_path_factory.mktemp("github"), pages=True) as github:
        world = github.world
        world.create_org("acme")
        files = {"migrations/0001_orders.sql": "CREATE TABLE orders (id int, discount_pct int);\n"}
        repo = world.create_repo("acme", "warehouse", files)
        app = world.create_app("Tether", {"checks": "write", "pull_requests": "write"}, ["pull_request"], owner="acme")
        number, _ = open_blocked_pull(world, repo, app)
        yield f"{github.url}/acme/warehouse/pull/{number}"


def shown(browser: Chromium, selector: str) -> int:
    return int(browser.evaluate(SHOWN.format(selector=selector)))


@pytest.mark.parametrize(("width", "drawing", "other"), [(1280, "wide", "narrow"), (400, "narrow", "wide")])
def test_the_pull_page_shows_all_of_a_block(browser: Chromium, pull: str, width: int, drawing: str, other: str) -> None:
    browser.open(pull, width)

    assert browser.evaluate(FITS)
    assert shown(browser, ".markdown-alert-caution") == 1
    assert shown(browser, f".trail svg.{drawing} rect") == 3
    assert shown(browser, f".trail svg.{other} rect") == 0
    assert shown(browser, ".markdown table td") == 2
    assert shown(browser, "tr.add + tr.note .annotation.failure") == 1
    assert shown(browser, "button[disabled]") == 1
    assert shown(browser, ".checks .icon[aria-label=failure]") == 2


def test_the_style_is_applied_and_folds_are_closed(browser: Chromium, pull: str) -> None:
    """The page's own policy names its style sheet by digest: a wrong digest leaves the page bare."""
    browser.open(pull, 1280)
    border = "getComputedStyle(document.querySelector('.markdown-alert-caution')).borderLeftColor"

    assert browser.evaluate(border) == "rgb(207, 34, 46)"
    assert browser.evaluate("document.querySelectorAll('details[open]').length") == 0
    assert browser.evaluate("document.querySelector('.checks details .markdown').checkVisibility()") is False


def test_a_line_that_a_link_leads_to_is_marked(browser: Chromium, pull: str) -> None:
    browser.open(pull.replace("pull/1", "blob/main/migrations/0001_orders.sql#L1"), 1280)

    assert (
        browser.evaluate("getComputedStyle(document.querySelector('#L1 td')).backgroundColor") == "rgb(255, 248, 197)"
    )


LONG = "warehouse_production.analytics_reporting.fct_subscription_revenue_by_customer_and_month"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page whose names are longer than any window is wide for a row of them."""
    trail = [f"urn:li:dataset:(urn:li:dataPlatform:snowflake,{LONG}_{n},PROD)" for n in range(4)]
    line = Evidence(f"features/{LONG}.sql", 12, "very_long_column_name, " * 9, repo="acme/features")
    cold = BenchCase("B1", f"Drop {LONG}", "m" * 90, "pass", f"Passed {LONG}", lost=(f"{LONG}.x",), reason=LONG)
    warm = BenchCase(
        "B1",
        f"Drop {LONG}",
        "m" * 90,
        "block",
        f"Blocked {LONG}",
        trail=tuple(trail),
        lost=(f"{LONG}_0.x",),
        evidence=(line,),
    )
    page = tmp_path_factory.mktemp("bench") / "bench.html"
    page.write_text(bench_html(Bench(Round((cold,)), Round((warm,)), None)))
    return page.as_uri()


@pytest.mark.parametrize("width", [400, 900, 1400])
def test_the_bench_page_wraps_and_shows_whole_names(browser: Chromium, bench: str, width: int) -> None:
    browser.open(bench, width)
    names = browser.evaluate(
        "[...document.querySelectorAll('.trail .box')].map(one => one.innerText.replace('\\n', ' '))"
    )

    assert browser.evaluate(FITS)
    assert shown(browser, ".trail .box") == 6  # the loss stands for its relation
    assert shown(browser, ".trail .arrow") == 4
    assert f"dataset {LONG}_3" in [" ".join(name.split()) for name in names]
    assert "…" not in browser.evaluate("document.body.innerText")
    clipped = "[...document.querySelectorAll('.box')].filter(one => one.scrollWidth > one.clientWidth).length"
    assert browser.evaluate(clipped) == 0
