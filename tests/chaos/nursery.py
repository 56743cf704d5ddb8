"""Starts workers that can be killed, each within milliseconds: it has imported what they run, once, and forks.

    python -m tests.chaos.nursery

A line of its input is a worker's arguments in JSON; the answer is the worker's process id. It ends with its input.
"""

from __future__ import annotations

import json
import os
import signal
import sys

from tests.chaos.worker import work


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the dead are forgotten at once: a process id that answers is alive
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            work(*json.loads(line))
        print(child, flush=True)  # noqa: T201 - this is what it answers with


if __name__ == "__main__":
    main()
