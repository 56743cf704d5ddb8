"""A serving model loses an input because a whole table or view that it stands on goes away."""

from app.verdict.checks import check_trails
from app.verdict.rule import Rule

RULE = Rule(
    id="removed_relation_is_read",
    level="block",
    message="{lost}, and SQL that computes {features} reads it.",
    documentation=__doc__ or "",
    check=check_trails,
)
