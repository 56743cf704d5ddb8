"""Whether the change takes the column away depends on something that could not be told, and a serving model reads it.

What the change does depends on a value, a branch or code that Tether does not run. Give a dbt variable its value under
`dbt: {vars: ...}` in `.tether.yml`, or write the statement so that it always does the same.
"""

from app.verdict.checks import check_questions
from app.verdict.rule import Rule

RULE = Rule(
    id="change_is_uncertain",
    level="unassessable",
    message="{lost}",
    documentation=__doc__ or "",
    scenario="dbt_variable_without_a_value",
    check=check_questions,
)
