"""`tether rules`: the rules that findings are made by."""

from __future__ import annotations

import json
from difflib import get_close_matches
from pathlib import Path

import click

from app.commands.trees import read_text


def print_rules(rule: str | None, config: Path | None, style: str) -> None:
    """The list of rules, or the page of one. Raises `click.UsageError` for a rule that is not there, `ConfigError`."""
    from app.effects import rule_text, rules_json, rules_text  # noqa: PLC0415
    from app.review.config import parse_config  # noqa: PLC0415
    from app.verdict import RULES  # noqa: PLC0415

    policy = parse_config(None if config is None else read_text(config), name=str(config)).policy
    if rule is None:
        listed = json.dumps(rules_json(policy), indent=1) + "\n" if style == "json" else rules_text(policy)
        click.echo(listed, nl=False)
        return
    found = next((one for one in RULES if one.id == rule), None)
    if found is None:
        near = get_close_matches(rule, [one.id for one in RULES], n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise click.UsageError(f"there is no rule {rule!r}: {meant}`tether rules` lists them")
    if style == "json":
        click.echo(json.dumps(next(one for one in rules_json(policy) if one["id"] == rule), indent=1))
    else:
        click.echo(rule_text(found), nl=False)
