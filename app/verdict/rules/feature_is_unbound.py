"""A serving model takes a feature of which nobody can tell the table, and a column of its name is lost.

Feature stores are often ingested without the whole name of the table behind a feature. Say it once, under `features:` in
`.tether.yml`: `STORE.VIEW.FEATURE: {table: DATABASE.SCHEMA.TABLE}`; `STORE.VIEW.*` says it of a whole view. Code of Feast that
names the table in constants does as well. `tether config --suggest` prints all lines that are missing.
"""

from app.verdict.checks import check_questions
from app.verdict.rule import Rule

RULE = Rule(
    id="feature_is_unbound",
    level="unassessable",
    message="{lost}",
    documentation=__doc__ or "",
    scenario="feast_source_is_unknown",
    check=check_questions,
)
