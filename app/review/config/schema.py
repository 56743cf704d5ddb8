"""The JSON Schema of `.tether.yml`, for editors: the same shape that the parser checks, and the two rules beyond types."""

from __future__ import annotations

from typing import Any

from app.review.config.shape import File
from app.verdict import RULES

_WEAK = {"enum": ["warn", "off", False]}


def config_schema() -> dict[str, Any]:
    """Draft 2020-12. Accepts what `parse_config` accepts of one file alone."""
    schema = File.model_json_schema(by_alias=True)
    for part in (schema, *schema["$defs"].values()):
        part.pop("title", None)
        for key in part.get("properties", {}).values():
            key.pop("title", None)
    policy = schema["$defs"]["Policy"]
    level = policy["properties"]["rules"]["additionalProperties"]
    policy["properties"]["rules"] = {
        "type": "object",
        "default": {},
        "additionalProperties": False,
        "properties": {rule.id: {**level, "description": rule.summary} for rule in RULES},
    }
    # "Cannot be assessed" is weakened only with a reason.
    unsure = [rule.id for rule in RULES if rule.level == "unassessable"]
    weakened = [
        {"required": ["unassessable"], "properties": {"unassessable": _WEAK}},
        *(
            {"required": ["rules"], "properties": {"rules": {"required": [rule], "properties": {rule: _WEAK}}}}
            for rule in unsure
        ),
    ]
    policy["if"] = {"anyOf": weakened}
    policy["then"] = {
        "required": ["because"],
        "properties": {"because": {"anyOf": [{"type": "string", "pattern": "\\S"}, {"type": ["number", "boolean"]}]}},
    }
    schema.pop("description", None)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": ".tether.yml",
        "description": "Configuration of Tether for one repository, read from the base branch.",
        **schema,
    }
