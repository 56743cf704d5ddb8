"""The change leaves a `.tether.yml` that cannot be used: once merged, no review of this repository could be made.

The finding stands on the line that is wrong and says how. Correct it before the merge; `tether config` tells whether the file can
be used, and what every key then means.
"""

from collections.abc import Iterable

from app.verdict.policy import find_level
from app.verdict.rule import Facts, Rule
from app.verdict.verdict import Finding
from app.words import CONFIG_PATH, Evidence, PolicyConfig


def check_nothing(_: Rule, __: Facts) -> Iterable[Finding]:
    """Whether a file can be used is known before there are facts: `find_config_finding` is asked by whoever read it."""
    return ()


RULE = Rule(
    id="config_is_invalid",
    level="warn",
    message="{lost}",
    documentation=__doc__ or "",
    scenario="",  # a scenario's configuration is that of its base
    check=check_nothing,
)


def find_config_finding(message: str, line: int, policy: PolicyConfig) -> Finding:
    """Its level is "off" where the policy says so."""
    return Finding(
        rule=RULE.id,
        level=find_level(RULE, policy),
        message=message,
        relation=CONFIG_PATH,
        column=None,
        evidence=(Evidence(CONFIG_PATH, line),),
    )
