"""Headless Chromium, driven over the DevTools protocol through a pair of pipes: no driver, no port, no package.

The browser reads commands from its file descriptor 3 and answers on 4, each a JSON text ended by a zero byte.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SECONDS = 60.0
_FIRST_FREE = 10  # above the two descriptors that the browser wants
_LAUNCH = (
    "import os, sys; inward, outward = int(sys.argv[1]), int(sys.argv[2]); os.dup2(inward, 3); os.dup2(outward, 4); "
    "os.execv(sys.argv[3], sys.argv[3:])"
)


def find_chromium() -> str | None:
    """The browser's program; None where there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Chromium:
    """One browser with one page, until the `with` block ends."""

    def __init__(self, program: str) -> None:
        self._profile = tempfile.TemporaryDirectory(prefix="tether-chromium-", ignore_cleanup_errors=True)
        inward, self._commands = _pipe()
        self._answers, outward = _pipe()
        options = ["--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--hide-scrollbars"]
        options += ["--disable-dev-shm-usage", f"--user-data-dir={self._profile.name}"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # its sandbox refuses to run as root; the pages are our own
        command = [sys.executable, "-c", _LAUNCH, str(inward), str(outward), program, *options, "about:blank"]
        self._process = subprocess.Popen(
            command, pass_fds=(inward, outward), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(inward)
        os.close(outward)
        self._buffer = b""
        self._number = 0
        self._session = ""
        page = next(one for one in self._ask("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self._session = self._ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]

    def open(self, url: str, width: int, height: int = 900) -> None:
        """Load a page into a window of this size, until it has loaded."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._ask("Emulation.setDeviceMetricsOverride", **metrics)
        self._ask("Page.navigate", url=url)
        until = time.monotonic() + SECONDS
        while self.evaluate(f"document.readyState + ' ' + (location.href == {json.dumps(url)})") != "complete true":
            if time.monotonic() > until:
                raise TimeoutError(f"{url} was not loaded within {SECONDS} s")
            time.sleep(0.02)

    def evaluate(self, expression: str) -> Any:
        """What an expression of JavaScript comes to, in the page."""
        answer = self._ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def photograph(self, path: Path, width: int, height: int) -> None:
        """The page from its top, as a PNG."""
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        answer = self._ask("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(answer["data"]))

    def _ask(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while (answer := self._read()).get("id") != self._number:
            continue  # an event, which nobody asked for
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def _read(self) -> dict[str, Any]:
        until = time.monotonic() + SECONDS
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, until - time.monotonic()))
            got = os.read(self._answers, 1 << 20) if ready else b""
            if not got:
                raise RuntimeError("Chromium does not answer")
            self._buffer += got
        message, _, self._buffer = self._buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def __enter__(self) -> Chromium:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._commands)
        os.close(self._answers)
        self._profile.cleanup()


def _pipe() -> tuple[int, int]:
    """Both ends with numbers that the browser's own two cannot meet."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE) for end in ends]
    for end in ends:
        os.close(end)
    return moved[0], moved[1]
