"""The demo: the main job on one machine, with nothing of Tether faked.

It starts the two sandboxes here and `tether serve` as a process of its own, with no other way in than users have: environment
variables, webhooks, GitHub's REST API and DataHub's.
"""

from app.standin.demo.run import run_demo

__all__ = ["run_demo"]
