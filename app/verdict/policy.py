"""How loud a rule is: its own level, what `.tether.yml` makes of it, and never louder than the removal allows.

"Cannot be assessed" is red by promise. It is weakened only where the policy gives a reason, then to a warning, never to
silence, and the verdict says so. Other rules may be switched off without a reason; then the verdict says what it left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from app.verdict.rule import Question, Rule
from app.verdict.verdict import Finding
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


def find_weakening(rules: Sequence[Rule], policy: PolicyConfig) -> str:
    """What every check says while "cannot be assessed" is weakened, "" while it is not."""
    weak = [rule.id for rule in rules if is_weakened(rule, policy)]
    if not weak:
        return ""
    whole = all(is_weakened(rule, policy) for rule in rules if rule.level == "unassessable")
    what = "what cannot be assessed" if whole else f"what {', '.join(weak)} cannot tell"
    return f"the policy lets {what} pass with a warning, because: {policy.because}"


def find_question_level(rule: Rule, question: Question, policy: PolicyConfig) -> Level:
    """A question about a removal that may at most warn is a warning itself."""
    return find_level(rule, policy) if question.decides else "warn"


def find_policy_notes(bare: Sequence[Finding], found: Sequence[Finding], muted: Sequence[Finding]) -> Iterator[str]:
    """One sentence for each rule whose findings the policy drops or makes quieter. `bare` are the findings without a policy, in
    the order of `found`; `muted` the dropped ones, one for each model."""
    for rule, count in Counter(finding.rule for finding in muted).items():
        yield f"rule {rule} is off by .tether.yml: {_count(count)} not counted"
    pairs = zip(bare, found, strict=True)
    quieter = (now for was, now in pairs if (was.level, now.level) == ("block", "warn"))
    for rule, count in Counter(now.rule for now in quieter).items():
        yield f"rule {rule} only warns by .tether.yml: {_count(count)} made quieter"


def _count(number: int) -> str:
    return "1 finding" if number == 1 else f"{number} findings"


def _weaken(rule: Rule, policy: PolicyConfig) -> Level:
    asked = policy.rules.get(rule.id, policy.unassessable)
    if asked in ("warn", "off") and policy.because:
        return "warn"
    # `block` in the policy means that the merge is blocked, which is what unassessable does
    return "unassessable"
