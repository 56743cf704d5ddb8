"""Which models stand behind which doubts: the same as looking from each of them alone, however the places lead to each other."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from app.trail.hop import Hop, Hops, Loss, ModelLoss, Place
from app.trail.reach import find_reach
from app.trail.trail import Step

Ways = Mapping[int, list[int]]
MODELS = range(100, 110)


def place(number: int) -> Place:
    return ModelLoss(f"m{number}", "stops") if number in MODELS else Loss(f"n{number}", None)


def expand(ways: Ways, here: Place) -> Hops:
    name = here.node if isinstance(here, Loss) else here.urn
    following = ways.get(int(name[1:]), [])
    hops = tuple(Hop(place(to), Step(str(to), None, "declared")) for to in following)
    return Hops(hops, wanted=frozenset({name}), guesses=frozenset({f"{name}?"}))


def behind(ways: Ways, start: int) -> set[int]:
    found, queue = {start}, [start]
    while queue:
        for to in ways.get(queue.pop(), []):
            if to not in found:
                found.add(to)
                queue.append(to)
    return found


NODES = st.integers(0, 9)
WAYS = st.dictionaries(NODES, st.lists(st.one_of(NODES, st.sampled_from(MODELS)), max_size=4))


@given(WAYS, st.lists(NODES, min_size=1, max_size=4))
def test_it_is_what_a_search_from_each_start_finds(ways: Ways, starts: list[int]) -> None:
    reach = find_reach([place(start) for start in starts], lambda here: expand(ways, here))

    for start in starts:
        models = {f"m{number}" for number in behind(ways, start) if number in MODELS}
        assert models == set(reach.models[place(start)])
    seen = {number for start in starts for number in behind(ways, start)}
    assert {f"m{n}" if n in MODELS else f"n{n}" for n in seen} == reach.wanted
    assert {f"{name}?" for name in reach.wanted} == reach.guesses


def test_a_chain_longer_than_any_stack() -> None:
    ways = {number: [number + 1] for number in range(200, 20_000)}
    ways[20_000] = [100, 200]
    reach = find_reach([place(200), place(19_999)], lambda here: expand(ways, here))

    assert reach.models == {place(200): ("m100",), place(19_999): ("m100",)}
