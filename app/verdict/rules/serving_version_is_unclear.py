"""Versions of a model share a deployment without status and disagree on the column: which one is called is not recorded.

Were the version that loses the column the one that is called, this would block. A deployment with its own status in the
catalog, or `models: {NAME: {serving: true}}` in `.tether.yml`, settles it.
"""

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
    scenario="two_versions_share_a_deployment",
    check=check_trails,
)
