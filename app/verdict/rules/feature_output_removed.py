"""A serving model loses an input because the change takes away the very column that is its feature.

No statement stands between the column and the model. Keep the column, perhaps as an alias of its new name, until the model has
been trained and deployed without it.
"""

from app.verdict.checks import check_trails
from app.verdict.rule import Rule

RULE = Rule(
    id="feature_output_removed",
    level="block",
    message="{lost}, and that column is {features} itself.",
    documentation=__doc__ or "",
    scenario="feature_output_renamed",
    check=check_trails,
)
