"""Trouble on demand, for tests of clients: error answers, silence, dropped connections; and the log of all requests."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Trouble: TypeAlias = int | Literal["timeout", "drop", "drop_after", "timeout_after"]


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came in. `status` 0: no answer was sent. `caller`: kind of credentials, never the secret."""

    method: str
    path: str
    query: str
    status: int
    caller: str
    body: bytes


@dataclass(slots=True)
class Fault:
    """What to do with the next `times` requests that match."""

    method: str
    path: re.Pattern[str]
    trouble: Trouble
    times: int
    headers: Mapping[str, str]
    message: str


@dataclass(slots=True)
class Faults:
    """Planned trouble, and what happened. Safe to use from any thread."""

    _planned: list[Fault] = field(default_factory=list)
    _log: list[Request] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def plan(self, fault: Fault) -> None:
        with self._lock:
            self._planned.append(fault)

    def clear(self) -> None:
        with self._lock:
            self._planned.clear()

    def take(self, method: str, *paths: str) -> Fault | None:
        """The first planned fault that matches one of the names of a path, used up by one."""
        with self._lock:
            for fault in self._planned:
                if fault.method in ("*", method) and any(fault.path.search(path) for path in paths):
                    fault.times -= 1
                    if fault.times <= 0:
                        self._planned.remove(fault)
                    return fault
        return None

    def record(self, request: Request) -> None:
        with self._lock:
            self._log.append(request)

    def requests(self) -> tuple[Request, ...]:
        with self._lock:
            return tuple(self._log)

    def forget(self) -> None:
        with self._lock:
            self._log.clear()
