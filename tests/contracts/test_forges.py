"""What `Forges` promises: installations, and deliveries that nobody took."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest

from app.ports import Forges
from app.words import Permanent, Transient
from tests.contracts.forge_world import ForgeWorld


def since() -> datetime:
    return datetime.now(UTC) - timedelta(days=3)


def failed(world: ForgeWorld, *, attempts: int = 5) -> list[int]:
    return list(world.run_app(lambda forges: forges.fetch_failed_deliveries(since=since(), attempts=attempts)))


def test_an_installation_is_the_same_value_each_time(forge_world: ForgeWorld) -> None:
    async def work(forges: Forges) -> bool:
        return forges.installation(forge_world.installation_id) is forges.installation(forge_world.installation_id)

    assert forge_world.run_app(work)


def test_installations_are_listed_without_suspended_ones(forge_world: ForgeWorld) -> None:
    other, third = forge_world.add_installation(), forge_world.installation_id

    assert set(forge_world.run_app(lambda forges: forges.fetch_installations())) == {other, third}
    forge_world.suspend(other)
    assert forge_world.run_app(lambda forges: forges.fetch_installations()) == (third,)
    forge_world.uninstall(third)
    assert forge_world.run_app(lambda forges: forges.fetch_installations()) == ()


def test_nothing_failed_where_nothing_was_sent(forge_world: ForgeWorld) -> None:
    assert failed(forge_world) == []


def test_failed_deliveries_are_listed_oldest_first_but_for_old_ones(forge_world: ForgeWorld) -> None:
    forge_world.fail_delivery(ago=timedelta(days=4))
    lost = [forge_world.fail_delivery(ago=timedelta(hours=3 - n)) for n in range(3)]

    assert failed(forge_world) == lost


def test_a_delivery_that_was_tried_often_enough_is_given_up(forge_world: ForgeWorld) -> None:
    often, once = forge_world.fail_delivery(attempts=3), forge_world.fail_delivery()

    assert failed(forge_world, attempts=3) == [once]
    assert failed(forge_world, attempts=4) == [often, once]


def test_a_delivery_is_asked_for_again(forge_world: ForgeWorld) -> None:
    lost = forge_world.fail_delivery()

    forge_world.run_app(lambda forges: forges.redeliver(lost))

    assert forge_world.redeliveries() == 1


def test_a_delivery_that_is_not_there_cannot_be_asked_for_again(forge_world: ForgeWorld) -> None:
    with pytest.raises(Permanent):
        forge_world.run_app(lambda forges: forges.redeliver(987_654))


EVERY: dict[str, Callable[[Forges], Awaitable[object]]] = {
    "fetch_installations": lambda forges: forges.fetch_installations(),
    "fetch_failed_deliveries": lambda forges: forges.fetch_failed_deliveries(since=since(), attempts=5),
    "redeliver": lambda forges: forges.redeliver(1),
}


def test_every_method_of_the_port_is_among_those_asked() -> None:
    assert {"installation", *EVERY} == {name for name in vars(Forges) if not name.startswith("_")}


def test_a_github_that_is_away_is_transient(forge_world: ForgeWorld) -> None:
    forge_world.go_away()

    for ask in EVERY.values():
        with pytest.raises(Transient):
            forge_world.run_app(ask)
