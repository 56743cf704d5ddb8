"""`tether serve`: the App itself."""

from __future__ import annotations

from app.commands.listening import need_free_port


def run_server(host: str, port: int) -> None:
    """Until it is stopped. Raises `Permanent` and `click.UsageError` before anything is started."""
    from app.main import serve  # noqa: PLC0415
    from app.settings import load_settings  # noqa: PLC0415

    settings = load_settings()
    need_free_port(host, port)
    serve(settings, host=host, port=port)
