"""A serving model loses an input because a new column bears a name that SQL behind it writes for something else."""

from app.verdict.checks import check_trails
from app.verdict.rule import Rule

RULE = Rule(
    id="added_column_clashes",
    level="block",
    message="{lost}, and SQL that computes {features} writes this name for another column.",
    documentation=__doc__ or "",
    check=check_trails,
)
