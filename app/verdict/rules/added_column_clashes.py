"""A new column bears a name that a reader writes, without a table, for another column: ambiguous, or silently another one.

Write the table before the name in the reader, or give the new column another name. A NATURAL JOIN compares every name that
both sides have, and a star beside written columns may give one name twice: name the columns there.
"""

from app.verdict.checks import check_trails
from app.verdict.rule import Rule

RULE = Rule(
    id="added_column_clashes",
    level="block",
    message="{lost}, and SQL that computes {features} writes this name for another column.",
    documentation=__doc__ or "",
    scenario="added_name_makes_a_join_ambiguous",
    check=check_trails,
)
