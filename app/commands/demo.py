"""`tether demo`: the App's main job once, on this machine alone."""

from __future__ import annotations


def run_demo_setup(*, keep: bool) -> int:
    """The exit code. `keep`: the addresses stay up until somebody stops it."""
    from app.standin.demo import run_demo  # noqa: PLC0415

    return run_demo(keep=keep)
