"""`tether audit`: what people did with Tether's buttons, from the server's own database."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click

from app.commands.backtest import find_since
from app.edges.store import AuditRow, Store, is_sqlite, load_audit, load_is_current, make_engine
from app.settings import load_settings
from app.words import Permanent


def print_audit(since: str, installation: int | None, style: str) -> None:
    """The newest last. Raises `Permanent` for a database that no server of this version has made."""
    first = find_since(since, time.time())
    url = load_settings().database_url.get_secret_value()
    engine = make_engine(url)
    try:
        # asking SQLite would make the file
        if (is_sqlite(url) and not Path(engine.url.database or "").exists()) or not load_is_current(engine):
            raise Permanent(
                "TETHER_DATABASE_URL names a database that no server of this version has used: start `tether serve` on it"
            )
        with Store(engine).begin() as connection:
            rows = load_audit(connection, installation_id=installation, since=first)
    finally:
        engine.dispose()
    click.echo(json.dumps([asdict(row) for row in rows], indent=2) if style == "json" else _tell(rows, since))


def _tell(rows: Sequence[AuditRow], since: str) -> str:
    if not rows:
        return f"Nobody pressed a button in the last {since}."
    return "\n".join(
        f"{datetime.fromtimestamp(row.at, UTC):%Y-%m-%d %H:%M}  {row.repo}{f'#{row.pull}' if row.pull else ''}  {row.who}  "
        f"{row.what}: {row.outcome}"
        for row in rows
    )
