"""A scenario: one Markdown page with a repository before and after a change, what the catalog knows, and the right answer.

The format is told by example in docs/CONTRIBUTING.md. Flow: page (front matter, sections, fenced blocks) -> patch (the change) and
catalog (the notation) and expected (what the replay says) -> `Scenario`. All of it is pure but `folder`, which reads the pages.
"""

from app.offline.scenario.folder import OWN_SUITE, locate_suite, list_scenarios, load_scenario
from app.offline.scenario.read import parse_scenario
from app.offline.scenario.values import Content, ExpectedRemoval, Files, MalformedScenario, Place, Scenario

__all__ = [
    "OWN_SUITE",
    "Content",
    "ExpectedRemoval",
    "Files",
    "MalformedScenario",
    "Place",
    "Scenario",
    "locate_suite",
    "list_scenarios",
    "load_scenario",
    "parse_scenario",
]
