"""A Postgres server of its own for the tests that need one: started from the system's package, stopped at the end.

Never as root, for Postgres refuses that: root starts it as `nobody`.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Debian keeps the server's programs out of PATH
_HOMES = Path("/usr/lib/postgresql")
ABSENT = "postgres: no server on this machine (initdb and pg_ctl; Debian: apt-get install postgresql)"


def find_programs() -> Path | None:
    """The directory with the newest server's programs; None where there is none that could be started."""
    if os.geteuid() == 0 and _find_nobody() is None:
        return None
    places = [Path(found).parent for found in (shutil.which("initdb"),) if found]
    places += sorted(_HOMES.glob("*/bin"), key=lambda path: float(path.parent.name), reverse=True)
    return next((place for place in places if all((place / name).exists() for name in ("initdb", "pg_ctl"))), None)


@dataclass(frozen=True)
class PostgresServer:
    url: str
    stop: Callable[[], None]
    start: Callable[[], None]


@contextmanager
def serving_postgres() -> Iterator[str]:
    """The URL of a server on a port of this machine's loopback address, whose data is gone with the block."""
    with blinking_postgres() as server:
        yield server.url


@contextmanager
def blinking_postgres() -> Iterator[PostgresServer]:
    """The same, to be stopped and started meanwhile."""
    programs = find_programs()
    assert programs is not None, ABSENT
    with tempfile.TemporaryDirectory(prefix="tether-pg-") as name, socket.socket() as probe:
        as_whom: dict[str, Any] = {}
        if os.geteuid() == 0:
            nobody = _find_nobody()
            assert nobody is not None
            os.chown(name, nobody.pw_uid, nobody.pw_gid)
            as_whom = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": ()}
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        data = f"{name}/data"

        def run(program: str, *arguments: str) -> None:
            subprocess.run([str(programs / program), *arguments], check=True, capture_output=True, cwd=name, **as_whom)

        run("initdb", "-D", data, "-U", "tether", "-A", "trust", "-N", "-E", "UTF8", "--locale=C")
        options = f"-p {port} -k {name} -c listen_addresses=127.0.0.1 -c fsync=off"

        def start() -> None:
            run("pg_ctl", "-D", data, "-l", f"{name}/log", "-o", options, "-w", "start")

        def stop() -> None:
            run("pg_ctl", "-D", data, "-m", "immediate", "stop")

        start()
        try:
            yield PostgresServer(f"postgresql://tether@127.0.0.1:{port}/postgres", stop, start)
        finally:
            stop()


def _find_nobody() -> pwd.struct_passwd | None:
    return next((entry for entry in pwd.getpwall() if entry.pw_name == "nobody"), None)
