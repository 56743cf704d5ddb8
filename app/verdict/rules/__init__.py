"""Every rule of the judge, worst first. One file each: its id, its level, what it says, and what it looks at."""

from app.verdict.rule import Rule
from app.verdict.rules import (
    added_column_clashes,
    change_is_uncertain,
    changed_sql_is_unreadable,
    column_is_ambiguous,
    config_is_invalid,
    edge_contradicted_by_sql,
    feature_is_unbound,
    feature_output_removed,
    feature_without_model,
    lineage_is_incomplete,
    meaning_changed,
    position_changed,
    reader_is_unknown,
    reader_not_serving,
    relation_is_unknown,
    removed_column_is_read,
    removed_relation_is_read,
    review_is_incomplete,
    serving_version_is_unclear,
    type_changed,
    values_lost,
)

RULES: tuple[Rule, ...] = (
    removed_column_is_read.RULE,
    removed_relation_is_read.RULE,
    feature_output_removed.RULE,
    values_lost.RULE,
    type_changed.RULE,
    position_changed.RULE,
    added_column_clashes.RULE,
    meaning_changed.RULE,
    relation_is_unknown.RULE,
    changed_sql_is_unreadable.RULE,
    change_is_uncertain.RULE,
    lineage_is_incomplete.RULE,
    reader_is_unknown.RULE,
    feature_is_unbound.RULE,
    column_is_ambiguous.RULE,
    review_is_incomplete.RULE,
    serving_version_is_unclear.RULE,
    reader_not_serving.RULE,
    feature_without_model.RULE,
    edge_contradicted_by_sql.RULE,
    config_is_invalid.RULE,
)

find_config_finding = config_is_invalid.find_config_finding

__all__ = ["RULES", "find_config_finding"]
