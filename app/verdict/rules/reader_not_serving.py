"""A real loss, but the model behind it is not serving: its owner should know, the merge need not wait.

The finding names the rule that decided that the model does not serve. If it does, record its deployment in the catalog or set
`models: {NAME: {serving: true}}` in `.tether.yml`.
"""

from app.verdict.checks import check_trails
from app.verdict.rule import Rule

RULE = Rule(
    id="reader_not_serving",
    level="warn",
    message="{lost}, and {features} of a model that is not serving reads it ({serving}).",
    documentation=__doc__ or "",
    scenario="model_not_serving",
    check=check_trails,
)
