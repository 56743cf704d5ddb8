"""The change takes something from a relation that the catalog does not know, so that nobody can tell who stands on it."""

from app.verdict.checks import check_questions
from app.verdict.rule import Rule

RULE = Rule(
    id="relation_is_unknown",
    level="unassessable",
    message="{lost}",
    documentation=__doc__ or "",
    check=check_questions,
)
