"""What was lost is found again: deliveries that nobody took, and heads without a verdict; nothing is asked for twice."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from app.codec import encode
from app.edges.store import load_indexed
from app.jobs.sweep import MOST_REVIEWS
from app.requests import JobRequest, ReviewRequest, SweepRequest, decode_request
from app.words import Permanent, Transient
from tests.review.shop import Shop


def run(shop: Shop, request: JobRequest) -> str:
    return asyncio.run(shop.turn(request)).state


ALL, ONE = SweepRequest("sweep:now"), SweepRequest("sweep:now:9", 9)


def asked_for(shop: Shop) -> list[tuple[int, str]]:
    return [(r.pull, r.head_sha) for r in shop.queued if isinstance(r, ReviewRequest)]


def test_failed_deliveries_of_three_days_are_asked_for_again(shop: Shop) -> None:
    now = datetime.now(UTC)
    shop.forge.failed_deliveries = {5: now - timedelta(days=4), 6: now - timedelta(days=2), 7: now}
    shop.forge.fail["redeliver"] = [Permanent("GitHub has forgotten it")]
    assert run(shop, ALL) == "done"
    assert shop.forge.redelivered == [7], "one that is gone does not stop the next"


def test_each_installation_is_swept_by_a_job_of_its_own(shop: Shop) -> None:
    shop.forge.installations = [9, 10]
    assert run(shop, ALL) == "done"
    assert shop.queued == [SweepRequest("sweep:now:9", 9), SweepRequest("sweep:now:10", 10)]
    assert [request.partition for request in shop.queued] == ["9", "10"]
    assert decode_request(encode(shop.queued[0])) == shop.queued[0]


def test_a_pull_request_that_nobody_told_us_of_is_reviewed(shop: Shop) -> None:
    shop.open_pull(7)
    assert run(shop, ONE) == "done"
    assert asked_for(shop) == [(7, "head")]
    (request,) = shop.queued
    assert run(shop, request) == "done"
    shop.queued.clear()
    run(shop, ONE)
    assert asked_for(shop) == [], "it has its verdict"
    shop.forge.check_runs("head")
    shop.forge.comments(7)


def test_a_push_that_nobody_told_us_of_is_reviewed(shop: Shop) -> None:
    run(shop, shop.open_pull(7, files={"README.md": "x"}))
    shop.forge.add_commit(1, "newer", {"README.md": "y"}, parent="base")
    shop.forge.push(1, 7, "newer", second=2)
    run(shop, ONE)
    assert asked_for(shop) == [(7, "newer")]
    shop.forge.check_runs("head")


def test_a_head_whose_job_waits_or_runs_is_left_to_it(shop: Shop) -> None:
    request = shop.open_pull(7)
    shop.accept(request)
    shop.alive.add(request.delivery)
    run(shop, ONE)
    assert asked_for(shop) == []
    shop.alive.clear()
    run(shop, ONE)
    assert asked_for(shop) == [(7, "head")], "its job died and left no verdict"


def test_a_head_that_was_left_and_came_back_is_judged_again(shop: Shop) -> None:
    shop.forge.fail["fetch_comparison"] = [Transient("away")]
    request = shop.open_pull(7, files={"README.md": "x"})
    job = shop.accept(request)
    shop.accept(replace(request, delivery="d2", head_sha="newer", updated_at="2026-01-01T00:00:02Z"))
    asyncio.run(shop.work.begin(replace(job, sequence=2)))
    asyncio.run(shop.work.conclude_failed(job, "", None))
    shop.forge.push(1, 7, "head", second=3)
    run(shop, ONE)
    assert asked_for(shop) == [(7, "head")]
    shop.forge.check_runs("head")


def test_a_repository_whose_pull_requests_cannot_be_listed_keeps_nobody_waiting(shop: Shop) -> None:
    shop.open_pull(7)
    shop.forge.add_repo(3, "acme/blocked", {})
    shop.forge.fail["fetch_open_pulls"] = [None, Permanent("blocked")]
    assert run(shop, ONE) == "done"
    assert asked_for(shop) == [(7, "head")]


def test_one_sweep_asks_for_so_many_reviews_the_newest_first(shop: Shop) -> None:
    shop.open_pull(1)
    for number in range(2, MOST_REVIEWS + 3):
        shop.forge.pulls[1, number] = replace(
            shop.forge.pulls[1, 1], number=number, updated_at=f"2026-01-02T00:00:00.{number:03}Z"
        )
    run(shop, ONE)
    assert [pull for pull, _ in asked_for(shop)] == list(range(MOST_REVIEWS + 2, 2, -1))


@pytest.mark.parametrize("name", ["fetch_failed_deliveries", "fetch_installations"])
def test_a_sweep_that_github_does_not_answer_is_tried_again(shop: Shop, name: str) -> None:
    shop.forge.fail[name] = [Transient("502")]
    assert run(shop, ALL) == "wait"


def test_the_index_of_what_left_unheard_of_goes(shop: Shop) -> None:
    run(shop, shop.open_pull(7))
    del shop.forge.repos[2]
    run(shop, ONE)
    with shop.store.begin() as connection:
        assert set(load_indexed(connection, 9)) == {1}
    shop.forge.check_runs("head")
    shop.forge.comments(7)


@pytest.mark.parametrize(("merged", "active"), [(False, 0), (True, 1)])
def test_a_pull_request_that_was_closed_without_a_word_lets_go_of_its_incident(
    shop: Shop,
    merged: bool,  # noqa: FBT001 - parametrized
    active: int,
) -> None:
    run(shop, shop.open_pull(7))
    pull = shop.forge.pulls[1, 7]
    shop.forge.pulls[1, 7] = replace(pull, state="closed", merged=merged, updated_at="2026-02-01T00:00:00Z")
    assert run(shop, ONE) == "done"
    (request,) = shop.queued
    assert run(shop, request) == "done"
    assert len(shop.writes.active) == active
    shop.queued.clear()
    run(shop, ONE)
    assert shop.queued == [], "it is settled"
    shop.forge.check_runs("head")
    shop.forge.comments(7)
