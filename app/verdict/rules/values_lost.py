"""A column is dropped and added again without its values being copied: the schema looks the same and all history is gone.

Fill the new column from the old one before the old one is dropped, in the same pull request, or rename instead of dropping.
"""

from app.verdict.checks import check_trails
from app.verdict.rule import Rule

RULE = Rule(
    id="values_lost",
    level="block",
    message="{lost}: {features} still computes, but not from the values of before.",
    documentation=__doc__ or "",
    scenario="drop_and_add_again",
    check=check_trails,
)
