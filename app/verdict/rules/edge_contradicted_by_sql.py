"""The catalog declares an edge from the lost column, and the SQL that can be seen does not read it: the edge is stale.

Visible SQL is the better witness, so the edge blocks nothing. Remove it in the catalog, or run the ingestion that wrote it again.
"""

from collections.abc import Iterator

from app.verdict.findings import find_lost
from app.verdict.policy import find_level
from app.verdict.rule import Facts, Rule
from app.verdict.verdict import Finding


def check(rule: Rule, facts: Facts) -> Iterator[Finding]:
    """One finding for each edge that visible SQL denies."""
    for text, evidence, removal in facts.walk.contradicted:
        yield Finding(
            rule=rule.id,
            level=find_level(rule, facts.config.policy),
            message=f"{find_lost(removal)}: {text}.",
            relation=removal.relation,
            column=removal.column,
            dataset=facts.naming.resolve(removal.relation).urn,
            evidence=(removal.evidence, *((evidence,) if evidence else ())),
        )


RULE = Rule(
    id="edge_contradicted_by_sql",
    level="warn",
    message="the catalog declares an edge that visible SQL denies",
    documentation=__doc__ or "",
    scenario="declared_column_edge_contradicted",
    check=check,
)
