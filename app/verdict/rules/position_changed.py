"""Columns change places under a reader that takes them by position: nothing fails and everything is mixed up.

Name the columns: in the INSERT that takes them by place, or in the SELECT that uses a star.
"""

from app.verdict.checks import check_trails
from app.verdict.rule import Rule

RULE = Rule(
    id="position_changed",
    level="block",
    message="{lost}, and {features} takes columns by their place.",
    documentation=__doc__ or "",
    scenario="positional_insert_reordered",
    check=check_trails,
)
