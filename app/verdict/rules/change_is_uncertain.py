"""Whether the change takes the column away depends on something that could not be told, and a serving model reads it."""

from app.verdict.checks import check_questions
from app.verdict.rule import Rule

RULE = Rule(
    id="change_is_uncertain",
    level="unassessable",
    message="{lost}",
    documentation=__doc__ or "",
    check=check_questions,
)
