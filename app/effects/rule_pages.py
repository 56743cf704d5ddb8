"""The rules for people: the list, and a page for each that every finding links to."""

from __future__ import annotations

from html import escape
from typing import Any, Final
from urllib.parse import quote

from app.verdict import RULES, Rule
from app.words import Level, PolicyConfig

_KNOWN: Final = frozenset(rule.id for rule in RULES)
_STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46em;margin:3em auto;padding:0 1em}code{font-size:.95em}"
)


def find_rule_url(rule: str, rules_url: str) -> str | None:
    """Where the page of a rule stands; None where Tether's own address is not known, and for what is no rule."""
    return f"{rules_url}/{quote(rule)}" if rules_url and rule in _KNOWN else None


def rules_json(policy: PolicyConfig) -> list[dict[str, Any]]:
    """One object for each rule, worst first. `level` is its own, `set_to` what the policy says of it, null where it is silent."""
    return [
        {
            "id": rule.id,
            "level": rule.level,
            "set_to": _find_set(rule, policy),
            "summary": rule.summary,
            "advice": rule.advice,
            "scenario": rule.scenario or None,
        }
        for rule in RULES
    ]


def rules_text(policy: PolicyConfig) -> str:
    """One line for each rule."""
    width = max(len(rule.id) for rule in RULES)
    lines = []
    for rule in RULES:
        level = _find_set(rule, policy)
        said = f"{rule.level} -> {level}" if level is not None else rule.level
        lines.append(f"{rule.id:{width}}  {said:12}  {rule.summary}")
    return "\n".join(lines) + "\n"


def rule_text(rule: Rule) -> str:
    """The page of one rule."""
    shown = f"\n\nShown by tests/scenarios/{rule.scenario}.md." if rule.scenario else ""
    return f"{rule.id} ({rule.level})\n\n{rule.summary}\n\n{rule.advice}{shown}\n"


def rule_page(rule: Rule) -> str:
    """The same as HTML, for the address that checks link to."""
    body = "".join(f"<p>{_inline(text)}</p>" for text in (rule.summary, rule.advice))
    return _page(rule.id, f"<h1><code>{escape(rule.id)}</code></h1><p>Level: {escape(rule.level)}.</p>{body}")


def rules_page() -> str:
    """The list as HTML, with a link to each page."""
    rows = "".join(
        f'<tr><td><a href="rules/{quote(rule.id)}"><code>{escape(rule.id)}</code></a></td><td>{rule.level}</td>'
        f"<td>{_inline(rule.summary)}</td></tr>"
        for rule in RULES
    )
    return _page("The rules of Tether", f"<h1>The rules of Tether</h1><table>{rows}</table>")


def _find_set(rule: Rule, policy: PolicyConfig) -> Level | None:
    if rule.id in policy.rules:
        return policy.rules[rule.id]
    weak = rule.level == "unassessable" and policy.unassessable in ("warn", "off")
    return policy.unassessable if weak else None


def _inline(text: str) -> str:
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts))


def _page(title: str, body: str) -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body>{body}</body></html>"
    )
