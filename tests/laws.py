"""How many examples a law is shown: few and the same ones in `make test`, many new ones in `make test-deep`."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

QUICK, DEEP = "quick", "deep"
#: how many times as many examples `make test-deep` draws
DEEPER = 20
_DRAWING = (HealthCheck.too_slow, HealthCheck.data_too_large)  # of the machine and its other work, not of the law


def choose_profile() -> None:
    """To be called before any law is defined: what the environment names, else the quick one."""
    settings.register_profile(
        QUICK, max_examples=18, derandomize=True, database=None, deadline=None, suppress_health_check=_DRAWING
    )
    settings.register_profile(DEEP, max_examples=18 * DEEPER, deadline=None, suppress_health_check=_DRAWING)
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", QUICK))


def examples(number: int, *tolerated: HealthCheck) -> settings:
    """`number` in the quick profile, `DEEPER` times as many in the deep one."""
    times = DEEPER if settings.get_current_profile_name() == DEEP else 1
    return settings(max_examples=number * times, suppress_health_check=(*_DRAWING, *tolerated))
