"""A column is written without its table, and several tables may have it."""

from app.verdict.checks import check_questions
from app.verdict.rule import Rule

RULE = Rule(
    id="column_is_ambiguous",
    level="unassessable",
    message="{lost}",
    documentation=__doc__ or "",
    check=check_questions,
)
