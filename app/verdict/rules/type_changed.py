"""A column's type changes under SQL that a serving model stands on; whether it stops or shifts decides how loud that is."""

from app.verdict.checks import check_trails
from app.verdict.rule import Rule

RULE = Rule(
    id="type_changed",
    level="block",
    message="{lost}, which {features} is computed from.",
    documentation=__doc__ or "",
    check=check_trails,
)
