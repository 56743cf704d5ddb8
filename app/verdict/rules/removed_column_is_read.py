"""A serving model loses an input because SQL or declared lineage behind it reads a column that the change takes away.

Keep the column until its readers have moved: change them first or in the same pull request, or keep the old name as a view or
an alias. The finding's lines are the places that read it.
"""

from app.verdict.checks import check_trails
from app.verdict.rule import Rule

RULE = Rule(
    id="removed_column_is_read",
    level="block",
    message="{lost}, and SQL that computes {features} reads it.",
    documentation=__doc__ or "",
    scenario="drop_column",
    check=check_trails,
)
