"""How loud a rule is: its own level, what `.tether.yml` makes of it, and never louder than the removal allows.

"Cannot be assessed" is red by promise. It is weakened only where the policy gives a reason, then to a warning, never to
silence, and the verdict says so.
"""

from __future__ import annotations

from app.verdict.rule import Question, Rule
from app.words import Level, PolicyConfig


def find_level(rule: Rule, policy: PolicyConfig, *, at_most: Level = "block") -> Level:
    """The level of a finding. `at_most` warn is what a removal that may only warn allows, unless the rule is set by id."""
    if rule.level == "unassessable":
        return _weaken(rule, policy)
    level = policy.rules.get(rule.id, rule.level)
    if at_most == "warn" and level in ("block", "unassessable") and rule.id not in policy.rules:
        return "warn"
    return level


def is_weakened(rule: Rule, policy: PolicyConfig) -> bool:
    return rule.level == "unassessable" and _weaken(rule, policy) == "warn"


def find_question_level(rule: Rule, question: Question, policy: PolicyConfig) -> Level:
    """A question about a removal that may at most warn is a warning itself."""
    return find_level(rule, policy) if question.decides else "warn"


def _weaken(rule: Rule, policy: PolicyConfig) -> Level:
    asked = policy.rules.get(rule.id, policy.unassessable)
    if asked in ("warn", "off") and policy.because:
        return "warn"
    # `block` in the policy means that the merge is blocked, which is what unassessable does
    return "unassessable"
