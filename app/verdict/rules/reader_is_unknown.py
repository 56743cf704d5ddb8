"""A statement or file may read what is lost, and what it reads or feeds could not be told."""

from app.verdict.checks import check_questions
from app.verdict.rule import Rule

RULE = Rule(
    id="reader_is_unknown",
    level="unassessable",
    message="{lost}",
    documentation=__doc__ or "",
    check=check_questions,
)
