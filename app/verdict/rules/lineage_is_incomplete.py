"""The catalog's lineage ends or blurs before a serving model: a table-level edge, an untold column, a walk cut short.

The edges that are there do not say whether this column matters. Bring the SQL between them into a repository that Tether reads,
or ingest column-level lineage. Where the catalog did not answer, run the check again once it does.
"""

from app.verdict.checks import check_questions
from app.verdict.rule import Rule

RULE = Rule(
    id="lineage_is_incomplete",
    level="unassessable",
    message="{lost}",
    documentation=__doc__ or "",
    scenario="table_edge_and_no_sql",
    check=check_questions,
)
