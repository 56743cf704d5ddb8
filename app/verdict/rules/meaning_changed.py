"""A column keeps its name and type and means something else: another expression, filter, unit, grain, default or nullability.

The schema stays as it is, so nothing fails; the model sees numbers that it was not trained on. Tell its owner. A repository
that wants such changes blocked sets `policy: {rules: {meaning_changed: block}}`.
"""

from app.verdict.checks import check_trails
from app.verdict.rule import Rule

RULE = Rule(
    id="meaning_changed",
    level="warn",
    message="{lost}, which {features} is computed from; only a person can say whether that is meant.",
    documentation=__doc__ or "",
    scenario="unit_changed",
    check=check_trails,
)
