"""What `tether rules` and `tether config` do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.commands.judging import read_text

if TYPE_CHECKING:
    from app.review.config import Defaults, Origin


_MISNAMED = ".tether.yaml"


def tell_rules(rule: str | None, config: Path | None, style: str) -> str:
    """The list of rules, or the page of one. Raises `click.UsageError` for a rule that is not there, `ConfigError`."""
    from app.effects import rule_text, rules_json, rules_text  # noqa: PLC0415
    from app.review.config import parse_config  # noqa: PLC0415
    from app.verdict import RULES  # noqa: PLC0415

    policy = parse_config(None if config is None else read_text(config), name=str(config)).policy
    if rule is None:
        return json.dumps(rules_json(policy), indent=1) + "\n" if style == "json" else rules_text(policy)
    found = next((one for one in RULES if one.id == rule), None)
    if found is None:
        raise click.UsageError(f"there is no rule {rule!r}; `tether rules` lists them")
    if style == "json":
        return json.dumps(next(one for one in rules_json(policy) if one["id"] == rule), indent=1) + "\n"
    return rule_text(found)


def tell_schema() -> str:
    """The JSON Schema of `.tether.yml`."""
    from app.review.config import config_schema  # noqa: PLC0415

    return json.dumps(config_schema(), indent=1) + "\n"


def tell_state(repo: Path, config: Path | None) -> str:
    """The one sentence after a configuration was found to be good; that there is none is no praise of one."""
    from app.words import CONFIG_PATH  # noqa: PLC0415

    if config is None and not (path := repo / CONFIG_PATH).is_file():
        return f"There is no {path}: what holds without one can be used. --explain says what that comes to.\n"
    return "The configuration can be used. --explain says what it comes to.\n"


def tell_config(repo: Path, config: Path | None, org: Path | None, style: str) -> str:
    """Every value that holds in `repo` and where it comes from. Raises `ConfigError` and `click.UsageError`."""
    from app.edges.git import read_directory  # noqa: PLC0415
    from app.review.config import Defaults, explain_config, find_config_text  # noqa: PLC0415
    from app.words import CONFIG_PATH  # noqa: PLC0415

    defaults: Defaults | None = None if org is None else Defaults(read_text(org, "--org"), str(org))
    if config is None:
        text, name = find_config_text(read_directory(repo, lambda path: path == CONFIG_PATH).tree), CONFIG_PATH
        if text is None and (other := repo / _MISNAMED).is_file():
            raise click.UsageError(f"{other} is not read: it has to be called {CONFIG_PATH}")
    else:
        text, name = read_text(config), str(config)
    origins = explain_config(text, name=name, defaults=defaults)
    if style == "json":
        return json.dumps([{"key": o.key, "value": o.value, "source": o.source} for o in origins], indent=1) + "\n"
    return "".join(_lines(origins))


def _lines(origins: tuple[Origin, ...]) -> list[str]:
    shown = [(f"{one.key}: {json.dumps(one.value, ensure_ascii=False)}", one.source) for one in origins]
    width = min(max(len(text) for text, _ in shown), 70)
    return [f"{text:{width}}  # {source}\n" for text, source in shown]
