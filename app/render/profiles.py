"""`profiles.yml`, where one is checked in -> where the configured target of each profile builds.

The weakest of all sources: what it says is often a developer's. Only the target that the configuration names counts (never the
file's own default), and only values that are written out. Keys: docs.getdbt.com/docs/core/connect-data-platform/profiles.yml.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from app.render.known import KnownTarget
from app.render.paths import is_templated
from app.render.yaml_text import BadYaml, load_yaml, mapping

PROFILES: Final = ("profiles.yml", "profiles.yaml")
_DATABASE: Final = ("database", "dbname", "project", "catalog")
_SCHEMA: Final = ("schema", "dataset")


def find_profiles(files: Mapping[str, str], target: str) -> Mapping[str, KnownTarget]:
    """By the profile's name. What two files say otherwise is not known; one that is no YAML says nothing."""
    found: dict[str, set[KnownTarget]] = {}
    for profile, output in _find_outputs(files, target):
        found.setdefault(profile, set()).add(KnownTarget(profile, _read(output, _DATABASE), _read(output, _SCHEMA)))
    return {profile: places.pop() for profile, places in found.items() if len(places) == 1}


def find_adapters(files: Mapping[str, str], target: str) -> Mapping[str, str]:
    """The profile's name -> dbt's name of the database that it leads to, likewise."""
    found: dict[str, set[str | None]] = {}
    for profile, output in _find_outputs(files, target):
        found.setdefault(profile, set()).add(_read(output, ("type",)))
    told = {profile: adapters.pop() for profile, adapters in found.items() if len(adapters) == 1}
    return {profile: adapter for profile, adapter in told.items() if adapter}


def _find_outputs(files: Mapping[str, str], target: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path in sorted(files):
        if path.rpartition("/")[2] not in PROFILES:
            continue
        try:
            content = mapping(load_yaml(files[path]))
        except BadYaml:
            continue  # every name that it would have told stays as open as without it
        for profile, entry in content.items():
            output = mapping(mapping(mapping(entry).get("outputs")).get(target))
            if output:
                yield profile, output


def _read(output: Mapping[str, Any], keys: tuple[str, ...]) -> str | None:
    value = next((output[key] for key in keys if output.get(key) is not None), None)
    return None if value is None or is_templated(str(value)) else str(value)
