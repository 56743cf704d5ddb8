"""Names as a scenario's catalog writes them -> urns. Pure."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from app.offline.scenario.values import ExpectedLine

#: a urn, a name in double quotes as JSON writes it, or one without spaces, commas and quotes
NAME: Final = re.compile(r'urn:li:\S*\)|urn:li:[^\s,]+|"(?:[^"\\]|\\.)*"|[^\s",:]+(?::[^\s",:]+)*')


@dataclass(frozen=True, slots=True)
class ScenarioNames:
    """`platform` is that of names that say none, None where nobody said it; `line` is where the names stand."""

    platform: str | None
    line: ExpectedLine

    def find(self, kind: str | None, name: str) -> str:
        """The urn of a table, view, feature, model or deployment, or the urn that stands there. Raises `MalformedScenario`."""
        match kind:
            case "table" | "view":
                return self.find_dataset(name)
            case "feature":
                return self.find_feature(name)
            case "model":
                return self.find_model(name)
            case "deployment":
                platform, rest = _split(_plain(name))
                return f"urn:li:mlModelDeployment:(urn:li:dataPlatform:{platform or 'mlflow'},{rest},PROD)"
            case None if name.startswith("urn:li:"):
                return name
            case _:
                raise self.line.refuse(
                    f"{name} is not known for what it is: write table, view, feature, model or deployment before a name,"
                    " and nothing before a urn"
                )

    def find_dataset(self, name: str) -> str:
        """`[platform:]name[@ENV]`."""
        plain = _plain(name)
        if plain.startswith("urn:li:"):
            return plain
        platform, rest = _split(plain)
        rest, _, env = rest.partition("@")
        platform = platform or self.platform or ""
        if not platform:
            raise self.line.refuse(f"the platform of {rest} is not said: begin with a line like: platform snowflake")
        return f"urn:li:dataset:(urn:li:dataPlatform:{platform},{rest},{env or 'PROD'})"

    def find_feature(self, name: str) -> str:
        """`table.feature`."""
        plain = _plain(name)
        if plain.startswith("urn:li:"):
            return plain
        table, _, feature = plain.rpartition(".")
        if not table:
            raise self.line.refuse(f"a feature is written table.feature, not {plain}")
        return f"urn:li:mlFeature:({table},{feature})"

    def find_model(self, name: str) -> str:
        """`[platform:]name`; mlflow where none is said."""
        plain = _plain(name)
        if plain.startswith("urn:li:"):
            return plain
        platform, rest = _split(plain)
        return f"urn:li:mlModel:(urn:li:dataPlatform:{platform or 'mlflow'},{rest},PROD)"


def find_title(urn: str) -> str:
    """The name in a urn of three parts, `shop.raw.orders`."""
    return urn.split(",")[1]


def _plain(name: str) -> str:
    return str(json.loads(name)) if name.startswith('"') else name


def _split(name: str) -> tuple[str, str]:
    platform, colon, rest = name.partition(":")
    return (platform, rest) if colon else ("", name)
