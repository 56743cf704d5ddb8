"""Part of what had to be reviewed could not be fetched or read at all."""

from app.verdict.checks import check_questions
from app.verdict.rule import Rule

RULE = Rule(
    id="review_is_incomplete",
    level="unassessable",
    message="{lost}",
    documentation=__doc__ or "",
    check=check_questions,
)
