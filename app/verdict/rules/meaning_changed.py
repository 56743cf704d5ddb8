"""A column keeps its name and type and means something else: another expression, filter, unit, grain, default or nullability."""

from app.verdict.checks import check_trails
from app.verdict.rule import Rule

RULE = Rule(
    id="meaning_changed",
    level="warn",
    message="{lost}, which {features} is computed from; only a person can say whether that is meant.",
    documentation=__doc__ or "",
    check=check_trails,
)
