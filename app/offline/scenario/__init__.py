"""A scenario: one Markdown page with a repository before and after a change, what the catalog knows, and the right answer.

The format is told by example in docs/CONTRIBUTING.md. Flow: page (front matter, sections, fenced blocks) -> patch (the change),
catalog (the notation), expected (what the replay says) -> `Scenario`. All of it is pure but `folder`, which reads the pages.
"""

from app.offline.scenario.folder import OWN_SUITE, list_scenarios, load_scenario, locate_suite
from app.offline.scenario.read import parse_scenario
from app.offline.scenario.values import ExpectedPlace, ExpectedRemoval, Files, MalformedScenario, Scenario, ScenarioText

__all__ = [
    "OWN_SUITE",
    "ExpectedPlace",
    "ExpectedRemoval",
    "Files",
    "MalformedScenario",
    "Scenario",
    "ScenarioText",
    "list_scenarios",
    "load_scenario",
    "locate_suite",
    "parse_scenario",
]
