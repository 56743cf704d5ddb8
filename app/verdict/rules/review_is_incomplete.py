"""Part of what had to be reviewed could not be fetched or read at all.

A listing was cut short, a repository or a file could not be read, or a submodule changed. The finding says which; once it is
readable, run the check again.
"""

from app.verdict.checks import check_questions
from app.verdict.rule import Rule

RULE = Rule(
    id="review_is_incomplete",
    level="unassessable",
    message="{lost}",
    documentation=__doc__ or "",
    scenario="",  # a listing that GitHub cuts short: no folder shows that
    check=check_questions,
)
