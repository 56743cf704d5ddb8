"""Trails with what is known of their models: serving, shared deployments, owners. The facts under every finding."""

from __future__ import annotations

from app.change import Removal
from app.trail import (
    WITHOUT_STATUS,
    LineageGraph,
    Serving,
    Trail,
    Walk,
    decide_serving,
    find_features,
    find_sharers,
)
from app.verdict.rule import Impact
from app.words import Config


def find_impacts(walk: Walk, graph: LineageGraph, config: Config) -> tuple[Impact, ...]:
    """One for each trail; one model is decided once."""
    servings: dict[str, Serving] = {}
    losing: dict[Removal, set[str]] = {}
    for trail in walk.trails:
        if trail.model is not None:
            losing.setdefault(trail.removal, set()).add(trail.model)
            if trail.model not in servings:
                servings[trail.model] = decide_serving(trail.model, graph, config)
    return tuple(_impact(trail, servings, losing.get(trail.removal, set()), graph) for trail in walk.trails)


def _impact(trail: Trail, servings: dict[str, Serving], losing: set[str], graph: LineageGraph) -> Impact:
    if trail.model is None:
        return Impact(trail)
    serving = servings[trail.model]
    unclear: tuple[str, ...] = ()
    if serving.state == "serving" and serving.rule.startswith(WITHOUT_STATUS):
        # a version without declared features says nothing about the column, so it cannot disagree
        others = (other for other in find_sharers(trail.model, graph) if find_features(graph, other))
        unclear = tuple(other for other in others if other not in losing)
    return Impact(trail, serving, unclear)


def may_block(impact: Impact, config: Config) -> bool:
    """Whether the model counts as serving and it is clear that this version of it is the one that is called."""
    serving = impact.serving
    if serving is None or impact.unclear:
        return False
    return serving.state == "serving" or (serving.state == "unknown" and config.serving.unknown == "serving")
