"""Which rule speaks for a trail. Every trail has exactly one, or none when its model is retired."""

from __future__ import annotations

from typing import assert_never

from app.verdict.impacts import may_block
from app.verdict.rule import Impact
from app.words import Config


def find_rule_id(impact: Impact, config: Config) -> str | None:
    """By the model first (none, retired, not serving, unclear), then by what happens to the column."""
    if impact.trail.model is None:
        return "feature_without_model"
    if impact.serving is not None and impact.serving.state == "retired":
        return None
    if impact.serving is not None and impact.serving.state == "unread":
        return None  # a question of its own: lineage_is_incomplete
    if not may_block(impact, config):
        return "serving_version_is_unclear" if impact.unclear else "reader_not_serving"
    if not impact.removal.certain and impact.removal.kind != "type_changed":
        return None  # a question of its own: change_is_uncertain
    return _by_kind(impact)


def _by_kind(impact: Impact) -> str:
    removal = impact.removal
    match removal.kind:
        case "type_changed" | "values_lost" | "position_changed" | "meaning_changed":
            return removal.kind
        case "column_dropped" | "column_renamed" | "column_hidden" | "output_removed" | "output_renamed":
            return "feature_output_removed" if _is_the_feature(impact) else "removed_column_is_read"
        case "relation_dropped" | "relation_renamed" | "definition_deleted" | "view_invalidated" | "writer_is_unread":
            return "removed_relation_is_read"
        case "column_added":
            return "added_column_clashes"
        case _:
            assert_never(removal.kind)


def _is_the_feature(impact: Impact) -> bool:
    """The lost column is the feature's own: no statement stands between them."""
    steps, feature = impact.trail.steps, impact.trail.feature
    return feature is not None and len(steps) > 1 and (steps[1].urn, steps[1].witness) == (feature, "relationship")
