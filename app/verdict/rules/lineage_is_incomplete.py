"""The catalog's lineage ends or blurs before a serving model: a table-level edge, an untold column, a walk cut short."""

from app.verdict.checks import check_questions
from app.verdict.rule import Rule

RULE = Rule(
    id="lineage_is_incomplete",
    level="unassessable",
    message="{lost}",
    documentation=__doc__ or "",
    check=check_questions,
)
