"""What a run left out, said in its closing lines; and what it may leave out in CI.

The reason of a skip starts with what is not here: "postgres: ...", "npm: ...", "chromium: ...", "connector feast: ...".
`make test` leaves such tests out on a machine that lacks them, by name. `make test-more` (TETHER_MORE=1) is there to run them:
in CI a skip of what could have been installed fails it.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Mapping

import pytest

#: Feast's own dependencies have no wheels from here on
NEWEST_FOR_CONNECTORS = (3, 13)


def count_reasons(reports: Iterable[object]) -> Counter[str]:
    """Reason -> how many tests were skipped for it."""
    counted: Counter[str] = Counter()
    for report in reports:
        told = getattr(report, "longrepr", None)
        reason = str(told[2]) if isinstance(told, tuple) else str(told)
        counted[reason.removeprefix("Skipped: ")] += 1
    return counted


def find_forbidden(reasons: Iterable[str], environment: Mapping[str, str]) -> list[str]:
    """Reasons that are none here: in CI everything that can be installed is."""
    in_ci = environment.get("TETHER_MORE") and (environment.get("CI") or environment.get("TETHER_CI"))
    return [reason for reason in reasons if in_ci and can_install(reason.partition(":")[0].split(" ")[0])]


def can_install(what: str) -> bool:
    """Connectors come from the package index, the system's packages where root has apt, npm's where npm is."""
    if what in ("postgres", "chromium"):
        return os.geteuid() == 0 and shutil.which("apt-get") is not None
    if what == "npm":
        return shutil.which("npm") is not None
    return what == "connector" and sys.version_info < NEWEST_FOR_CONNECTORS


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The closing lines. Hooks of `tests/conftest.py`, as is the next."""
    reporter = terminalreporter
    counted = count_reasons(reporter.stats.get("skipped", ()))
    if not counted:
        reporter.write_line("Nothing was skipped.")
        return
    reporter.write_line(f"Skipped {counted.total()} tests:")
    for reason, number in sorted(counted.items()):
        reporter.write_line(f"  {number:4} {reason}")
    for reason in find_forbidden(counted, os.environ):
        reporter.write_line(f"Could have been installed here: {reason}", red=True)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """In the process that has all reports: what could have been installed must have run."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(session.config, "workerinput"):
        return
    if find_forbidden(count_reasons(reporter.stats.get("skipped", ())), os.environ) and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
