"""A feature loses its input and the catalog links no model to it: nobody uses it, or nobody wrote it down."""

from app.verdict.checks import check_trails
from app.verdict.rule import Rule

RULE = Rule(
    id="feature_without_model",
    level="warn",
    message="{lost}, and {features} is computed from it. No model is linked to the feature: it is unused, or an edge is missing.",
    documentation=__doc__ or "",
    check=check_trails,
)
