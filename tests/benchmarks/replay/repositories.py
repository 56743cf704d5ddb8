"""Which repositories are replayed, and what a catalog of each would look like: repositories.yml, or a file of that shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

OWN = Path(__file__).with_name("repositories.yml")


@dataclass(frozen=True, slots=True)
class Repository:
    """`config` is the `.tether.yml` that a sensible user would have written. `schemas` says how dbt names schemas: a custom one
    "alone", or behind the target's ("joined"). `migrations` and `marts` are patterns of paths.
    """

    name: str
    kind: Literal["dbt", "migrations"]
    dialect: str
    database: str
    schema: str
    config: str
    folder: str = ""
    schemas: Literal["alone", "joined"] = "alone"
    marts: str = "$^"
    migrations: str = "$^"
    variables: Mapping[str, Any] = field(default_factory=dict)

    @property
    def platform(self) -> str:
        return self.dialect


def load_repositories(file: Path = OWN) -> dict[str, Repository]:
    """owner/name -> repository. Raises `TypeError` for a key that there is not."""
    held = yaml.safe_load(file.read_text())
    return {name: Repository(name, **{**row, "config": yaml.safe_dump(row["config"])}) for name, row in held.items()}


def find_clone(folder: Path, name: str) -> Path:
    """The bare clone of owner/name below `folder`. Raises `FileNotFoundError` naming the places."""
    owner, _, own = name.partition("/")
    places = [
        folder / owner / f"{own}.git",
        folder / f"{owner}+{own}" / "repo",
        folder / f"{owner}+{own}",
        folder / name,
    ]
    for place in places:
        if (place / "HEAD").is_file() or (place / ".git").exists():
            return place
    raise FileNotFoundError(f"no clone of {name}: looked for {', '.join(map(str, places))}")
