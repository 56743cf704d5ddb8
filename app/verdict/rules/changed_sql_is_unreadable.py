"""SQL that the change itself touches could not be read: what it takes away is unknown."""

from app.verdict.checks import check_questions
from app.verdict.rule import Rule

RULE = Rule(
    id="changed_sql_is_unreadable",
    level="unassessable",
    message="{lost}",
    documentation=__doc__ or "",
    check=check_questions,
)
