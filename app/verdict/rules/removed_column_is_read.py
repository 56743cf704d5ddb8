"""A serving model loses an input because SQL or declared lineage behind it reads a column that the change takes away."""

from app.verdict.checks import check_trails
from app.verdict.rule import Rule

RULE = Rule(
    id="removed_column_is_read",
    level="block",
    message="{lost}, and SQL that computes {features} reads it.",
    documentation=__doc__ or "",
    check=check_trails,
)
