"""Where scenarios are, and reading them. The one place of the room that touches the disk."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

from app.offline.scenario.catalog import CatalogStatement, parse_statements
from app.offline.scenario.read import parse_scenario
from app.offline.scenario.values import ExpectedLine, MalformedScenario, Scenario

#: the name of Tether's own
OWN_SUITE: Final = "scenarios"
#: they stand beside the tests in a clone, and in the package of an installed Tether
_PLACES: Final = (
    Path(__file__).parents[3] / "tests" / "scenarios",
    Path(__file__).parents[2] / "standin" / "data" / "scenarios",
)
_CATALOGS: Final = "catalogs"


def locate_suite(name: str) -> Path | None:
    """The folder that `name` says, or Tether's own for `scenarios`; None where it holds no scenario."""
    places = (Path(name), *(_PLACES if name == OWN_SUITE else ()))
    return next((place for place in places if list_scenarios(place)), None)


def list_scenarios(root: Path) -> tuple[str, ...]:
    """The names of the scenarios in a folder."""
    return tuple(sorted(path.stem for path in root.glob("*.md") if path.stem != "README"))


def load_scenario(root: Path, name: str) -> Scenario:
    """Raises `MalformedScenario` naming file and line."""
    path = root / f"{name}.md"
    return parse_scenario(_read(path), name=name, page=str(path), catalogs=_load_catalogs(root))


@lru_cache(maxsize=8)
def _load_catalogs(root: Path) -> dict[str, tuple[CatalogStatement, ...]]:
    """Tether's own, and over them those of the folder."""
    own = locate_suite(OWN_SUITE)
    found = {}
    for path in [file for home in (own, root) if home is not None for file in sorted((home / _CATALOGS).glob("*.txt"))]:
        lines = [ExpectedLine(str(path), number, line) for number, line in enumerate(_read(path).split("\n"), 1)]
        found[path.stem] = parse_statements(lines)
    return found


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except OSError as error:
        raise MalformedScenario(str(path), f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise MalformedScenario(f"{path}:{line}", "this is not UTF-8: write the file again as UTF-8") from None
