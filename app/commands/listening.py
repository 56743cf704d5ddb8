"""Whether a server can listen where it is asked to."""

from __future__ import annotations

import errno
import socket

import click


def need_free_port(host: str, port: int) -> None:
    """Before anything is started: the server itself would tell of it in a traceback, after it had taken up work.

    Raises `click.UsageError`.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise click.UsageError(
            f"--host {host}: no address is found for it ({error}); give one of this machine"
        ) from None
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen()
        except OSError as error:
            reason = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be listened on ({error.strerror})"
            raise click.UsageError(f"port {port} of {host} {reason}: choose another with --port") from None
