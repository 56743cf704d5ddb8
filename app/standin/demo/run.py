"""Run the demo: its servers, four pull requests, a table of what came of them, and whether it is what should have come."""

from __future__ import annotations

import signal
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import FrameType

import httpx
from datahub.metadata.schema_classes import GlobalTagsClass, IncidentInfoClass, InstitutionalMemoryClass

from app.standin.demo.printing import DemoResult, print_addresses, print_end, print_table, say
from app.standin.demo.pulls import Expected, Shown, await_conclusion, open_pulls
from app.standin.demo.setup import ORG, Setup, start_setup

INFERRED = "urn:li:tag:tether:inferred"
#: datasets whose lineage the catalog lacks on the demo's cold day, and SQL proves
RECOVERED = ("shop.analytics.v_sessions", "shop.features.customer_features", "shop.features.session_features")


def run_demo(*, keep: bool) -> int:
    """0 when three pull requests are blocked, one is clean, and merging a blocked one is refused; 1 otherwise.

    SIGTERM ends it as Ctrl-C does: the server it started and its folder go with it.
    """
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        return _run(keep=keep)
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    # Once: the way out must not be cut short by a second one.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def _run(*, keep: bool) -> int:
    with tempfile.TemporaryDirectory(prefix="tether-demo-") as folder:
        start = time.monotonic()
        say("Starting the catalog, GitHub and Tether ...")
        with start_setup(Path(folder)) as setup:
            say(f"Tether is up at {setup.tether_url} after {time.monotonic() - start:.1f} s.")
            say(f"Opening four pull requests against {ORG}/warehouse ...\n")
            opened = open_pulls(setup)
            shown = [await_conclusion(setup, number) for number in opened]
            found = find_in_catalog(setup)
            print_table(shown, found)
            wrong = [*find_wrong(opened, shown, found), *_try_to_merge(setup, shown[0])]
            print_end(wrong, setup, time.monotonic() - start)
            print_addresses(setup, shown)
            if keep:
                _stay()
            else:
                say("\nThe demo ends here, and these addresses with it. `tether demo --keep` leaves them up.")
        return 1 if wrong else 0


def find_in_catalog(setup: Setup) -> DemoResult:
    """Every incident, and every entity that carries the tag of an inferred edge."""
    incidents: dict[str, str] = {}
    edges: dict[str, str] = {}
    with setup.graph() as graph:
        for urn in graph.get_urns_by_filter(entity_types=["incident"]):
            if (incident := graph.get_aspect(urn, IncidentInfoClass)) is not None:
                incidents[incident.title or urn] = urn
        for kind in ("dataset", "mlFeature", "mlModel"):
            for urn in graph.get_urns_by_filter(entity_types=[kind]):
                tags = graph.get_aspect(urn, GlobalTagsClass)
                if tags and any(tag.tag == INFERRED for tag in tags.tags):
                    links = graph.get_aspect(urn, InstitutionalMemoryClass)
                    edges[urn] = links.elements[0].url if links and links.elements else ""
    return DemoResult(incidents, edges)


def find_wrong(opened: Mapping[int, Expected], shown: Iterable[Shown], found: DemoResult) -> Iterable[str]:
    """What differs from what should have come."""
    for pull in shown:
        want = opened[pull.number]
        models = {model for _, model, _, _ in pull.rows}
        if pull.conclusion != want.conclusion:
            yield f"pull request {pull.number}: {pull.conclusion} instead of {want.conclusion} ({pull.check_title})"
        elif want.model is None and pull.rows:
            yield f"pull request {pull.number} is clean and still names {', '.join(sorted(models))}"
        elif want.model is not None and want.model not in models:
            yield f"pull request {pull.number} does not name {want.model}"
        if want.model is not None and not any(want.model in title for title in found.incidents):
            yield f"there is no incident for {want.model}"
    if (carry := {urn.split(",")[1] for urn in found.edges}) != set(RECOVERED):
        yield f"{', '.join(sorted(carry)) or 'nothing'} carries {INFERRED} instead of {', '.join(RECOVERED)}"


def _try_to_merge(setup: Setup, pull: Shown) -> Iterable[str]:
    """As a person would: over GitHub's API, with a token of one's own."""
    user = setup.world.create_user("impatient", admin=True)
    answer = httpx.put(
        f"{setup.github.url}/repos/{setup.warehouse.full_name}/pulls/{pull.number}/merge",
        headers={"Authorization": f"Bearer {user.token}"},
        timeout=30,
    )
    say(f"\nMerging pull request {pull.number}: {answer.status_code} {answer.json().get('message', '')}")
    return [] if answer.status_code == 405 else [f"pull request {pull.number} could be merged"]


def _stay() -> None:
    say("\nPress Ctrl-C to stop.")
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        say("\nStopping.")
