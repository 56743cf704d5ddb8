"""Golden files: what people see, word for word. `TETHER_GOLDEN=write pytest tests/effects` writes them anew."""

from __future__ import annotations

import os
from pathlib import Path

HERE = Path(__file__).parent / "golden"


def assert_golden(name: str, actual: str) -> None:
    path = HERE / name
    actual = actual if actual.endswith("\n") else actual + "\n"
    if os.environ.get("TETHER_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(actual.encode())
    assert path.read_bytes().decode() == actual
