"""`tether serve` as the demo's child: the same program, which also ends when the demo does, however that dies.

The demo holds the other end of standard input and never writes to it. A killed demo lets go of it, on every system.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading


def main() -> None:
    """Runs `tether serve` with the arguments given."""
    threading.Thread(target=_watch, name="demo-is-alive", daemon=True).start()
    sys.argv[1:1] = ["serve"]
    runpy.run_module("app.cli", run_name="__main__")


def _watch() -> None:
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
