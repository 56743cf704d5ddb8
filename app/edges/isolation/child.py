"""The child's side: limits on itself, then one pickled (function, items) after another over a pipe.

The child imports nothing of the shell and forgets the environment (the secrets are there); it answers item by item, so that
the parent knows on which item it died. It may not write a byte to any file (RLIMIT_FSIZE).
"""

from __future__ import annotations

import gc
import logging
import os
import resource
import signal
import sys
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any

from app.edges.isolation.sources import use_sources

#: SQL nested some hundred levels deep is real; the parser needs about ten Python frames a level (stack is set by the parent)
RECURSION_LIMIT = 6_000
#: a parsed text is tens of thousands of nodes, which are garbage together; looking earlier took a tenth of the time
GC_THRESHOLD = 50_000


def serve(connection: Connection, memory_bytes: int, cpu_seconds: int) -> None:
    """Loop until the parent closes the pipe. Every item gets its own CPU allowance of `cpu_seconds`."""
    gc.freeze()  # what the fork server loaded is never garbage: the collector need not look at it, nor copy its pages
    gc.set_threshold(GC_THRESHOLD, 20, 20)
    os.environ.clear()
    # sqlglot logs the text of statements that it cannot parse: other people's SQL belongs in no log of ours
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.setrecursionlimit(RECURSION_LIMIT)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    while True:
        try:
            function, items = connection.recv()
        except (EOFError, OSError):
            return
        _answer(connection, function, items, cpu_seconds)


def serve_from_sources(connection: Connection, memory_bytes: int, cpu_seconds: int) -> None:
    """As `serve`, without sqlglot's compiled modules."""
    use_sources()
    serve(connection, memory_bytes, cpu_seconds)


def _answer(connection: Connection, function: Callable[[Any], Any], items: Sequence[Any], cpu_seconds: int) -> None:
    for item in items:
        _allow_cpu(cpu_seconds)
        try:
            answer = (True, function(item))
        except MemoryError:
            answer = (False, "it needs more memory than the limit allows")
        except RecursionError:
            answer = (False, "it is nested too deeply")
        except Exception as error:  # noqa: BLE001 - whatever it is, the parent turns it into a visible reason
            answer = (False, f"{type(error).__name__}: {str(error)[:300]}")
        try:
            connection.send(answer)
        except MemoryError:
            connection.send((False, "its result needs more memory than the limit allows"))


def _allow_cpu(seconds: int) -> None:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = int(usage.ru_utime + usage.ru_stime) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, hard))
