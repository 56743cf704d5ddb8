"""A feature loses its input and the catalog links no model to it: nobody uses it, or nobody wrote it down.

If a model does take the feature, link it in the catalog or name it under `models: {NAME: {features: [...]}}` in `.tether.yml`;
then such a change is judged by what that model needs.
"""

from app.verdict.checks import check_trails
from app.verdict.rule import Rule

RULE = Rule(
    id="feature_without_model",
    level="warn",
    message="{lost}, and {features} is computed from it. No model is linked to the feature: it is unused, or an edge is missing.",
    documentation=__doc__ or "",
    scenario="feature_that_no_model_takes",
    check=check_trails,
)
