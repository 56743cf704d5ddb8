"""A column is written without its table, and several tables may have it.

Which table the name belongs to decides whether a model loses an input. Write the table before the column, or bring the
tables' schemas into the catalog.
"""

from app.verdict.checks import check_questions
from app.verdict.rule import Rule

RULE = Rule(
    id="column_is_ambiguous",
    level="unassessable",
    message="{lost}",
    documentation=__doc__ or "",
    scenario="column_of_one_of_two_unknown_tables",
    check=check_questions,
)
