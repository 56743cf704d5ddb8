"""A column's type changes under SQL that a serving model stands on; whether it stops or shifts decides how loud that is.

It blocks where a reader's function or operator rejects the new type, and warns where values shift. Add a column of the new
type, move the readers to it, then drop the old one; or cast in the readers in the same pull request.
"""

from app.verdict.checks import check_trails
from app.verdict.rule import Rule

RULE = Rule(
    id="type_changed",
    level="block",
    message="{lost}, which {features} is computed from.",
    documentation=__doc__ or "",
    scenario="number_to_text_under_average",
    check=check_trails,
)
