"""The command line as a person meets it: in this process, or, for what only a process shows, in one of its own."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from app.cli import run

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


def tether(*arguments: str | Path, cwd: Path | None = None, settings: Mapping[str, str] | None = None) -> Done:
    """`settings` are the environment's TETHER_ variables: no other is there. The code is what `main` exits with."""
    environment: dict[str, str | None] = {name: None for name in os.environ if name.startswith("TETHER_")}
    with (
        contextlib.chdir(cwd or Path.cwd()),
        CliRunner().isolation(env=environment | dict(settings or {})) as (output, errors, _),
    ):
        code = run([str(argument) for argument in arguments])
        sys.stdout.flush()
        sys.stderr.flush()
        return Done(code, output.getvalue().decode(), errors.getvalue().decode())


def start(
    *arguments: str | Path, cwd: Path | None = None, settings: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """The same in a process of its own, which takes seconds: `communicate` with it, or close its output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TETHER_")}
    return subprocess.Popen(
        [sys.executable, "-m", "app.cli", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=kept | {"PYTHONPATH": str(ROOT)} | dict(settings or {}),
        cwd=cwd,
    )


def finish(process: subprocess.Popen[str]) -> Done:
    """What came of it."""
    output, errors = process.communicate(timeout=120)
    return Done(process.returncode, output, errors)
