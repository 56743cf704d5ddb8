"""Fetches what `make test-more` needs and this machine lacks: hashed environments of the connectors, npm's data, system packages.

Nothing here decides what is tested: what could not be had is named, its tests are skipped by name, and in CI that fails the
run (`tests/skips.py`). Needs Python alone; environments stand in `.venv/more`, made anew when their lock has changed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parents[1] / ".venv" / "more"
#: Debian package -> programs, one of which is enough to do without it
SYSTEM = {
    "postgresql": ("/usr/lib/postgresql/*/bin/initdb", "/usr/bin/initdb", "/usr/local/bin/initdb"),
    "chromium": ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"),
}
_SLOW = 600


def build_environment(lock: Path) -> str:
    """The connector's environment, by its lock; what was wrong, "" when it is there."""
    home = ENVIRONMENTS / lock.stem
    stamp, digest = home / ".lock", hashlib.sha256(lock.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return ""
    shutil.rmtree(home, ignore_errors=True)
    venv.create(home, with_pip=True)
    pip = [
        str(home / "bin" / "python"),
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-compile",
    ]
    failed = run(*pip, "--require-hashes", "--only-binary", ":all:", "-r", str(lock))
    if not failed:
        stamp.write_text(digest)
    return failed


def fetch_npm_data() -> str:
    if shutil.which("npm") is None:
        return "there is no npm"
    held = HERE / "node_modules" / ".package-lock.json"
    if held.exists() and held.stat().st_mtime > (HERE / "package-lock.json").stat().st_mtime:
        return ""
    return run("npm", "ci", cwd=HERE)


def install_system_packages() -> str:
    missing = [name for name, programs in SYSTEM.items() if not any(map(_exists, programs))]
    if not missing:
        return ""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return f"{' and '.join(missing)} can be installed by root on Debian only"
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return run("apt-get", "update", "-qq", env=quiet) or run(
        "apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing, env=quiet
    )


def _exists(pattern: str) -> bool:
    return next(Path("/").glob(pattern.removeprefix("/")), None) is not None


def run(*command: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """What was wrong, in the command's own last words."""
    try:
        done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=_SLOW, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "" if done.returncode == 0 else (done.stderr or done.stdout).strip()[-500:] or f"exit {done.returncode}"


def main() -> None:
    works: dict[str, Callable[[], str]] = {"system packages": install_system_packages, "npm": fetch_npm_data}
    for lock in sorted(HERE.glob("*.lock")):
        works[f"connector {lock.stem}"] = lambda lock=lock: build_environment(lock)  # type: ignore[misc]
    started = time.monotonic()
    with ThreadPoolExecutor(2) as pool:
        for name, failed in zip(works, pool.map(lambda work: work(), works.values()), strict=True):
            sys.stdout.write(f"{name}: {failed or 'ready'}\n")
    sys.stdout.write(f"prepared in {time.monotonic() - started:.0f} s\n")


if __name__ == "__main__":
    main()
