"""A serving model loses an input because a whole table or view that it stands on goes away.

Move its readers first or in the same pull request, or leave a view under the old name.
"""

from app.verdict.checks import check_trails
from app.verdict.rule import Rule

RULE = Rule(
    id="removed_relation_is_read",
    level="block",
    message="{lost}, and SQL that computes {features} reads it.",
    documentation=__doc__ or "",
    scenario="drop_table",
    check=check_trails,
)
