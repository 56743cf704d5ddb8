"""The change takes something from a relation that the catalog does not know, so that nobody can tell who stands on it.

Either the relation was never ingested, or the catalog writes its name in full in another way than Tether completes it:
`catalog: {database, schema, platform}` in `.tether.yml` says how. A folder that holds no production SQL is excluded by
`roots: [{path: FOLDER, kind: ignore}]`.
"""

from app.verdict.checks import check_questions
from app.verdict.rule import Rule

RULE = Rule(
    id="relation_is_unknown",
    level="unassessable",
    message="{lost}",
    documentation=__doc__ or "",
    scenario="relation_that_the_catalog_does_not_know",
    check=check_questions,
)
