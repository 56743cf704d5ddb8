"""A serving model loses an input because the change takes away the very column that is its feature."""

from app.verdict.checks import check_trails
from app.verdict.rule import Rule

RULE = Rule(
    id="feature_output_removed",
    level="block",
    message="{lost}, and that column is {features} itself.",
    documentation=__doc__ or "",
    check=check_trails,
)
