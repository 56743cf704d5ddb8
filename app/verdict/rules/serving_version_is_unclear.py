"""Versions of a model share a deployment without status and disagree on the column: which one is called is not recorded."""

from app.verdict.checks import check_trails
from app.verdict.rule import Rule

RULE = Rule(
    id="serving_version_is_unclear",
    level="warn",
    message=(
        "{lost}, and {features} reads it. The deployment does not say which version it runs, and these versions do not "
        "read it: {unclear}. A `models:` entry in .tether.yml settles it."
    ),
    documentation=__doc__ or "",
    check=check_trails,
)
