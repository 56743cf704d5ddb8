"""A sign of life from this process, and the jobs of processes that stopped giving one.

The queue itself never takes over a dead peer's jobs; this loop does. It starts before the queue runs a job, so that no peer
takes a fresh process for a dead one.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from app.edges.store import Backlog, Executor, Store, beat_and_reap, leave
from app.words import Transient

log = logging.getLogger(__name__)


def _own_id(host: str) -> str:
    """Unique for each start of each process: a reused id would take the running jobs of whoever has it now."""
    return f"{host}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


@dataclass
class Lease:
    """`recover(ids)` puts the running jobs of executors that are gone back into the queue.

    `sweep()` runs after every beat. Seconds: `beat_s` between beats, `lease_s` without one until an executor is gone.
    """

    store: Store
    backlog: Backlog
    recover: Callable[[list[str]], object]
    sweep: Callable[[], None]
    beat_s: float = 3.0
    lease_s: float = 15.0
    host: str = ""

    def __post_init__(self) -> None:
        self.host = self.host or socket.gethostname()
        self.id = _own_id(self.host)
        self._stopped = threading.Event()
        self._beaten = time.monotonic()
        self._thread: threading.Thread | None = None

    def join(self) -> None:
        """The first sign of life; call it before any job can run."""
        self._beat()

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="tether-lease", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def leave(self) -> None:
        """What is still unfinished here may be taken over at once."""
        with self.store.begin() as connection:
            leave(connection, self.id)

    def check_beat(self) -> None:
        """Raises `Transient` where no sign of life could be stored for twice as long as peers wait for one."""
        late = time.monotonic() - self._beaten
        if late > 2 * self.lease_s:
            raise Transient(f"nothing could be stored for {late:.0f} seconds")

    def _beat(self) -> list[str]:
        me = Executor(self.id, self.host, os.getpid(), time.time())
        with self.store.begin() as connection:
            living = beat_and_reap(connection, me, lease_s=self.lease_s, is_alive=_is_alive)
            orphans = sorted(self.backlog.load_owners(connection) - living)
        self._beaten = time.monotonic()
        return orphans

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                if orphans := self._beat():
                    log.warning("taking over the jobs of %s", ", ".join(orphans))
                    self.recover(orphans)
                self.sweep()
            except Exception:
                # The database may be away for a while; without a beat a peer takes over, which is what should happen.
                log.exception("no sign of life could be given")
            self._stopped.wait(self.beat_s)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
