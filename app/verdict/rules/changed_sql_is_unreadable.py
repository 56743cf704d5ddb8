"""SQL that the change itself touches could not be read: what it takes away is unknown.

A statement does not parse in the dialect it was read in, builds its SQL while it runs, or stands in a tool's file that is not
read. Write it as constant SQL, set `dialect:` for its root in `.tether.yml`, or move unrelated work into another pull request.
"""

from app.verdict.checks import check_questions
from app.verdict.rule import Rule

RULE = Rule(
    id="changed_sql_is_unreadable",
    level="unassessable",
    message="{lost}",
    documentation=__doc__ or "",
    scenario="dynamic_sql",
    check=check_questions,
)
